#include "remote/server_queue.h"

#include <fardel/format/name.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

constexpr std::chrono::seconds kOfflineTime{5};

Error closed_error() { return Error(ErrorCode::cancelled, "the connection to the servers was closed"); }

}  // namespace

// Checks the units of one request as they come.
class ServerQueue::Receiver final : public RangeReceiver {
public:
    Receiver(ServerQueue& queue, Pending pending, bool is_background)
        : queue_(queue),
          pending_(std::move(pending)),
          is_background_(is_background),
          at_(pending_.request.units.front().offset) {}

    Status begin(std::uint64_t file_bytes) override {
        pending_.request.reply->begin(file_bytes);
        return ok();
    }

    Status receive(std::span<const std::byte> bytes) override {
        {
            const std::scoped_lock lock(queue_.mutex_);
            queue_.counts_.received_bytes += bytes.size();
        }
        while (!bytes.empty()) {
            const ServerUnit& unit = pending_.request.units[done_];
            const std::uint64_t wanted = at_ < unit.offset ? unit.offset - at_ : unit.end() - at_;
            const auto part = bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(wanted, bytes.size())));
            // A request also covers small gaps between its units, whose bytes are dropped.
            if (at_ >= unit.offset)
                unit_.insert(unit_.end(), part.begin(), part.end());
            bytes = bytes.subspan(part.size());
            at_ += part.size();
            if (at_ != unit.end())
                continue;
            if (unit.is_right && !unit.is_right(unit_))
                return Error(ErrorCode::corrupt, printable(url(), 400) + ": the server sends wrong bytes at offset " +
                                                     std::to_string(unit.offset));
            pending_.request.reply->take(unit, std::exchange(unit_, {}));
            ++done_;
        }
        return ok();
    }

    void retry_after(std::chrono::seconds wait) override { asked_wait_ = wait; }
    void leave_for(std::size_t other) override {
        pending_.server.leave_for(other);
        is_left_ = true;
    }

    void end(Status result) override {
        auto& units = pending_.request.units;
        units.erase(units.begin(), units.begin() + static_cast<std::ptrdiff_t>(done_));
        if (done_ > 0)
            pending_.server.note_progress(kProgressBytes, 0);
        {
            const std::scoped_lock lock(queue_.mutex_);
            queue_.background_ -= is_background_ ? 1 : 0;
            if (done_ > 0)
                queue_.offline_.reset();
        }
        if (is_left_ && !result)
            queue_.go_on(std::move(pending_));
        else
            queue_.finish(std::move(pending_), std::move(result), asked_wait_);
    }

private:
    const std::string& url() const { return (*pending_.request.urls)[pending_.server.index()]; }

    ServerQueue& queue_;
    Pending pending_;
    const bool is_background_;
    std::chrono::seconds asked_wait_{0};
    bool is_left_ = false;
    std::size_t done_ = 0;         // units
    std::uint64_t at_;             // in the file
    std::vector<std::byte> unit_;  // the bytes so far of the unit that comes
};

class ServerQueue::Feed final : public RangeQueue {
public:
    explicit Feed(ServerQueue& queue) : queue_(queue) {}
    std::optional<RangeJob> next() override { return queue_.next(); }

private:
    ServerQueue& queue_;
};

ServerQueue::ServerQueue(RangeClient client, unsigned connections, unsigned attempts_max)
    : client_(std::move(client)), background_max_(std::max(connections / 2, 1u)), attempts_max_(attempts_max) {}

ServerQueue::~ServerQueue() { close(); }

Result<std::shared_ptr<ServerQueue>> ServerQueue::open(const RangeClientOptions& connections, unsigned attempts_max) {
    FARDEL_TRY_ASSIGN(RangeClient client, RangeClient::open(connections));
    return std::shared_ptr<ServerQueue>(new ServerQueue(std::move(client), connections.connections, attempts_max));
}

void ServerQueue::insert(Pending pending) {
    const RequestPriority priority = pending.request.priority;
    const auto after =
        std::ranges::find_if(pending_, [&](const Pending& one) { return one.request.priority < priority; });
    pending_.insert(after, std::move(pending));
}

void ServerQueue::submit(ServerRequest request) {
    std::optional<Error> refusal;
    {
        const std::scoped_lock thread_lock(thread_mutex_);
        const std::scoped_lock lock(mutex_);
        if (closed_) {
            refusal = closed_error();
        } else if (offline_ && Clock::now() < offline_until_) {
            refusal = *offline_;
        } else {
            insert({.request = std::move(request), .server = RequestServer(attempts_max_)});
            start_thread();
        }
    }
    if (refusal) {
        request.reply->end(*std::move(refusal));
        return;
    }
    changed_.notify_all();
    client_.wake();
}

