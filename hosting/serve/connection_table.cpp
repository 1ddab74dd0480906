#include "serve/connection_table.h"

#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kEndingMax = 64;

}  // namespace

bool ConnectionTable::accept(int socket, const std::string& group, bool is_loopback, SteadyTime now) {
    const std::scoped_lock lock(mutex_);
    // The descriptor of a connection that ended before anybody could say so has a new owner.
    if (const auto stale = connections_.find(socket); stale != connections_.end()) {
        if (stale->second.phase == Phase::waiting && !stale->second.is_ending)
            waiting_.erase(stale->second.place);
        if (--groups_[stale->second.group] == 0)
            groups_.erase(stale->second.group);
        connections_.erase(stale);
    }
    const auto members = groups_.find(group);
    const bool too_many = limits_.group_max != 0 && limits(is_loopback) && members != groups_.end() &&
                          members->second >= limits_.group_max;
    if (too_many || drains_) {
        ++counts_.refused;
        return false;
    }
    if (connections_.size() >= limits_.connections_max) {
        // The connection that has been idle longest makes room, or anybody could hold all places by asking nothing
        // (tests/ATTACKS.md, A82).
        if (waiting_.empty()) {
            ++counts_.refused;
            return false;
        }
        ++counts_.displaced;
        end(waiting_.front(), connections_.at(waiting_.front()));
    }
    Connection& connection = connections_[socket];
    connection.group = group;
    connection.since = now;
    connection.place = waiting_.insert(waiting_.end(), socket);
    ++groups_[group];
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
    if (--groups_[found->second.group] == 0)
        groups_.erase(found->second.group);
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
    if (const auto found = connections_.find(socket); found != connections_.end())
        enter_phase(socket, found->second, Phase::waiting, now);
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
    }
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
