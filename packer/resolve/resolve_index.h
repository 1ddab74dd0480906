// ResolveIndex: finds the names of a plan, and the shaders that its scripts define.
//
// All look-ups fold case. The plan outlives the index; returned views live as long as the index.
#pragma once

#include <fardel/format/bundle_plan.h>
#include <fardel/packer/game_profile.h>
#include <fardel/packer/index.h>
#include <fardel/packer/resolve.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fardel {

// One shader of a script.
struct Definition {
    std::uint32_t asset = 0;
    std::uint32_t number = 0;  // in its ScanFindings::defines
};

class ResolveIndex {
public:
    // The arguments were checked by resolve_plan: all indices are in range.
    ResolveIndex(const BundlePlan& plan, std::span<const AssetScan> scans, const GameProfile& profile);

    // Why the game does not read the asset where it lies; nullptr if it does.
    const Placement* misplaced(std::uint32_t asset) const { return misplaced_[asset]; }

    // Nothing for a tombstone.
    std::optional<std::uint32_t> find_name(std::string_view name) const;
    // The definitions of all assets, in the order of the assets.
    const IndexedList<Definition, DefinitionIndex>& definitions() const noexcept { return definitions_; }
    DefinitionIndex definition_at(std::uint32_t asset, std::uint32_t number) const {
        return DefinitionIndex{first_definitions_[asset] + number};
    }
    // Per script its first definition of that name. If the profile
    // says so, the script that is listed last comes first; otherwise the one whose name is last in byte order. Scripts
    // that the game does not read define nothing.
    std::span<const DefinitionIndex> find_definitions(std::string_view shader) const;
    // The names of the asset, in byte order.
    std::span<const std::uint32_t> names_of(std::uint32_t asset) const;
    // The first name of the asset; if it has none, its key.
    std::string_view name_of(std::uint32_t asset) const;

private:
    const BundlePlan& plan_;
    std::unordered_map<std::string, std::uint32_t> names_;
    std::vector<const Placement*> misplaced_;  // per asset
    std::vector<std::uint32_t> asset_names_;
    std::vector<std::uint32_t> first_names_;  // per asset an index into asset_names_, and the end
    IndexedList<Definition, DefinitionIndex> definitions_;
    std::vector<std::uint32_t> first_definitions_;
    std::unordered_map<std::string, std::vector<DefinitionIndex>> shaders_;
};

}  // namespace fardel
