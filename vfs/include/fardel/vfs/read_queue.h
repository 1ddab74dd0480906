// ReadQueue: reads done by threads of its own, the urgent ones first, those of neighbouring blocks one after the other.
//
// What waits is taken by priority, then bundle, then place in the file, so a batch goes through each file from front to
// back, a block that several reads need is decoded once (the Vfs's cache keeps it), and the system is told of the whole
// stretch before its first byte is wanted. Any thread may submit and cancel. Bytes are verified as in File::read_at.
#pragma once

#include <fardel/format/result.h>
#include <fardel/vfs/file.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace fardel {

// Never used again within its queue.
enum class ReadId : std::uint64_t {};

struct ReadRequest {
    File file;
    std::uint64_t offset = 0;
    std::span<std::byte> out;  // stays the queue's until `done` is called
    int priority = 0;          // higher is sooner
    // Called once, on a thread of the queue, or of the caller of cancel() or of the destructor: what File::read_at
    // returns, or cancelled. It must not wait for other reads, and may submit more.
    std::function<void(Result<std::size_t>)> done;
};

class ReadQueue {
public:
    // Threads: 1 to 64. Error: busy (the system gives no thread).
    static Result<std::unique_ptr<ReadQueue>> start(unsigned threads = 1);
    // What waits is cancelled, what is being read is finished.
    ~ReadQueue();
    ReadQueue(const ReadQueue&) = delete;
    ReadQueue& operator=(const ReadQueue&) = delete;

    ReadId submit(ReadRequest request);
    // All at once, so that they are put in order before the first is read.
    std::vector<ReadId> submit(std::vector<ReadRequest> requests);
    // True: it was still waiting, and `done` has been called with cancelled. False: it is being read, or over.
    bool cancel(ReadId id);
    // Waits until nothing waits and nothing is read.
    void wait();

private:
    struct Impl;
    explicit ReadQueue(std::unique_ptr<Impl> impl) noexcept;
    std::unique_ptr<Impl> impl_;
};

}  // namespace fardel
