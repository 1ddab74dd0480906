#include "serve/connection_table.h"

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kEndingMax = 64;
constexpr std::chrono::seconds kSlowestKept{1};

}  // namespace

bool ConnectionTable::accept(int socket, const std::string& group, bool is_loopback, SteadyTime now) {
    const std::scoped_lock lock(mutex_);
    // The descriptor of a connection that ended before anybody could say so has a new owner.
    if (const auto stale = connections_.find(socket); stale != connections_.end()) {
        if (stale->second.phase == Phase::waiting && !stale->second.is_ending)
            waiting_.erase(stale->second.place);
        leave(stale->second.group);
        connections_.erase(stale);
    }
    if ((limits(is_loopback) && is_full(group)) || drains_) {
        ++counts_.refused;
        return false;
    }
    if (connections_.size() >= limits_.connections_max) {
        // The connection that has been idle longest makes room, or anybody could hold all places by asking nothing
        // (tests/ATTACKS.md, A82).
        if (!waiting_.empty()) {
            end(waiting_.front(), connections_.at(waiting_.front()));
        } else if (!end_slowest(now)) {
            ++counts_.refused;
            return false;
        }
        ++counts_.displaced;
    }
    Connection& connection = connections_[socket];
    connection.group = group;
    connection.since = now;
    connection.place = waiting_.insert(waiting_.end(), socket);
    join(group);
    ++counts_.accepted;
    return true;
}

// Those above the limit are ending, or others would have been refused.
bool ConnectionTable::is_crowded() const {
    const std::scoped_lock lock(mutex_);
    return connections_.size() >= limits_.connections_max + kEndingMax;
}

void ConnectionTable::remove(int socket) {
    const std::scoped_lock lock(mutex_);
    const auto found = connections_.find(socket);
    if (found == connections_.end())
        return;
    if (found->second.phase == Phase::waiting && !found->second.is_ending)
        waiting_.erase(found->second.place);
    leave(found->second.group);
    connections_.erase(found);
}

bool ConnectionTable::begin_request(int socket, SteadyTime now) {
    const std::scoped_lock lock(mutex_);
    const auto found = connections_.find(socket);
    if (found == connections_.end())
        return false;
    enter_phase(socket, found->second, Phase::receiving, now);
    return ++found->second.requests < limits_.requests_max && !drains_;
}

bool ConnectionTable::claim(int socket, const std::string& group) {
    const std::scoped_lock lock(mutex_);
    const auto found = connections_.find(socket);
    if (found == connections_.end() || is_full(group))
        return false;
    leave(found->second.group);
    join(group);
    found->second.group = group;
    found->second.is_claimed = true;
    return true;
}

bool ConnectionTable::is_full(const std::string& group) const {
    const auto members = groups_.find(group);
    return limits_.group_max != 0 && members != groups_.end() && members->second >= limits_.group_max;
}

void ConnectionTable::join(const std::string& group) {
    if (!group.empty())
        ++groups_[group];
}

void ConnectionTable::leave(const std::string& group) {
    if (const auto members = groups_.find(group); members != groups_.end() && --members->second == 0)
        groups_.erase(members);
}

void ConnectionTable::count_received(int socket, std::uint64_t bytes) {
    const std::scoped_lock lock(mutex_);
    if (const auto found = connections_.find(socket); found != connections_.end())
        found->second.received_bytes += bytes;
}

void ConnectionTable::begin_work(int socket) {
    const std::scoped_lock lock(mutex_);
    if (const auto found = connections_.find(socket); found != connections_.end())
        enter_phase(socket, found->second, Phase::working, found->second.since);
}

void ConnectionTable::begin_answer(int socket, SteadyTime now) {
    const std::scoped_lock lock(mutex_);
    if (const auto found = connections_.find(socket); found != connections_.end())
        enter_phase(socket, found->second, Phase::answering, now);
}

void ConnectionTable::end_request(int socket, SteadyTime now) {
    const std::scoped_lock lock(mutex_);
    const auto found = connections_.find(socket);
    if (found == connections_.end())
        return;
    enter_phase(socket, found->second, Phase::waiting, now);
    if (std::exchange(found->second.is_claimed, false))
        leave(std::exchange(found->second.group, {}));
}

