// FileBatch: many files that are read on several threads, in the order of their bundles' bytes, and handed to one.
//
// The thread that calls hand_out() receives files and reads some itself while none is ready; tasks of an executor read
// the others. What is read and not yet received is bounded: a task that meets the bound ends, and another one is begun
// when there is room. A task that begins late finds the batch closed, and touches nothing of it.
#pragma once

#include <fardel/base/result.h>
#include <fardel/base/threads.h>
#include <fardel/vfs/file.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace fardel {

class Executor;

class FileBatch : public std::enable_shared_from_this<FileBatch> {
public:
    // Gives memory for so many bytes.
    using MakeRoom = std::function<std::shared_ptr<std::byte[]>(std::size_t size_bytes)>;

    FileBatch(const BatchOptions& options, MakeRoom make_room) : options_(options), make_room_(std::move(make_room)) {}

    // The next of the list: a file, or why there is none.
    void add(Result<File> file);
    // Calls `receive` for each of the list. nullptr: no other thread reads. Error: cancelled.
    Status hand_out(Executor* executor, const BatchReceiver& receive);

private:
    struct Room {
        std::shared_ptr<std::byte[]> bytes;
        std::size_t size_bytes = 0;
    };
    struct Entry {
        std::size_t index = 0;  // in the list
        std::optional<File> file;
        std::uint64_t stored_offset = 0;  // in the bundle's file
        std::uint64_t stored_bytes = 0;
        Status status;
        Room room;
        bool is_ready = false;
        std::uint64_t size_bytes() const noexcept { return file && status ? file->size_bytes() : 0; }
    };
    // Neighbours in a bundle's file, which the system is asked for as one.
    struct Run {
        std::size_t first = 0;  // of the entries
        const File* file = nullptr;
        std::uint64_t offset = 0;
        std::uint64_t length_bytes = 0;
    };

    void sort_entries();
    void find_runs();
    // The caller holds the lock; those that take it as an argument release it while they read or begin tasks.
    bool can_take() const noexcept;
    void read_next(std::unique_lock<Mutex>& lock);
    void begin_tasks(Executor* executor, std::unique_lock<Mutex>& lock);
    Entry* next_ready() noexcept;
    Room find_room(std::size_t size_bytes);
    void trim_spare();

    void read_as_task();
    Status read(Entry& entry);
    void close();

    const BatchOptions options_;
    MakeRoom make_room_;
    std::vector<Entry> entries_;          // in the order of reading
    std::vector<std::size_t> positions_;  // in entries_, by index
    std::vector<Run> runs_;

    Mutex mutex_;
    ConditionVariable changed_;
    std::size_t next_ = 0;      // of entries_, to be read
    std::size_t next_run_ = 0;  // of runs_, to be announced
    std::size_t received_ = 0;
    std::uint64_t held_bytes_ = 0;   // being read, or read and not yet received
    std::deque<std::size_t> ready_;  // of entries_, as they became ready; used if any order will do
    std::vector<Room> spare_;        // from files that were received, the oldest first
    std::uint64_t spare_bytes_ = 0;
    std::size_t reading_ = 0;
    std::size_t tasks_ = 0;
    bool closed_ = false;
    std::exception_ptr thrown_;  // by a read
};

}  // namespace fardel
