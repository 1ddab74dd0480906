// ResolveIndex: what a plan holds, by the names that references look for: its names and the shaders that its scripts
// define.
//
// All look-ups fold case. Views live as long as the index; it keeps views of nothing.
#pragma once

#include <fardel/format/bundle_plan.h>
#include <fardel/packer/resolve.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fardel {

// A shader in a script.
struct Definition {
    std::uint32_t asset = 0;
    std::uint32_t place = 0;  // in its ScanFindings::defines
};

class ResolveIndex {
public:
    // Both as resolve_plan takes them, with indices that are in range.
    ResolveIndex(const BundlePlan& plan, std::span<const ScannedAsset> scanned);

    // Nothing for a tombstone.
    std::optional<std::uint32_t> find_name(std::string_view name) const;
    // Of all assets, in their order.
    std::span<const Definition> definitions() const noexcept { return definitions_; }
    std::uint32_t definition_at(std::uint32_t asset, std::uint32_t place) const {
        return first_definitions_[asset] + place;
    }
    // Indices into definitions(). One a script, its first; the script whose name is the last in byte order leads.
    std::span<const std::uint32_t> find_definitions(std::string_view shader) const;
    // Names behind which the asset stands, in byte order.
    std::span<const std::uint32_t> names_of(std::uint32_t asset) const;
    // The first of those, or its key.
    std::string_view name_of(std::uint32_t asset) const;

private:
    const BundlePlan& plan_;
    std::unordered_map<std::string, std::uint32_t> names_;
    std::vector<std::uint32_t> asset_names_;
    std::vector<std::uint32_t> first_names_;  // of each asset, and the end
    std::vector<Definition> definitions_;
    std::vector<std::uint32_t> first_definitions_;
    std::unordered_map<std::string, std::vector<std::uint32_t>> shaders_;
};

}  // namespace fardel
