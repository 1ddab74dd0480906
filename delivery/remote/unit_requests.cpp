#include "remote/unit_requests.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint64_t kJoinedGap = 4096;                // cheaper to receive than to request separately
constexpr std::uint64_t kAheadRequestBytes = 512u << 10;  // so that what is needed does not wait long
constexpr std::uint64_t kNeededRequestBytes = 4u << 20;

// A file that has vanished from its servers is no absent asset.
Error as_unreachable(const std::optional<Error>& failure) {
    if (!failure)
        return Error(ErrorCode::io, "nothing was received");
    return failure->code() == ErrorCode::missing ? Error(ErrorCode::unreachable, failure->message()) : *failure;
}

// Cuts units where what is between them costs more than another request: others turned out to be here.
std::vector<std::vector<ServerUnit>> runs_of(std::vector<ServerUnit> units) {
    std::vector<std::vector<ServerUnit>> runs;
    for (ServerUnit& unit : units) {
        if (runs.empty() || unit.offset - runs.back().back().end() > kJoinedGap)
            runs.emplace_back();
        runs.back().push_back(std::move(unit));
    }
    return runs;
}

}  // namespace

// Units under way, in one request or several. It keeps its bytes as long as somebody waits for them.
class UnitRequests::Flight final : public ServerReply {
public:
    Flight(std::shared_ptr<State> state, const std::vector<ServerUnit>& units, bool keeps);

    void begin(std::uint64_t file_bytes) override;
    void take(const ServerUnit& unit, std::vector<std::byte> bytes) override;
    void end(Status result) override;
    // Takes what is kept by now: another request brought it since the reader looked. Returns the other units.
    std::vector<ServerUnit> adopt(std::vector<ServerUnit> units);

    // With the state's lock held.
    std::map<std::uint64_t, Bytes> arrived;  // by offset
    std::size_t requests = 1;                // of servers, that have not ended
    bool is_done = false;
    std::optional<Error> failure;
    std::optional<std::uint64_t> file_bytes;

private:
    const std::shared_ptr<State> state_;
    std::vector<std::uint64_t> offsets_;
    const bool keeps_;
};

// What requests and readers share. It outlives them until the last request has ended.
struct UnitRequests::State {
    std::unique_ptr<KeptBytes> kept;
    std::mutex mutex;
    std::condition_variable changed;
    std::map<std::uint64_t, std::shared_ptr<Flight>> flights;  // units under way, by offset
};

UnitRequests::Flight::Flight(std::shared_ptr<State> state, const std::vector<ServerUnit>& units, bool keeps)
    : state_(std::move(state)), keeps_(keeps) {
    for (const ServerUnit& unit : units)
        offsets_.push_back(unit.offset);
}

void UnitRequests::Flight::begin(std::uint64_t size) {
    const std::scoped_lock lock(state_->mutex);
    file_bytes = size;
}

void UnitRequests::Flight::take(const ServerUnit& unit, std::vector<std::byte> bytes) {
    if (keeps_)
        state_->kept->write(unit.offset, bytes);
    auto shared = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    {
        const std::scoped_lock lock(state_->mutex);
        arrived.emplace(unit.offset, std::move(shared));
    }
    state_->changed.notify_all();
}

void UnitRequests::Flight::end(Status result) {
    {
        const std::scoped_lock lock(state_->mutex);
        if (!result)
            failure = std::move(result).error();
        if (--requests != 0)
            return;
        is_done = true;
        for (const std::uint64_t offset : offsets_)
            if (const auto found = state_->flights.find(offset);
                found != state_->flights.end() && found->second.get() == this)
                state_->flights.erase(found);
    }
    state_->changed.notify_all();
}

std::vector<ServerUnit> UnitRequests::Flight::adopt(std::vector<ServerUnit> units) {
    std::vector<ServerUnit> rest;
    for (ServerUnit& unit : units) {
        std::vector<std::byte> bytes(unit.length_bytes);
        if (!state_->kept->read(unit.offset, bytes) || !unit.is_right(bytes)) {
            rest.push_back(std::move(unit));
            continue;
        }
        const std::scoped_lock lock(state_->mutex);
        arrived.emplace(unit.offset, std::make_shared<const std::vector<std::byte>>(std::move(bytes)));
    }
    return rest;
}

UnitRequests::UnitRequests(std::unique_ptr<KeptBytes> kept, std::shared_ptr<ServerQueue> queue,
                           std::vector<std::string> urls)
    : state_(std::make_shared<State>()),
      queue_(std::move(queue)),
      urls_(std::make_shared<const std::vector<std::string>>(std::move(urls))) {
    state_->kept = std::move(kept);
}

KeptBytes& UnitRequests::kept() const noexcept { return *state_->kept; }

