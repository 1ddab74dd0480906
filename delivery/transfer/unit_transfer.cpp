#include <fardel/delivery/unit_transfer.h>

#include "transfer/request_server.h"
#include "transfer/retry_rule.h"

#include <fardel/format/hash.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <thread>
#include <utility>

namespace fardel {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kGapBytesMax = 4096;  // cheaper to receive than to ask for separately
constexpr std::uint64_t kRequestBytesMax = 8u << 20;
constexpr std::chrono::milliseconds kStopPolled{50};

struct PendingRequest {
    FetchRequest units;
    RequestServer server;
    Clock::time_point not_before;
};

}  // namespace

std::vector<FetchRequest> make_requests(const std::vector<FetchUnit>& units) {
    std::vector<FetchRequest> requests;
    for (const FetchUnit& unit : units) {
        const bool joins = !requests.empty() && unit.offset - requests.back().back().end() <= kGapBytesMax &&
                           unit.end() - requests.back().front().offset <= kRequestBytesMax;
        if (!joins)
            requests.emplace_back();
        requests.back().push_back(unit);
    }
    return requests;
}

std::uint64_t bytes_of(const FetchRequest& request) noexcept { return request.back().end() - request.front().offset; }

class UnitTransfer::Queue final : public RangeQueue {
public:
    Queue(UnitTransfer& transfer, std::vector<FetchRequest> requests,
          const std::function<void(std::uint64_t)>& progress)
        : transfer_(transfer), progress_(progress) {
        for (FetchRequest& request : requests)
            pending_.push_back({.units = std::move(request)});
    }

    std::optional<RangeJob> next() override;

    bool is_empty() const noexcept { return pending_.empty(); }
    const std::optional<Error>& failure() const noexcept { return failure_; }
    Clock::time_point earliest() const {
        return std::ranges::min(pending_, {}, &PendingRequest::not_before).not_before;
    }

private:
    class Receiver;

    void repeat(PendingRequest request, Error reason, std::chrono::seconds asked_wait) {
        transfer_.has_misfit_ = transfer_.has_misfit_ || reason.code() == ErrorCode::corrupt;
        if (failure_)
            return;
        const RetryRule rule{.servers = transfer_.urls_.size(), .attempts_max = transfer_.attempts_max_};
        const auto wait = rule.find_wait(reason.code(), request.server.attempt());
        if (!wait)
            return fail(std::move(reason));
        // Another server is asked at once, whatever this one wants.
        request.not_before = Clock::now() + (wait->count() == 0 ? *wait : std::max<Clock::duration>(*wait, asked_wait));
        pending_.push_front(std::move(request));
    }

    // At another server, which is quicker.
    void go_on(PendingRequest request) {
        if (!failure_)
            pending_.push_front(std::move(request));
    }

    // Nothing else is asked for, and what comes is not taken.
    void fail(Error reason) {
        failure_ = std::move(reason);
        pending_.clear();
    }

    UnitTransfer& transfer_;
    const std::function<void(std::uint64_t)>& progress_;
    std::deque<PendingRequest> pending_;
    std::optional<Error> failure_;
};

// Checks the units of one request as they come.
class UnitTransfer::Queue::Receiver final : public RangeReceiver {
public:
    Receiver(Queue& queue, PendingRequest request)
        : queue_(queue), request_(std::move(request)), at_(request_.units.front().offset) {}

    Status begin(std::uint64_t file_bytes) override {
        IncomingBundle& incoming = queue_.transfer_.incoming_;
        return incoming.file_bytes() ? ok() : stored(incoming.set_file_bytes(file_bytes));
    }

    Status receive(std::span<const std::byte> bytes) override {
        if (queue_.failure_)
            return *queue_.failure_;
        queue_.transfer_.counts_.received_bytes += bytes.size();
        if (queue_.progress_)
            queue_.progress_(queue_.transfer_.counts_.received_bytes);
        while (!bytes.empty()) {
            const FetchUnit& unit = request_.units[done_];
            const std::uint64_t wanted = at_ < unit.offset ? unit.offset - at_ : unit.end() - at_;
            const auto part = bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(wanted, bytes.size())));
            // A request also covers small gaps between its units, whose bytes are dropped.
            if (at_ >= unit.offset)
                unit_.insert(unit_.end(), part.begin(), part.end());
            bytes = bytes.subspan(part.size());
            at_ += part.size();
            if (at_ == unit.end())
                FARDEL_TRY(finish_unit(unit));
        }
        return ok();
    }

    void retry_after(std::chrono::seconds wait) override { asked_wait_ = wait; }
    void leave_for(std::size_t other) override {
        request_.server.leave_for(other);
        is_left_ = true;
    }

    void end(Status result) override {
        if (result)
            return;
        request_.units.erase(request_.units.begin(), request_.units.begin() + static_cast<std::ptrdiff_t>(done_));
        if (done_ > 0)
            request_.server.forget_failures();
        if (is_left_)
            return queue_.go_on(std::move(request_));
        request_.server.fail();
        queue_.repeat(std::move(request_), std::move(result).error(), asked_wait_);
    }

private:
    // No server helps against an error of the store.
    Status stored(Status written) {
        if (!written)
            queue_.fail(written.error());
        return written;
    }

    Status finish_unit(const FetchUnit& unit) {
        if (unit.hash && blake3(unit_) != *unit.hash)
            return Error(ErrorCode::corrupt, "the server sends wrong bytes at offset " + std::to_string(unit.offset));
        FARDEL_TRY(stored(queue_.transfer_.incoming_.write(unit.offset, unit_)));
        unit_.clear();
        ++done_;
        return ok();
    }

    Queue& queue_;
    PendingRequest request_;
    std::chrono::seconds asked_wait_{0};
    bool is_left_ = false;
    std::size_t done_ = 0;         // units
    std::uint64_t at_;             // in the file
    std::vector<std::byte> unit_;  // the bytes so far of the unit that comes
};

std::optional<RangeJob> UnitTransfer::Queue::next() {
    const auto now = Clock::now();
    const auto ready = std::ranges::find_if(pending_, [&](const auto& one) { return one.not_before <= now; });
    if (ready == pending_.end())
        return std::nullopt;
    PendingRequest request = std::move(*ready);
    pending_.erase(ready);
    HttpRange range{.url = {},
                    .offset = request.units.front().offset,
                    .length_bytes = bytes_of(request.units),
                    .file_bytes = transfer_.incoming_.file_bytes(),
                    // A cache on the way may be what has wrong bytes.
                    .bypasses_caches = transfer_.round_ + request.server.attempt() > 0};
    request.server.choose(transfer_.client_, transfer_.urls_, transfer_.round_, range);
    ++transfer_.counts_.requests;
    return RangeJob{std::move(range), std::make_unique<Receiver>(*this, std::move(request))};
}

Status UnitTransfer::run(std::vector<FetchRequest> requests, const std::stop_token& stop,
                         const std::function<void(std::uint64_t)>& progress) {
    Queue queue(*this, std::move(requests), progress);
    for (;;) {
        FARDEL_TRY(client_.run(queue, stop));
        if (queue.failure())
            return *queue.failure();
        if (queue.is_empty())
            return ok();
        while (Clock::now() < queue.earliest()) {
            if (stop.stop_requested())
                return Error(ErrorCode::cancelled, "the transfer was stopped");
            std::this_thread::sleep_for(kStopPolled);
        }
    }
}

}  // namespace fardel
