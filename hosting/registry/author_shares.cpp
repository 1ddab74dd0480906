#include "registry/author_shares.h"

#include <algorithm>
#include <string>
#include <utility>

namespace fardel {

std::uint64_t AuthorShares::Room::used_by(const PublicKey& author) const {
    const auto found = by_author.find(author);
    return found == by_author.end() ? 0 : found->second;
}

AuthorShares::AuthorShares(const Catalogue& catalogue, const std::optional<ChannelRelease>& release,
                           const RegistryRules& rules)
    : named_(rules.named_keys()) {
    find_early(catalogue, release);
    if (!release)
        return;
    for (const ReleasedBundle& one : release->bundles) {
        const CatalogueEntry* const entry = catalogue.find(one.bundle);
        use(bundles_, entry != nullptr ? &entry->author : nullptr, 1);
        if (entry != nullptr)
            use(needs_bytes_, &entry->author, entry->needs.needs_bytes);
    }
    for (const Revocation<BundleId>& one : release->recalled_bundles) {
        const CatalogueEntry* const entry = catalogue.find(one.id);
        use(recalls_, entry != nullptr ? &entry->author : nullptr, 1);
    }
}

// Those who came first, by the dates of countersignatures. What is reserved to a key that is recalled, the next one
// gets.
void AuthorShares::find_early(const Catalogue& catalogue, const std::optional<ChannelRelease>& release) {
    std::map<PublicKey, UnixTime> first;
    for (const auto& [id, entry] : catalogue.entries())
        if (!is_named(entry.author)) {
            const auto [at, is_new] = first.emplace(entry.author, entry.accepted);
            at->second = std::min(at->second, entry.accepted);
        }
    if (release)
        for (const Revocation<PublicKey>& one : release->recalled_keys) {
            first.erase(one.id);
            recalled_.push_back(one.id);
        }
    std::ranges::sort(recalled_);
    std::vector<std::pair<UnixTime, PublicKey>> authors;
    for (const auto& [key, time] : first)
        authors.emplace_back(time, key);
    std::ranges::sort(authors);
    authors.resize(std::min(authors.size(), kRegistryEarlyAuthorsMax));
    for (const auto& [time, key] : authors)
        early_.push_back(key);
    std::ranges::sort(early_);
}

bool AuthorShares::is_named(const PublicKey& author) const { return std::ranges::binary_search(named_, author); }

// Also one who has brought nothing yet, while fewer than these have.
bool AuthorShares::is_early(const PublicKey& author) const {
    return std::ranges::binary_search(early_, author) ||
           (early_.size() < kRegistryEarlyAuthorsMax && !std::ranges::binary_search(recalled_, author));
}

std::uint64_t AuthorShares::unused_by(const Room& room, const PublicKey& author, std::uint64_t used) const {
    return is_early(author) ? room.limits.reserved - std::min(used, room.limits.reserved) : 0;
}

void AuthorShares::use(Room& room, const PublicKey* author, std::uint64_t amount) {
    room.all += amount;
    if (author != nullptr && is_named(*author))
        return;
    room.strangers += amount;
    if (author == nullptr)
        return;
    std::uint64_t& used = room.by_author[*author];
    room.unused -= unused_by(room, *author, used);
    used += amount;
    room.unused += unused_by(room, *author, used);
}

// What is reserved to an early author and not used yet is taken by nobody else, however many keys there are: so an
// author who was there is not refused because strangers came.
std::optional<RegistryRefusal> AuthorShares::refuse(const Room& room, const PublicKey& author, std::uint64_t amount,
                                                    std::string_view what, std::string_view reason) const {
    const RegistryRoom& limits = room.limits;
    const std::string of_what = " " + std::string(what);
    const auto full = [&](std::uint64_t used, std::uint64_t limit, std::string_view whose) {
        return RegistryRefusal{std::string(reason),
                               {},
                               "there is room for " + std::to_string(limit) + of_what + " " + std::string(whose) +
                                   ", and " + std::to_string(used) + " are in use or reserved; ask the operator"};
    };
    if (room.all + amount > limits.all)
        return full(room.all, limits.all, "of all authors");
    if (is_named(author))
        return std::nullopt;
    const std::uint64_t used = room.used_by(author);
    if (used + amount > limits.share)
        return RegistryRefusal{reason == "recalls-full" ? std::string(reason) : "key-full",
                               {},
                               "with this one, your bundles would have " + std::to_string(used + amount) + of_what +
                                   ", and each author may have " + std::to_string(limits.share) +
                                   "; ask the operator for more"};
    if (is_early(author) && used + amount <= limits.reserved)
        return std::nullopt;
    const std::uint64_t others = room.unused - unused_by(room, author, used);
    const std::uint64_t own = unused_by(room, author, used + amount);
    if (room.strangers + amount + others + own > limits.strangers)
        return full(room.strangers + room.unused, limits.strangers, "of authors whom its rules do not name");
    return std::nullopt;
}

std::optional<RegistryRefusal> AuthorShares::refuse_bundle(const PublicKey& author, std::uint64_t needs_bytes) const {
    if (auto refused = refuse(bundles_, author, 1, "bundles in a release", "registry-full"))
        return refused;
    return refuse(needs_bytes_, author, needs_bytes, "bytes of requirements", "registry-full");
}

std::optional<RegistryRefusal> AuthorShares::refuse_recall(const PublicKey& author) const {
    return refuse(recalls_, author, 1, "recalls", "recalls-full");
}

void AuthorShares::add_bundle(const PublicKey& author, std::uint64_t needs_bytes) {
    use(bundles_, &author, 1);
    use(needs_bytes_, &author, needs_bytes);
}

}  // namespace fardel
