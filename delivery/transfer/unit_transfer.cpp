#include <fardel/delivery/unit_transfer.h>

#include "transfer/request_server.h"
#include "transfer/single_range.h"

#include <fardel/base/clock.h>
#include <fardel/format/hash.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint64_t kGapBytesMax = 4096;  // cheaper to receive than to ask for separately
constexpr std::uint64_t kRequestBytesMax = 8u << 20;

struct PendingRequest {
    FetchRequest units;
    RequestServer server;
    SteadyTime not_before{};
    // By server: how the first unit begins there. What one server sends is not completed by another one: if the whole
    // is wrong, the wrong one would be blamed.
    std::map<std::size_t, std::vector<std::byte>> begun{};
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
    Queue(UnitTransfer& transfer, std::vector<FetchRequest> requests, const std::function<void()>& progress)
        : transfer_(transfer), progress_(progress) {
        for (FetchRequest& request : requests)
            add(std::move(request));
    }

    std::optional<RangeJob> next() override;

    bool is_empty() const noexcept { return pending_.empty(); }
    const std::optional<Error>& failure() const noexcept { return failure_; }
    SteadyTime earliest() const { return std::ranges::min(pending_, {}, &PendingRequest::not_before).not_before; }

private:
    class Receiver;

    void add(FetchRequest units) {
        pending_.push_back({.units = std::move(units), .server = RequestServer(transfer_.attempts_max_)});
    }

    // A server that ignores ranges would send the beginning of the file again for each request: one pass gives all.
    void join_requests() {
        FetchRequest all;
        for (const PendingRequest& request : pending_)
            all.insert(all.end(), request.units.begin(), request.units.end());
        std::ranges::sort(all, {}, &FetchUnit::offset);
        pending_.clear();
        add(std::move(all));
    }

    void repeat(PendingRequest request, Error reason, std::chrono::seconds asked_wait) {
        transfer_.has_misfit_ = transfer_.has_misfit_ || reason.code() == ErrorCode::corrupt;
        if (failure_)
            return;
        if (reason.code() != ErrorCode::cancelled) {
            transfer_.faults_.insert_or_assign(request.server.index(), reason);
            if (transfer_.fault_observer_)
                transfer_.fault_observer_(reason);
        }
        const SteadyTime now = SteadyClock::now();
        const auto wait = request.server.fail(std::move(reason), asked_wait, now);
        if (!wait)
            return fail(request.server.failure());
        request.not_before = now + *wait;
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
    const std::function<void()>& progress_;
    std::deque<PendingRequest> pending_;
    std::optional<Error> failure_;
};

// Checks the units of one request as they come.
class UnitTransfer::Queue::Receiver final : public RangeReceiver {
public:
    Receiver(Queue& queue, PendingRequest request)
        : queue_(queue),
          request_(std::move(request)),
          unit_(std::move(request_.begun[request_.server.index()])),
          at_(request_.units.front().offset + unit_.size()),
          begun_(at_) {}

    Status begin(std::uint64_t file_bytes) override {
        // What a shorter file begins with is no part of this one; a log-in page, for example.
        is_too_short_ = file_bytes < request_.units.back().end();
        IncomingBundle& incoming = queue_.transfer_.incoming_;
        return is_too_short_ || incoming.file_bytes() ? ok() : stored(incoming.set_file_bytes(file_bytes));
    }

    Status receive(std::span<const std::byte> bytes) override {
        if (queue_.failure_)
            return Error(ErrorCode::cancelled, "another request has failed");
        if (queue_.progress_)
            queue_.progress_();
        if (is_too_short_)
            return ok();
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
            request_.begun.clear();
        if (is_too_short_)
            queue_.transfer_.client_.note_failure(url());
        request_.begun[request_.server.index()] = std::move(unit_);
        const std::uint64_t useless = queue_.transfer_.client_.sends_whole_files(url()) ? begun_ : 0;
        request_.server.note_progress(done_ > 0 ? std::max(at_ - begun_, kProgressBytes) : at_ - begun_, useless);
        if (is_left_)
            return queue_.go_on(std::move(request_));
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
        if (unit.hash && blake3(unit_) != *unit.hash) {
            unit_.clear();
            at_ = std::max(begun_, unit.offset);
            return Error(ErrorCode::corrupt, printable(url(), 400) + ": the server sends wrong bytes at offset " +
                                                 std::to_string(unit.offset));
        }
        queue_.transfer_.latest_url_ = url();
        FARDEL_TRY(stored(queue_.transfer_.incoming_.write(unit.offset, unit_)));
        unit_.clear();
        ++done_;
        return ok();
    }

    const std::string& url() const { return queue_.transfer_.urls_[request_.server.index()]; }

    Queue& queue_;
    PendingRequest request_;
    std::chrono::seconds asked_wait_{0};
    bool is_left_ = false;
    bool is_too_short_ = false;
    std::size_t done_ = 0;         // units
    std::vector<std::byte> unit_;  // the bytes so far of the unit that comes
    std::uint64_t at_;             // in the file
    std::uint64_t begun_;          // where this transfer began
};

std::optional<RangeJob> UnitTransfer::Queue::next() {
    const auto now = SteadyClock::now();
    const auto ready = std::ranges::find_if(pending_, [&](const auto& one) { return one.not_before <= now; });
    if (ready == pending_.end())
        return std::nullopt;
    PendingRequest request = std::move(*ready);
    pending_.erase(ready);
    HttpRange range{.url = {},
                    .offset = 0,
                    .length_bytes = 0,
                    .file_bytes = transfer_.incoming_.file_bytes(),
                    // A cache on the way may be what has wrong bytes.
                    .bypasses_caches = transfer_.round_ + request.server.attempt() > 0};
    request.server.choose(transfer_.client_, transfer_.urls_, transfer_.round_, range);
    if (!pending_.empty() && transfer_.client_.sends_whole_files(range.url)) {
        pending_.push_front(std::move(request));
        join_requests();
        request = std::move(pending_.front());
        pending_.clear();
        request.server.choose(transfer_.client_, transfer_.urls_, transfer_.round_, range);
    }
    range.offset = request.units.front().offset + request.begun[request.server.index()].size();
    range.length_bytes = request.units.back().end() - range.offset;
    return RangeJob{std::move(range), std::make_unique<Receiver>(*this, std::move(request))};
}

std::vector<Error> UnitTransfer::faults() const {
    std::vector<Error> faults;
    for (const auto& [server, fault] : faults_)
        faults.push_back(fault);
    return faults;
}

Status UnitTransfer::run(std::vector<FetchRequest> requests, const std::stop_token& stop,
                         const std::function<void()>& progress) {
    Queue queue(*this, std::move(requests), progress);
    for (;;) {
        FARDEL_TRY(client_.run(queue, stop));
        if (queue.failure())
            return *queue.failure();
        if (queue.is_empty())
            return ok();
        FARDEL_TRY(wait_until(queue.earliest(), stop));
    }
}

}  // namespace fardel
