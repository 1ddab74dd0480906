#include "serve/delta_demand.h"

#include <fardel/base/text_fields.h>

#include <algorithm>
#include <vector>

namespace fardel {

DeltaDemand DeltaDemand::parse(std::string_view text) {
    DeltaDemand demand;
    while (!text.empty() && demand.pairs_.size() < kDemandedPairsMax) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const auto words = split_text(text.substr(0, end), ' ');
        text.remove_prefix(std::min(end + 1, text.size()));
        if (words.size() != 4)
            continue;
        const auto old_bundle = BundleId::parse(words[0]);
        const auto new_bundle = BundleId::parse(words[1]);
        const auto requests = parse_decimal(words[2], UINT64_MAX);
        const auto bytes = parse_decimal(words[3], UINT64_MAX);
        if (!old_bundle || !new_bundle || !requests || (!bytes && words[3] != "-"))
            continue;
        State& state = demand.pairs_[{*old_bundle, *new_bundle}];
        state.requests = *requests;
        state.delta_bytes = bytes;
    }
    return demand;
}

std::string DeltaDemand::format() const {
    std::string text;
    for (const auto& [pair, state] : pairs_)
        text += pair.old_bundle.hex() + " " + pair.new_bundle.hex() + " " + std::to_string(state.requests) + " " +
                (state.delta_bytes ? std::to_string(*state.delta_bytes) : "-") + "\n";
    return text;
}

void DeltaDemand::count(const DeltaPair& pair, std::string_view client) {
    const auto [found, is_new] = pairs_.try_emplace(pair);
    State& state = found->second;
    if (!client.empty()) {
        if (std::ranges::find(state.clients, client) != state.clients.end())
            return;
        if (state.clients.size() >= kClientsRememberedMax)
            state.clients.erase(state.clients.begin());
        state.clients.emplace_back(client);
    }
    ++state.requests;
    if (!is_new)
        return;
    state.number = added_++;
    if (!client.empty())
        forget_oldest_of(client);
    if (pairs_.size() > kDemandedPairsMax)
        forget_least(found);
}

void DeltaDemand::forget_least(Pairs::iterator added) {
    auto least = pairs_.end();
    for (auto one = pairs_.begin(); one != pairs_.end(); ++one)
        if (one != added && one->second.delta_bytes.value_or(0) == 0 &&
            (least == pairs_.end() || one->second.requests < least->second.requests))
            least = one;
    pairs_.erase(least == pairs_.end() ? added : least);
}

void DeltaDemand::forget_oldest_of(std::string_view client) {
    std::size_t own = 0;
    auto oldest = pairs_.end();
    for (auto one = pairs_.begin(); one != pairs_.end(); ++one) {
        const State& state = one->second;
        if (state.requests != 1 || state.clients.size() != 1 || state.clients.front() != client)
            continue;
        ++own;
        if (oldest == pairs_.end() || state.number < oldest->second.number)
            oldest = one;
    }
    if (own > kPairsOfClientMax)
        pairs_.erase(oldest);
}

std::optional<DeltaPair> DeltaDemand::find_next() const {
    const std::pair<const DeltaPair, State>* best = nullptr;
    for (const auto& one : pairs_)
        if (!one.second.delta_bytes && one.second.requests >= one.second.worth_at &&
            (best == nullptr || one.second.requests > best->second.requests))
            best = &one;
    return best == nullptr ? std::nullopt : std::optional(best->first);
}

void DeltaDemand::settle(const DeltaPair& pair, std::uint64_t delta_bytes) { pairs_[pair].delta_bytes = delta_bytes; }

std::optional<DeltaPair> DeltaDemand::find_surplus(std::uint64_t bytes_max) const {
    if (made_bytes() <= bytes_max)
        return std::nullopt;
    const std::pair<const DeltaPair, State>* least = nullptr;
    for (const auto& one : pairs_)
        if (one.second.delta_bytes.value_or(0) != 0 &&
            (least == nullptr || one.second.requests < least->second.requests))
            least = &one;
    return least == nullptr ? std::nullopt : std::optional(least->first);
}

void DeltaDemand::drop(const DeltaPair& pair) {
    State& state = pairs_[pair];
    state.worth_at = 2 * std::max(state.requests, kDemandWorthMaking);
    state.delta_bytes.reset();
}

std::uint64_t DeltaDemand::made() const noexcept {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(pairs_, [](const auto& one) { return one.second.delta_bytes.value_or(0) != 0; }));
}

std::uint64_t DeltaDemand::made_bytes() const noexcept {
    std::uint64_t bytes = 0;
    for (const auto& [pair, state] : pairs_)
        bytes += state.delta_bytes.value_or(0);
    return bytes;
}

}  // namespace fardel
