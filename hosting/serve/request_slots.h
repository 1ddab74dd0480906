// RequestSlots: limits how many requests of one kind are under way at a time, over all clients and for each client. So
// no client alone keeps others waiting, however slowly it sends or reads. Any thread.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace fardel {

// Of questions. A client that is not known has no limit of its own.
inline constexpr unsigned kSlotsOfClientMax = 4;

class RequestSlots {
public:
    RequestSlots(unsigned all_max, unsigned client_max) : all_max_(all_max), client_max_(client_max) {}

    // Lasts until the object is destroyed.
    class Slot {
    public:
        Slot(Slot&& other) noexcept;
        Slot& operator=(Slot&&) = delete;
        ~Slot();

    private:
        friend class RequestSlots;
        Slot(RequestSlots& slots, std::string client);
        RequestSlots* slots_;
        std::string client_;
    };

    // `client`: ReceivedRequest::client. Nothing: too many are under way. `this` outlives the slot.
    std::optional<Slot> acquire(std::string_view client);

private:
    void release(const std::string& client);

    const unsigned all_max_;
    const unsigned client_max_;
    std::mutex mutex_;
    unsigned all_ = 0;
    std::unordered_map<std::string, unsigned> of_clients_;  // those that are known and have any
};

}  // namespace fardel
