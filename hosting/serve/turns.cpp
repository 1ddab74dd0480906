#include "serve/turns.h"

#include <utility>

namespace fardel {

Turns::Turn::Turn(Turns& turns, std::string client) : turns_(&turns), client_(std::move(client)) {}
Turns::Turn::Turn(Turn&& other) noexcept
    : turns_(std::exchange(other.turns_, nullptr)), client_(std::move(other.client_)) {}
Turns::Turn::~Turn() {
    if (turns_ != nullptr)
        turns_->give_back(client_);
}

std::optional<Turns::Turn> Turns::take(std::string_view client) {
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
    return Turn(*this, std::move(known));
}

void Turns::give_back(const std::string& client) {
    const std::scoped_lock lock(mutex_);
    --all_;
    if (const auto found = of_clients_.find(client); found != of_clients_.end() && --found->second == 0)
        of_clients_.erase(found);
}

}  // namespace fardel
