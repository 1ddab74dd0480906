// RequestSlots: limits how many requests of one kind are under way at a time, over all clients and for each client.
// While all slots are taken, a new request gets the slot of the one whose body comes slowest. So nobody keeps others
// waiting, however slowly he sends, and however many he is. Time is an argument. Any thread.
#pragma once

#include <fardel/base/clock.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace fardel {

// Of questions. A client that is not known has no limit of its own.
inline constexpr unsigned kSlotsOfClientMax = 4;
inline constexpr std::chrono::seconds kSlotGrace{10};  // for so long, no request loses its slot

class RequestSlots {
    struct Entry;

public:
    RequestSlots(unsigned all_max, unsigned client_max) : all_max_(all_max), client_max_(client_max) {}

    // Lasts until the object is destroyed, or a new request gets it.
    class Slot {
    public:
        Slot(Slot&& other) noexcept;
        Slot& operator=(Slot&&) = delete;
        ~Slot();

        // Bytes of the body came.
        void count_received(std::uint64_t bytes);
        // The body has come whole. From now on the request waits for the server, and keeps its slot.
        void complete();

    private:
        friend class RequestSlots;
        Slot(RequestSlots& slots, std::list<Entry>::iterator entry) : slots_(&slots), entry_(entry) {}
        RequestSlots* slots_;
        std::list<Entry>::iterator entry_;
    };

    // `clients`: those that the request counts for, such as ReceivedRequest::client; empty texts count for nobody.
    // `end` is called when another request gets the slot: it ends the request, and does not wait. Returns nothing if a
    // client has too many, or if all slots are taken and none can be given to another. `this` outlives the slot.
    std::optional<Slot> acquire(std::vector<std::string> clients, std::function<void()> end, SteadyTime now);
    // Ends the slowest request if it is slower than the one with this slot, and returns whether it did.
    bool end_slower_than(const Slot& slot, SteadyTime now);

private:
    struct Entry {
        std::vector<std::string> clients;
        std::function<void()> end;
        SteadyTime since;
        std::uint64_t received_bytes = 0;
        bool is_complete = false;
        bool has_ended = false;  // another one has the slot
    };
    static double rate_of(const Entry& entry, SteadyTime now);
    // end(): it is younger than kSlotGrace, or there is none.
    std::list<Entry>::iterator find_slowest(SteadyTime now);
    void end(Entry& entry);
    void give_back(const Entry& entry);

    const unsigned all_max_;
    const unsigned client_max_;
    std::mutex mutex_;
    std::list<Entry> entries_;
    unsigned all_ = 0;
    std::unordered_map<std::string, unsigned> of_clients_;  // those that are known and have any
};

}  // namespace fardel
