#include <fardel/vfs/read_queue.h>

#include <fardel/format/bundle.h>

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>

namespace fardel {
namespace {

// Stretches of a file no further apart than this are fetched as one.
constexpr std::uint64_t kGapBytesMax = 128u << 10;
constexpr std::uint64_t kFetchBytesMax = 8u << 20;

// The order in which reads are done: priority, bundle, place in its file, age.
struct Place {
    int priority = 0;
    const Bundle* bundle = nullptr;
    std::uint64_t offset = 0;
    std::uint64_t id = 0;

    friend bool operator<(const Place& a, const Place& b) {
        if (a.priority != b.priority)
            return a.priority > b.priority;
        if (a.bundle != b.bundle)
            return std::less<>()(a.bundle, b.bundle);
        return a.offset != b.offset ? a.offset < b.offset : a.id < b.id;
    }
};

struct Waiting {
    ReadRequest request;
    std::uint64_t stored_bytes = 0;  // from Place::offset
};

}  // namespace

struct ReadQueue::Impl {
    std::mutex mutex;
    std::condition_variable_any something_waits;
    std::condition_variable idle;
    std::map<Place, Waiting> waiting;
    std::unordered_map<std::uint64_t, Place> places;  // of what waits, by id
    std::uint64_t last_id = 0;
    std::size_t reading = 0;
    std::vector<std::jthread> threads;  // last: they end before the rest goes

    // A place for a request; where it cannot be told, it goes first and its read says why.
    Place place_of(const ReadRequest& request, std::uint64_t& stored_bytes) {
        Place place{.priority = request.priority, .bundle = request.file.bundle().get(), .offset = 0, .id = 0};
        const std::uint64_t size = request.file.size_bytes();
        if (request.offset >= size)
            return place;
        const auto stored = request.file.bundle()->stored_range(
            request.file.index(), request.offset, std::min<std::uint64_t>(request.out.size(), size - request.offset));
        if (stored) {
            place.offset = stored->offset;
            stored_bytes = stored->length_bytes;
        }
        return place;
    }

    // Tells the system of the stretch that begins with `first`, and returns its end. With the lock held.
    std::uint64_t prefetch_from(std::map<Place, Waiting>::const_iterator first) const {
        const Place& place = first->first;
        std::uint64_t end = place.offset + first->second.stored_bytes;
        std::size_t reads = 1;
        for (auto next = std::next(first); next != waiting.end(); ++next, ++reads) {
            const Place& other = next->first;
            if (other.priority != place.priority || other.bundle != place.bundle || other.offset > end + kGapBytesMax ||
                end - place.offset > kFetchBytesMax)
                break;
            end = std::max(end, other.offset + next->second.stored_bytes);
        }
        if (reads > 1 && end > place.offset)
            place.bundle->source()->prefetch(place.offset, end - place.offset);
        return end;
    }

    void work(const std::stop_token& stop) {
        const Bundle* fetched_of = nullptr;
        std::uint64_t fetched_from = 0, fetched_to = 0;
        std::unique_lock lock(mutex);
        while (something_waits.wait(lock, stop, [this] { return !waiting.empty(); })) {
            const auto first = waiting.begin();
            if (const Place& place = first->first;
                place.bundle != fetched_of || place.offset < fetched_from || place.offset >= fetched_to) {
                fetched_of = place.bundle;
                fetched_from = place.offset;
                fetched_to = prefetch_from(first);
            }
            Waiting now = std::move(first->second);
            places.erase(first->first.id);
            waiting.erase(first);
            ++reading;
            lock.unlock();
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
    try {
        for (unsigned i = 0; i < std::clamp(threads, 1u, 64u); ++i)
            impl->threads.emplace_back([shared](const std::stop_token& stop) { shared->work(stop); });
    } catch (const std::system_error& error) {
        if (impl->threads.empty())
            return Error(ErrorCode::busy, std::string("no thread to be had: ") + error.what());
    }
    return std::unique_ptr<ReadQueue>(new ReadQueue(std::move(impl)));
}

ReadQueue::~ReadQueue() {
    std::map<Place, Waiting> left;
    {
        const std::scoped_lock lock(impl_->mutex);
        left.swap(impl_->waiting);
        impl_->places.clear();
    }
    for (auto& [place, waiting] : left)
        Impl::finish(std::move(waiting.request), Impl::cancelled());
    impl_->threads.clear();
}

ReadId ReadQueue::submit(ReadRequest request) {
    std::vector<ReadRequest> one;
    one.push_back(std::move(request));
    return submit(std::move(one)).front();
}

std::vector<ReadId> ReadQueue::submit(std::vector<ReadRequest> requests) {
    std::vector<std::pair<Place, Waiting>> placed;
    for (ReadRequest& request : requests) {
        std::uint64_t stored_bytes = 0;
        const Place place = impl_->place_of(request, stored_bytes);
        placed.push_back({place, {.request = std::move(request), .stored_bytes = stored_bytes}});
    }
    std::vector<ReadId> ids;
    {
        const std::scoped_lock lock(impl_->mutex);
        for (auto& [place, waiting] : placed) {
            place.id = ++impl_->last_id;
            ids.push_back(ReadId{place.id});
            impl_->places.emplace(place.id, place);
            impl_->waiting.emplace(place, std::move(waiting));
        }
    }
    impl_->something_waits.notify_all();
    return ids;
}

bool ReadQueue::cancel(ReadId id) {
    std::optional<ReadRequest> request;
    {
        const std::scoped_lock lock(impl_->mutex);
        const auto at = impl_->places.find(static_cast<std::uint64_t>(id));
        if (at == impl_->places.end())
            return false;
        const auto waiting = impl_->waiting.find(at->second);
        request = std::move(waiting->second.request);
        impl_->waiting.erase(waiting);
        impl_->places.erase(at);
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
