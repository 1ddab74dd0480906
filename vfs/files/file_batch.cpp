#include "files/file_batch.h"

#include <fardel/base/executor.h>
#include <fardel/format/bundle.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint64_t kFileBytesMax = 1ull << 32;      // as File::read_all
constexpr std::uint64_t kBatchGapBytesMax = 128u << 10;  // read along with what is on both sides
constexpr std::size_t kRoomWasteBytes = 64u << 10;       // of memory from another file, beyond twice what is needed
constexpr std::uint64_t kAnnouncedBytesMax = 8u << 20;   // at once

}  // namespace

void FileBatch::add(Result<File> file) {
    Entry entry{.index = entries_.size()};
    if (!file) {
        entry.status = std::move(file).error();
    } else if (file->size_bytes() > kFileBytesMax) {
        entry.status = Error(ErrorCode::limit, "asset " + file->asset_id().hex() + " has " +
                                                   std::to_string(file->size_bytes()) + " bytes, too many for a batch");
    } else {
        entry.file = *std::move(file);
        // What it does not know it says when it is read.
        if (entry.file->size_bytes() > 0)
            if (const auto stored =
                    entry.file->bundle()->stored_range(entry.file->index(), 0, entry.file->size_bytes())) {
                entry.stored_offset = stored->offset;
                entry.stored_bytes = stored->length_bytes;
            }
    }
    entries_.push_back(std::move(entry));
}

// If any order will do, all of them in that of their bundles' bytes; otherwise part by part of the list, each of which
// can be held as a whole. So the next one to be received is always among those that are held.
void FileBatch::sort_entries() {
    const auto bundle_of = [](const Entry& entry) { return entry.file ? entry.file->bundle().get() : nullptr; };
    const auto in_bundles = [&](const Entry& a, const Entry& b) {
        if (bundle_of(a) != bundle_of(b))
            return std::less<>()(bundle_of(a), bundle_of(b));
        return a.stored_offset != b.stored_offset ? a.stored_offset < b.stored_offset : a.index < b.index;
    };
    auto first = entries_.begin();
    while (first != entries_.end()) {
        auto end = options_.in_order ? first + 1 : entries_.end();
        for (std::uint64_t bytes = first->size_bytes();
             end != entries_.end() && bytes + end->size_bytes() <= options_.bytes_max; ++end)
            bytes += end->size_bytes();
        std::sort(first, end, in_bundles);
        first = end;
    }
    positions_.resize(entries_.size());
    for (std::size_t i = 0; i < entries_.size(); ++i)
        positions_[entries_[i].index] = i;
}

void FileBatch::find_runs() {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const Entry& entry = entries_[i];
        if (entry.stored_bytes == 0)
            continue;
        const std::uint64_t end = entry.stored_offset + entry.stored_bytes;
        if (!runs_.empty()) {
            Run& run = runs_.back();
            const std::uint64_t run_end = run.offset + run.length_bytes;
            if (run.file->bundle() == entry.file->bundle() && entry.stored_offset >= run.offset &&
                entry.stored_offset <= run_end + kBatchGapBytesMax && run.length_bytes <= kAnnouncedBytesMax) {
                run.length_bytes = std::max(run_end, end) - run.offset;
                continue;
            }
        }
        runs_.push_back({i, &*entry.file, entry.stored_offset, entry.stored_bytes});
    }
}

bool FileBatch::can_take() const noexcept {
    return next_ < entries_.size() &&
           (held_bytes_ == 0 || held_bytes_ + entries_[next_].size_bytes() <= options_.bytes_max);
}

FileBatch::Room FileBatch::find_room(std::size_t size_bytes) {
    auto best = spare_.end();
    for (auto room = spare_.begin(); room != spare_.end(); ++room)
        if (room->size_bytes >= size_bytes && room->size_bytes <= 2 * size_bytes + kRoomWasteBytes &&
            (best == spare_.end() || room->size_bytes < best->size_bytes))
            best = room;
    if (best == spare_.end())
        return {};
    Room found = std::move(*best);
    spare_bytes_ -= found.size_bytes;
    spare_.erase(best);
    return found;
}

void FileBatch::trim_spare() {
    while (!spare_.empty() && held_bytes_ + spare_bytes_ > options_.bytes_max) {
        spare_bytes_ -= spare_.front().size_bytes;
        spare_.erase(spare_.begin());
    }
}

