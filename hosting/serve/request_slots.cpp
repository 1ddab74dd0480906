#include "serve/request_slots.h"

#include <utility>

namespace fardel {

RequestSlots::Slot::Slot(RequestSlots& slots, std::string client) : slots_(&slots), client_(std::move(client)) {}
RequestSlots::Slot::Slot(Slot&& other) noexcept
    : slots_(std::exchange(other.slots_, nullptr)), client_(std::move(other.client_)) {}
RequestSlots::Slot::~Slot() {
    if (slots_ != nullptr)
        slots_->release(client_);
}

std::optional<RequestSlots::Slot> RequestSlots::acquire(std::string_view client) {
    std::string known(client);
    const std::scoped_lock lock(mutex_);
    if (all_ >= all_max_)
        return std::nullopt;
    if (!known.empty()) {
        unsigned& own = of_clients_[known];  // is not 0 if it was there
        if (own >= client_max_)
            return std::nullopt;
        ++own;
    }
    ++all_;
    return Slot(*this, std::move(known));
}

void RequestSlots::release(const std::string& client) {
    const std::scoped_lock lock(mutex_);
    --all_;
    if (const auto found = of_clients_.find(client); found != of_clients_.end() && --found->second == 0)
        of_clients_.erase(found);
}

}  // namespace fardel
