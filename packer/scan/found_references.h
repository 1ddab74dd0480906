// FoundReferences: collects the findings of a scanner, without duplicates and up to the limits.
#pragma once

#include <fardel/base/result.h>
#include <fardel/packer/asset_scan.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace fardel {

class FoundReferences {
public:
    // `asset`: the first byte of the asset if the locations of spellings are requested; otherwise nullptr.
    explicit FoundReferences(const char* asset = nullptr) : asset_(asset) {}

    // Ignores an empty spelling. A reference that was added before is kept as it was, but is no longer optional if the
    // new one is not. `at`: the bytes of the asset that are the spelling; empty if it does not occur literally. Errors:
    // limit.
    Status add(FoundReference reference, std::string_view at = {});
    // References that are added after this belong to that definition.
    Status add_definition(std::string_view name);

    // Both bounded as add() is.
    Status add_macro(MacroDefinition macro);
    Status add_by_macro(FoundReference reference);

    ScanFindings take() && { return std::move(findings_); }

private:
    struct Key {
        std::string spelling;
        ReferenceUse use;
        ReferenceForm form;
        std::uint32_t defined_in;
        auto operator<=>(const Key&) const = default;
    };
    struct Seen {
        Key key;
        std::size_t index;  // into ScanFindings::references
        bool operator<(const Seen& other) const { return key < other.key; }
    };

    Status add_location(std::size_t reference, std::string_view at);

    const char* asset_;
    ScanFindings findings_;
    std::uint32_t definition_ = kNoDefinition;
    std::set<Seen> seen_;
};

}  // namespace fardel