// Or else so many as there are places could keep all others out by moving just more than the limit
// (tests/ATTACKS.md, A145).
bool ConnectionTable::end_slowest(SteadyTime now) {
    if (now - slowest_found_ >= kSlowestKept)
        find_slowest(now);
    while (!slowest_.empty()) {
        const Slow slow = slowest_.back();
        slowest_.pop_back();
        const auto found = connections_.find(slow.socket);
        if (found == connections_.end() || found->second.is_ending || found->second.phase_since != slow.phase_since)
            continue;
        end(slow.socket, found->second);
        return true;
    }
    return false;
}

// Asks the system about each connection, so new connections do it once per second, however many come.
void ConnectionTable::find_slowest(SteadyTime now) {
    struct Rated {
        double rate = 0;
        Slow slow;
    };
    std::vector<Rated> moving;
    for (const auto& [socket, connection] : connections_) {
        if (connection.is_ending || (connection.phase != Phase::receiving && connection.phase != Phase::answering))
            continue;
        const std::chrono::duration<double> age =
            std::max<SteadyClock::duration>(now - connection.phase_since, limits_.grace);
        const std::uint64_t moved = moved_bytes(socket, connection).value_or(connection.phase_start);
        moving.push_back({static_cast<double>(moved - std::min(moved, connection.phase_start)) / age.count(),
                          {socket, connection.phase_since}});
    }
    std::ranges::sort(moving, {}, &Rated::rate);
    slowest_.clear();
    for (const Rated& one : moving) {
        // While one that has just begun is among the slowest, no quicker one ends: see RequestSlots.
        if (slowest_.size() == kEndingMax || now - one.slow.phase_since < limits_.grace)
            break;
        slowest_.push_back(one.slow);
    }
    std::ranges::reverse(slowest_);
    slowest_found_ = now;
}

void ConnectionTable::enter_phase(int socket, Connection& connection, Phase phase, SteadyTime now) {
    if (connection.phase == Phase::waiting && !connection.is_ending)
        waiting_.erase(connection.place);
    connection.phase = phase;
    connection.since = now;
    if (phase == Phase::waiting) {
        if (!connection.is_ending)
            connection.place = waiting_.insert(waiting_.end(), socket);
    } else {
        connection.window_start = moved_bytes(socket, connection).value_or(0);
        connection.phase_since = now;
        connection.phase_start = connection.window_start;
    }
}

void ConnectionTable::end(int socket) {
    const std::scoped_lock lock(mutex_);
    if (const auto found = connections_.find(socket); found != connections_.end())
        end(socket, found->second);
}

void ConnectionTable::end(int socket, Connection& connection) {
    if (connection.is_ending)
        return;
    if (connection.phase == Phase::waiting)
        waiting_.erase(connection.place);
    connection.is_ending = true;
    // Not closed: the library does that, and a number that is free too early would belong to the next connection.
    calls_.shut_down(socket);
}

std::optional<std::uint64_t> ConnectionTable::moved_bytes(int socket, const Connection& connection) const {
    // Of an answer, what the client has acknowledged: the system takes bytes for a client that reads none.
    return connection.phase == Phase::receiving ? connection.received_bytes : calls_.acknowledged_bytes(socket);
}

void ConnectionTable::sweep(SteadyTime now) {
    const std::scoped_lock lock(mutex_);
    while (!waiting_.empty()) {
        const int socket = waiting_.front();
        Connection& connection = connections_.at(socket);
        if (now - connection.since < limits_.request_timeout)
            break;
        ++counts_.silent;
        end(socket, connection);
    }
    for (auto& [socket, connection] : connections_) {
        const bool moves = connection.phase == Phase::receiving || connection.phase == Phase::answering;
        if (!moves || connection.is_ending || now - connection.since < limits_.rate_window)
            continue;
        const auto moved = moved_bytes(socket, connection);
        if (moved && *moved - connection.window_start < limits_.window_bytes_min) {
            ++counts_.slow;
            end(socket, connection);
            continue;
        }
        connection.window_start = moved.value_or(0);
        connection.since = now;
    }
}

void ConnectionTable::drain() {
    const std::scoped_lock lock(mutex_);
    drains_ = true;
    while (!waiting_.empty())
        end(waiting_.front(), connections_.at(waiting_.front()));
}

bool ConnectionTable::is_draining() const {
    const std::scoped_lock lock(mutex_);
    return drains_;
}

ConnectionCounts ConnectionTable::counts() const {
    const std::scoped_lock lock(mutex_);
    ConnectionCounts counts = counts_;
    counts.open = connections_.size();
    counts.waiting = waiting_.size();
    return counts;
}

}  // namespace fardel
