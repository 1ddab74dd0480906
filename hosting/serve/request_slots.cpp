#include "serve/request_slots.h"

#include <algorithm>
#include <utility>

namespace fardel {

RequestSlots::Slot::Slot(Slot&& other) noexcept : slots_(std::exchange(other.slots_, nullptr)), entry_(other.entry_) {}

RequestSlots::Slot::~Slot() {
    if (slots_ == nullptr)
        return;
    const std::scoped_lock lock(slots_->mutex_);
    if (!entry_->has_ended)
        slots_->give_back(*entry_);
    slots_->entries_.erase(entry_);
}

void RequestSlots::Slot::count_received(std::uint64_t bytes) {
    const std::scoped_lock lock(slots_->mutex_);
    entry_->received_bytes += bytes;
}

void RequestSlots::Slot::complete() {
    const std::scoped_lock lock(slots_->mutex_);
    entry_->is_complete = true;
}

std::optional<RequestSlots::Slot> RequestSlots::acquire(std::vector<std::string> clients, std::function<void()> end,
                                                        SteadyTime now) {
    std::erase(clients, std::string());
    const std::scoped_lock lock(mutex_);
    for (const std::string& client : clients)
        if (const auto own = of_clients_.find(client); own != of_clients_.end() && own->second >= client_max_)
            return std::nullopt;
    if (all_ >= all_max_) {
        const auto slowest = find_slowest(now);
        if (slowest == entries_.end())
            return std::nullopt;
        this->end(*slowest);
    }
    ++all_;
    for (const std::string& client : clients)
        ++of_clients_[client];
    entries_.push_back({.clients = std::move(clients), .end = std::move(end), .since = now});
    return Slot(*this, std::prev(entries_.end()));
}

bool RequestSlots::end_slower_than(const Slot& slot, SteadyTime now) {
    const std::scoped_lock lock(mutex_);
    const auto slowest = find_slowest(now);
    if (slowest == entries_.end() || slowest == slot.entry_ || slot.entry_->has_ended)
        return false;
    end(*slowest);
    return true;
}

// Bytes per second. Whoever has just begun is not quicker than others because of a single packet.
double RequestSlots::rate_of(const Entry& entry, SteadyTime now) {
    const std::chrono::duration<double> age = std::max<SteadyClock::duration>(now - entry.since, kSlotGrace);
    return static_cast<double>(entry.received_bytes) / age.count();
}

std::list<RequestSlots::Entry>::iterator RequestSlots::find_slowest(SteadyTime now) {
    auto slowest = entries_.end();
    for (auto one = entries_.begin(); one != entries_.end(); ++one)
        if (!one->is_complete && !one->has_ended &&
            (slowest == entries_.end() || rate_of(*one, now) < rate_of(*slowest, now)))
            slowest = one;
    // If the slowest one has just begun, nobody ends: those who begin again and again would otherwise push out whoever
    // has been sending quickly for a while.
    const bool is_young = slowest != entries_.end() && now - slowest->since < kSlotGrace;
    return is_young ? entries_.end() : slowest;
}

// The slot is free at once; the entry stays until its request has ended.
void RequestSlots::end(Entry& entry) {
    entry.has_ended = true;
    give_back(entry);
    entry.end();
}

void RequestSlots::give_back(const Entry& entry) {
    --all_;
    for (const std::string& client : entry.clients)
        if (const auto found = of_clients_.find(client); --found->second == 0)
            of_clients_.erase(found);
}

}  // namespace fardel
