// AuthorShares: what the texts of a registry's channel have room for, and how much of it is left to whom.
//
// Keys are free, so any limit that all authors share could be reached by one person with many keys. So each author has
// a share, all strangers (authors whom no `owner` rule names) together have less than there is, and those who came
// first have something reserved: when the room is full, the newest strangers are refused. Plain values, no I/O.
#pragma once

#include "registry/catalogue.h"

#include <fardel/format/channel.h>
#include <fardel/format/ids.h>
#include <fardel/hosting/registry.h>
#include <fardel/hosting/registry_rules.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace fardel {

class AuthorShares {
public:
    AuthorShares() = default;
    AuthorShares(const Catalogue& catalogue, const std::optional<ChannelRelease>& release, const RegistryRules& rules);

    // Why a bundle cannot become part of the release; nothing if there is room.
    std::optional<RegistryRefusal> refuse_bundle(const PublicKey& author, std::uint64_t needs_bytes) const;
    // Why the author cannot recall one more bundle.
    std::optional<RegistryRefusal> refuse_recall(const PublicKey& author) const;
    // Counts a bundle that becomes part of the release.
    void add_bundle(const PublicKey& author, std::uint64_t needs_bytes);

private:
    // One room: who uses how much of it.
    struct Room {
        RegistryRoom limits;
        std::uint64_t all = 0;
        std::uint64_t strangers = 0;
        std::uint64_t unused = limits.reserved * kRegistryEarlyAuthorsMax;  // of what is reserved
        std::map<PublicKey, std::uint64_t> by_author = {};

        std::uint64_t used_by(const PublicKey& author) const;
    };
    bool is_named(const PublicKey& author) const;
    bool is_early(const PublicKey& author) const;
    void find_early(const Catalogue& catalogue, const std::optional<ChannelRelease>& release);
    // `author`: nullptr if it is not known any more.
    void use(Room& room, const PublicKey* author, std::uint64_t amount);
    std::uint64_t unused_by(const Room& room, const PublicKey& author, std::uint64_t used) const;
    std::optional<RegistryRefusal> refuse(const Room& room, const PublicKey& author, std::uint64_t amount,
                                          std::string_view what, std::string_view reason) const;

    std::vector<PublicKey> named_;  // sorted, as the next two
    std::vector<PublicKey> recalled_;
    std::vector<PublicKey> early_;
    Room bundles_{kRegistryBundles};
    Room needs_bytes_{kRegistryNeedsBytes};
    Room recalls_{kRegistryRecalls};
};

}  // namespace fardel