// Reads the entry, which one thread has taken.
Status FileBatch::read(Entry& entry) {
    const auto size = static_cast<std::size_t>(entry.size_bytes());
    if (!entry.status || size == 0)
        return std::move(entry.status);
    if (!entry.room.bytes)
        entry.room = {make_room_(size), size};
    return entry.file->read_all({entry.room.bytes.get(), size});
}

void FileBatch::read_next(std::unique_lock<Mutex>& lock) {
    const std::size_t position = next_++;
    Entry& entry = entries_[position];
    const std::uint64_t held = entry.size_bytes();
    held_bytes_ += held;
    ++reading_;
    if (held > 0)
        entry.room = find_room(static_cast<std::size_t>(held));
    trim_spare();
    // One run ahead of the one that is being read.
    std::size_t announced = next_run_;
    while (next_run_ < runs_.size() && (next_run_ == 0 || runs_[next_run_ - 1].first <= position))
        ++next_run_;
    const std::size_t announced_end = next_run_;
    lock.unlock();
    for (; announced < announced_end; ++announced)
        runs_[announced].file->bundle()->source()->prefetch(runs_[announced].offset, runs_[announced].length_bytes);
    Status status;
    std::exception_ptr thrown;  // for want of memory
    try {
        status = read(entry);
    } catch (...) {
        thrown = std::current_exception();
    }
    lock.lock();
    if (thrown)
        thrown_ = std::move(thrown);  // so that only the caller's thread releases it
    entry.status = std::move(status);
    entry.is_ready = true;
    ready_.push_back(position);
    --reading_;
    changed_.notify_all();
}

void FileBatch::read_as_task() {
    std::unique_lock lock(mutex_);
    while (!closed_ && can_take())
        read_next(lock);
    --tasks_;
}

void FileBatch::begin_tasks(Executor* executor, std::unique_lock<Mutex>& lock) {
    if (executor == nullptr)
        return;
    while (tasks_ < executor->thread_count() && can_take()) {
        ++tasks_;
        lock.unlock();
        const bool runs = try_run(*executor, [batch = shared_from_this()] { batch->read_as_task(); });
        lock.lock();
        if (!runs) {
            --tasks_;
            return;
        }
    }
}

FileBatch::Entry* FileBatch::next_ready() noexcept {
    if (options_.in_order) {
        Entry& next = entries_[positions_[received_]];
        return next.is_ready ? &next : nullptr;
    }
    if (ready_.empty())
        return nullptr;
    Entry& next = entries_[ready_.front()];
    ready_.pop_front();
    return &next;
}

Status FileBatch::hand_out(Executor* executor, const BatchReceiver& receive) {
    sort_entries();
    find_runs();
    const struct Closing {
        FileBatch& batch;
        ~Closing() { batch.close(); }
    } closing{*this};
    std::unique_lock lock(mutex_);
    begin_tasks(executor, lock);
    while (received_ < entries_.size()) {
        if (thrown_)
            std::rethrow_exception(std::exchange(thrown_, nullptr));
        if (Entry* const entry = next_ready()) {
            const auto size = static_cast<std::size_t>(entry->status ? entry->size_bytes() : 0);
            const std::uint64_t held = entry->file ? entry->file->size_bytes() : 0;
            lock.unlock();
            const bool goes_on = entry->status
                                     ? receive(entry->index, std::span<const std::byte>(entry->room.bytes.get(), size))
                                     : receive(entry->index, entry->status.error());
            lock.lock();
            if (!goes_on)
                return Error(ErrorCode::cancelled, "reading a batch of files was ended by its receiver");
            ++received_;
            held_bytes_ -= held;
            if (entry->room.bytes) {
                spare_bytes_ += entry->room.size_bytes;
                spare_.push_back(std::exchange(entry->room, {}));
                trim_spare();
            }
            begin_tasks(executor, lock);
        } else if (can_take()) {
            read_next(lock);
        } else {
            changed_.wait(lock);  // one is being read
        }
    }
    return ok();
}

// Waits for those that read, and gives back what tasks that have not begun would keep.
void FileBatch::close() {
    std::unique_lock lock(mutex_);
    closed_ = true;
    changed_.wait(lock, [this] { return reading_ == 0; });
    entries_.clear();
    runs_.clear();
    spare_.clear();
    thrown_ = nullptr;
    make_room_ = nullptr;  // it may keep the memory of a Vfs that is about to go
}

}  // namespace fardel