void ServerQueue::start_thread() {
    if (!thread_.joinable() && !closed_ && !pending_.empty())
        thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

void ServerQueue::raise(const ServerReply& reply, RequestPriority priority) {
    {
        const std::scoped_lock thread_lock(thread_mutex_);
        const std::scoped_lock lock(mutex_);
        start_thread();  // pause() may have ended it
        const auto find = [&] {
            return std::ranges::find_if(pending_, [&](const Pending& one) {
                return one.request.reply.get() == &reply && one.request.priority < priority;
            });
        };
        for (auto found = find(); found != pending_.end(); found = find()) {
            Pending pending = std::move(*found);
            pending_.erase(found);
            pending.request.priority = priority;
            insert(std::move(pending));
        }
    }
    client_.wake();
}

std::optional<RangeJob> ServerQueue::next() {
    const std::scoped_lock lock(mutex_);
    const auto now = Clock::now();
    const auto ready = std::ranges::find_if(pending_, [&](const Pending& one) {
        // Reading ahead leaves half of the connections to what somebody waits for.
        return one.not_before <= now && (one.request.priority >= kNeededPriority || background_ < background_max_);
    });
    if (ready == pending_.end())
        return std::nullopt;
    Pending pending = std::move(*ready);
    pending_.erase(ready);
    const bool is_background = pending.request.priority < kNeededPriority;
    background_ += is_background ? 1 : 0;
    const ServerRequest& request = pending.request;
    HttpRange range{.url = {},
                    .offset = request.units.front().offset,
                    .length_bytes = request.units.back().end() - request.units.front().offset,
                    .file_bytes = request.file_bytes,
                    // A cache on the way may be what has wrong bytes.
                    .bypasses_caches = pending.server.attempt() > 0};
    pending.server.choose(client_, *request.urls, 0, range);
    ++counts_.requests;
    return RangeJob{std::move(range), std::make_unique<Receiver>(*this, std::move(pending), is_background)};
}

void ServerQueue::finish(Pending pending, Status result, std::chrono::seconds asked_wait) {
    if (result) {
        pending.request.reply->end(ok());
        return;
    }
    Error reason = std::move(result).error();
    std::list<Pending> given_up;
    {
        const std::scoped_lock lock(mutex_);
        if (reason.code() == ErrorCode::cancelled && !closed_) {  // pause()
            insert(std::move(pending));
            return;
        }
        const auto now = Clock::now();
        if (const auto wait = pending.server.fail(std::move(reason), asked_wait, now); wait && !closed_) {
            pending.not_before = now + *wait;
            insert(std::move(pending));
            return;
        }
        reason = pending.server.failure();
        if (reason.code() == ErrorCode::unreachable) {
            offline_ = reason;
            offline_until_ = Clock::now() + kOfflineTime;
            // Each of the others would wait for its own time limit, and a game that reads files offline for all of
            // them.
            given_up = std::exchange(pending_, {});
        }
        given_up.push_back(std::move(pending));
    }
    end_all(std::move(given_up), reason);
}

void ServerQueue::go_on(Pending pending) {
    std::unique_lock lock(mutex_);
    if (!closed_)
        return insert(std::move(pending));
    lock.unlock();
    pending.request.reply->end(closed_error());
}

void ServerQueue::end_all(std::list<Pending> requests, const Error& reason) {
    for (Pending& one : requests)
        one.request.reply->end(reason);
}

void ServerQueue::work(const std::stop_token& stop) {
    Feed feed(*this);
    for (;;) {
        Status ran = client_.run(feed, stop);
        if (stop.stop_requested())
            return;
        std::unique_lock lock(mutex_);
        if (!ran) {
            const Error reason = std::move(ran).error();
            std::list<Pending> given_up = std::exchange(pending_, {});
            lock.unlock();
            end_all(std::move(given_up), reason);
            continue;
        }
        if (pending_.empty()) {
            changed_.wait(lock, stop, [&] { return !pending_.empty(); });
        } else {
            const auto earliest = std::ranges::min(pending_, {}, &Pending::not_before).not_before;
            const std::size_t waiting = pending_.size();
            changed_.wait_until(lock, stop, earliest, [&] { return pending_.size() != waiting; });
        }
        if (stop.stop_requested())
            return;
    }
}

void ServerQueue::join() {
    const std::scoped_lock lock(thread_mutex_);
    if (!thread_.joinable())
        return;
    thread_.request_stop();
    client_.wake();
    thread_.join();
    thread_ = {};
}

void ServerQueue::pause() { join(); }

void ServerQueue::close() {
    {
        const std::scoped_lock lock(mutex_);
        closed_ = true;
    }
    join();
    std::list<Pending> rest;
    {
        const std::scoped_lock lock(mutex_);
        rest = std::exchange(pending_, {});
    }
    end_all(std::move(rest), closed_error());
}

TransferCounts ServerQueue::counts() const {
    const std::scoped_lock lock(mutex_);
    return counts_;
}

}  // namespace fardel
