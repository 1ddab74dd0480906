// SetOrder: which bundles of a set need which others. A bundle that needs another one is mounted over it, so a name
// that both publish is an intended override.
//
// Reads metadata and dependencies once. What cannot be read is a finding about its bundle and counts as absent.
#pragma once

#include "set_member.h"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace fardel {

class SetOrder {
public:
    explicit SetOrder(std::span<const SetMember> members);

    // Whether one of the two members needs the other, by a dependency or a requirement, directly or through members.
    bool has_order(std::size_t a, std::size_t b) const { return needs_[a][b] || needs_[b][a]; }
    // Whether they are versions of one bundle, by their names, or the same file twice.
    bool is_one_bundle(std::size_t a, std::size_t b) const {
        return ids_[a] == ids_[b] || (!titles_[a].empty() && titles_[a] == titles_[b]);
    }

private:
    std::vector<std::size_t> needed_by(const Bundle& bundle) const;

    std::vector<BundleId> ids_;
    std::vector<std::string_view> titles_;  // names from the metadata; empty: none
    std::vector<std::vector<bool>> needs_;  // [member][needed member]
};

}  // namespace fardel
