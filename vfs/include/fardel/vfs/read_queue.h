// ReadQueue: reads on separate threads, by priority, with reads of neighbouring blocks in sequence.
//
// Waiting reads are done by priority, then bundle, then offset in the file: a batch goes through each file from front
// to back, a block that several reads need is decoded once (the Vfs's cache keeps it), and the system is asked to
// prefetch a whole range before its first byte is read. Any thread may submit and cancel. Bytes are verified as in
// File::read_at.
#pragma once

#include <fardel/base/result.h>
#include <fardel/vfs/file.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace fardel {

// Unique within its queue and never used again.
enum class ReadId : std::uint64_t {};

struct ReadRequest {
    File file;
    std::uint64_t offset = 0;
    std::span<std::byte> out;  // belongs to the queue until `done` is called
    int priority = 0;          // higher is sooner
    // Called once, on a thread of the queue or on the one that calls cancel() or the destructor, with the result of
    // File::read_at or the error cancelled. It must not wait for other reads; it may submit more.
    std::function<void(Result<std::size_t>)> done;
};

class ReadQueue {
public:
    // Starts 1 to 64 threads, or as many of them as the system gives. Error: busy (it gives none).
    static Result<std::unique_ptr<ReadQueue>> start(unsigned threads = 1);
    // Cancels waiting reads and finishes running ones.
    ~ReadQueue();
    ReadQueue(const ReadQueue&) = delete;
    ReadQueue& operator=(const ReadQueue&) = delete;

    ReadId submit(ReadRequest request);
    // Submits all requests at once, so that they are sorted before the first one is read.
    std::vector<ReadId> submit(std::vector<ReadRequest> requests);
    // True: the read was waiting, and `done` has been called with cancelled. False: it is running or done.
    bool cancel(ReadId id);
    // Returns when no read is waiting or running.
    void wait();

private:
    struct Impl;
    explicit ReadQueue(std::unique_ptr<Impl> impl) noexcept;
    std::unique_ptr<Impl> impl_;
};

}  // namespace fardel
