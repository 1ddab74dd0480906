#include <fardel/vfs/read_queue.h>

#include <fardel/base/parallel.h>
#include <fardel/format/bundle.h>

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <unordered_map>
#include <utility>

namespace fardel {
namespace {

// Ranges of a file with a gap of at most this size are prefetched as one.
constexpr std::uint64_t kGapBytesMax = 128u << 10;
constexpr std::uint64_t kFetchBytesMax = 8u << 20;

// The position of a read in the queue: reads are done by priority, bundle, offset in its file, age.
struct QueuePosition {
    int priority = 0;
    const Bundle* bundle = nullptr;
    std::uint64_t offset = 0;
    std::uint64_t id = 0;

    friend bool operator<(const QueuePosition& a, const QueuePosition& b) {
        if (a.priority != b.priority)
            return a.priority > b.priority;
        if (a.bundle != b.bundle)
            // Any order of bundles will do, as long as reads of one file are neighbours.
            return std::less<>()(a.bundle, b.bundle);
        return a.offset != b.offset ? a.offset < b.offset : a.id < b.id;
    }
};

struct Waiting {
    ReadRequest request;
    std::uint64_t stored_bytes = 0;  // from QueuePosition::offset
};

}  // namespace

struct ReadQueue::Impl {
    std::mutex mutex;
    std::condition_variable_any something_waits;
    std::condition_variable idle;
    std::map<QueuePosition, Waiting> waiting;
    std::unordered_map<std::uint64_t, QueuePosition> positions;  // of waiting reads, by id
    std::uint64_t last_id = 0;
    std::size_t reading = 0;
    WorkerThreads threads;  // last: they end before the members that they use are destroyed

    // Sets `stored_bytes` too. A read whose offset in the file is not known comes first, and reports why.
    static QueuePosition position_of(const ReadRequest& request, std::uint64_t& stored_bytes) {
        QueuePosition position{.priority = request.priority, .bundle = request.file.bundle().get()};
        const std::uint64_t size = request.file.size_bytes();
        if (request.offset >= size)
            return position;
        const auto stored = request.file.bundle()->stored_range(
            request.file.index(), request.offset, std::min<std::uint64_t>(request.out.size(), size - request.offset));
        if (stored) {
            position.offset = stored->offset;
            stored_bytes = stored->length_bytes;
        }
        return position;
    }

    // Asks the system to prefetch the range of waiting reads that begins with `first`, and returns its end. With the
    // lock held.
    std::uint64_t prefetch_from(std::map<QueuePosition, Waiting>::const_iterator first) const {
        const QueuePosition& begin = first->first;
        std::uint64_t end = begin.offset + first->second.stored_bytes;
        std::size_t reads = 1;
        for (auto next = std::next(first); next != waiting.end(); ++next, ++reads) {
            const QueuePosition& other = next->first;
            if (other.priority != begin.priority || other.bundle != begin.bundle || other.offset > end + kGapBytesMax ||
                end - begin.offset > kFetchBytesMax)
                break;
            end = std::max(end, other.offset + next->second.stored_bytes);
        }
        if (reads > 1 && end > begin.offset)
            begin.bundle->source()->prefetch(begin.offset, end - begin.offset);
        return end;
    }

    void work(const std::stop_token& stop) {
        const Bundle* fetched_of = nullptr;
        std::uint64_t fetched_from = 0, fetched_to = 0;
        std::unique_lock lock(mutex);
        while (something_waits.wait(lock, stop, [this] { return !waiting.empty(); })) {
            const auto first = waiting.begin();
            if (const QueuePosition& begin = first->first;
                begin.bundle != fetched_of || begin.offset < fetched_from || begin.offset >= fetched_to) {
                fetched_of = begin.bundle;
                fetched_from = begin.offset;
                fetched_to = prefetch_from(first);
            }
            Waiting now = std::move(first->second);
            positions.erase(first->first.id);
            waiting.erase(first);
            ++reading;
            lock.unlock();
            // Without the lock: reading takes long, and the caller's function may submit more.
            finish(std::move(now.request), std::nullopt);
            lock.lock();
            --reading;
            if (reading == 0 && waiting.empty())
                idle.notify_all();
        }
    }

    static void finish(ReadRequest request, std::optional<Error> instead) {
        auto result =
            instead ? Result<std::size_t>(*std::move(instead)) : request.file.read_at(request.offset, request.out);
        if (request.done)
            request.done(std::move(result));
    }
    static Error cancelled() { return Error(ErrorCode::cancelled, "the read was cancelled"); }
};

ReadQueue::ReadQueue(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}

Result<std::unique_ptr<ReadQueue>> ReadQueue::start(unsigned threads) {
    auto impl = std::make_unique<Impl>();
    Impl* const shared = impl.get();
    const unsigned wanted = std::clamp(threads, 1u, 64u);
    while (impl->threads.size() < wanted &&
           impl->threads.try_start([shared](const std::stop_token& stop) { shared->work(stop); })) {
    }
    if (impl->threads.size() == 0)
        return Error(ErrorCode::busy, "read queue: the system gives no thread");
    return std::unique_ptr<ReadQueue>(new ReadQueue(std::move(impl)));
}

ReadQueue::~ReadQueue() {
    std::map<QueuePosition, Waiting> left;
    {
        const std::scoped_lock lock(impl_->mutex);
        // Each read ends with one call of its function, also those that nobody will do any more.
        left.swap(impl_->waiting);
        impl_->positions.clear();
    }
    for (auto& [position, waiting] : left)
        Impl::finish(std::move(waiting.request), Impl::cancelled());
    impl_->threads.stop();
}

ReadId ReadQueue::submit(ReadRequest request) {
    std::vector<ReadRequest> one;
    one.push_back(std::move(request));
    return submit(std::move(one)).front();
}

std::vector<ReadId> ReadQueue::submit(std::vector<ReadRequest> requests) {
    std::vector<std::pair<QueuePosition, Waiting>> positioned;
    for (ReadRequest& request : requests) {
        std::uint64_t stored_bytes = 0;
        // Positions come from tables, which may have to be read from the disk: the queue is not locked meanwhile.
        const QueuePosition position = Impl::position_of(request, stored_bytes);
        positioned.push_back({position, {.request = std::move(request), .stored_bytes = stored_bytes}});
    }
    std::vector<ReadId> ids;
    {
        const std::scoped_lock lock(impl_->mutex);
        for (auto& [position, waiting] : positioned) {
            position.id = ++impl_->last_id;
            ids.push_back(ReadId{position.id});
            impl_->positions.emplace(position.id, position);
            impl_->waiting.emplace(position, std::move(waiting));
        }
    }
    impl_->something_waits.notify_all();
    return ids;
}

bool ReadQueue::cancel(ReadId id) {
    std::optional<ReadRequest> request;
    {
        const std::scoped_lock lock(impl_->mutex);
        const auto at = impl_->positions.find(static_cast<std::uint64_t>(id));
        if (at == impl_->positions.end())
            return false;
        const auto waiting = impl_->waiting.find(at->second);
        request = std::move(waiting->second.request);
        impl_->waiting.erase(waiting);
        impl_->positions.erase(at);
        if (impl_->reading == 0 && impl_->waiting.empty())
            impl_->idle.notify_all();
    }
    Impl::finish(*std::move(request), Impl::cancelled());
    return true;
}

void ReadQueue::wait() {
    std::unique_lock lock(impl_->mutex);
    impl_->idle.wait(lock, [this] { return impl_->waiting.empty() && impl_->reading == 0; });
}

}  // namespace fardel