void UnitRequests::prefer(std::size_t server, std::uint64_t file_bytes) {
    std::vector<std::string> urls(*urls_);
    std::rotate(urls.begin(), urls.begin() + static_cast<std::ptrdiff_t>(server), urls.end());
    urls_ = std::make_shared<const std::vector<std::string>>(std::move(urls));
    file_bytes_ = file_bytes;
}

Result<UnitRequests::Received> UnitRequests::fetch_unproved(std::size_t server, std::uint64_t offset,
                                                            std::uint32_t length_bytes,
                                                            std::optional<std::uint64_t> file_bytes) const {
    std::vector<ServerUnit> units{{.offset = offset, .length_bytes = length_bytes, .is_right = {}, .block_hash = {}}};
    const auto flight = std::make_shared<Flight>(state_, units, false);
    queue_->submit({.urls = std::make_shared<const std::vector<std::string>>(1, (*urls_)[server]),
                    .units = std::move(units),
                    .file_bytes = file_bytes,
                    .priority = kNeededPriority,
                    .reply = flight});
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [&] { return flight->is_done; });
    if (flight->failure)
        return *flight->failure;
    return Received{.bytes = flight->arrived.at(offset), .file_bytes = flight->file_bytes.value_or(0)};
}

// Starts requests for those units that are not under way. With the state's lock held; submit() follows without it.
std::vector<UnitRequests::Started> UnitRequests::start(std::vector<ServerUnit> units,
                                                       std::uint64_t request_bytes_max) const {
    std::erase_if(units, [&](const ServerUnit& unit) { return state_->flights.contains(unit.offset); });
    std::ranges::sort(units, {}, &ServerUnit::offset);
    std::vector<Started> started;
    for (ServerUnit& unit : units) {
        const bool joins = !started.empty() && unit.offset - started.back().units.back().end() <= kJoinedGap &&
                           unit.end() - started.back().units.front().offset <= request_bytes_max;
        if (!joins)
            started.emplace_back();
        started.back().units.push_back(std::move(unit));
    }
    for (Started& one : started) {
        one.flight = std::make_shared<Flight>(state_, one.units, true);
        for (const ServerUnit& unit : one.units)
            state_->flights.emplace(unit.offset, one.flight);
    }
    return started;
}

void UnitRequests::submit(std::vector<Started> started, RequestPriority priority) const {
    for (Started& one : started) {
        for (const ServerUnit& unit : one.units)
            if (unit.block_hash && bring_)
                bring_(unit);
        // What the store has by now, perhaps from other bundles, is not requested.
        std::vector<std::vector<ServerUnit>> runs = runs_of(one.flight->adopt(std::move(one.units)));
        if (runs.empty()) {
            one.flight->end(ok());
            continue;
        }
        {
            const std::scoped_lock lock(state_->mutex);
            one.flight->requests = runs.size();
        }
        for (std::vector<ServerUnit>& units : runs)
            queue_->submit({.urls = urls_,
                            .units = std::move(units),
                            .file_bytes = file_bytes_,
                            .priority = priority,
                            .reply = one.flight});
    }
}

void UnitRequests::request(std::vector<ServerUnit> units, RequestPriority priority) const {
    std::vector<Started> started;
    {
        const std::scoped_lock lock(state_->mutex);
        started = start(std::move(units), kAheadRequestBytes);
    }
    submit(std::move(started), priority);
}

void UnitRequests::wait_until_idle() const {
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [&] { return state_->flights.empty(); });
}

Result<std::map<std::uint64_t, UnitRequests::Bytes>> UnitRequests::obtain(const std::vector<ServerUnit>& needed,
                                                                          const std::vector<ServerUnit>& also) const {
    std::map<std::uint64_t, Bytes> bytes;
    if (needed.empty())
        return bytes;
    std::vector<std::pair<std::uint64_t, std::shared_ptr<Flight>>> waits;
    std::vector<Started> started;
    {
        const std::scoped_lock lock(state_->mutex);
        std::vector<ServerUnit> units = needed;
        units.insert(units.end(), also.begin(), also.end());
        started = start(std::move(units), kNeededRequestBytes);
        for (const ServerUnit& unit : needed)
            waits.emplace_back(unit.offset, state_->flights.at(unit.offset));
    }
    submit(std::move(started), kNeededPriority);
    for (const auto& [offset, flight] : waits)
        queue_->raise(*flight, kNeededPriority);
    std::unique_lock lock(state_->mutex);
    for (const auto& wait : waits) {
        const Flight& flight = *wait.second;
        state_->changed.wait(lock, [&] { return flight.is_done || flight.arrived.contains(wait.first); });
        const auto arrived = flight.arrived.find(wait.first);
        if (arrived == flight.arrived.end())
            return as_unreachable(flight.failure);
        bytes.emplace(wait.first, arrived->second);
    }
    return bytes;
}

}  // namespace fardel
