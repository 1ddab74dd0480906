// FoundReferences: collects the findings of a scanner, without duplicates and up to the limits.
#pragma once

#include <fardel/base/result.h>
#include <fardel/packer/asset_scan.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {

class FoundReferences {
public:
    // `asset`: the first byte of the asset if the locations of spellings are requested; otherwise nullptr.
    explicit FoundReferences(const char* asset = nullptr) : asset_(asset) {}

    // Ignores an empty spelling. A reference that was added before is kept as it was, but is no longer optional if the
    // new one is not. `at`: the bytes of the asset that are the spelling; empty if it does not occur literally. Errors:
    // limit.
    Status add(FoundReference reference, std::string_view at = {});
    // A name that a reading of a statement gives, and the bytes of the asset that are this name, as in add().
    struct ReadName {
        std::string spelling;
        std::string_view at;
        bool operator==(const ReadName& other) const { return spelling == other.spelling; }
    };
    using Reading = std::vector<ReadName>;
    // `text`: the whole statement; a statement of the same text and use counts once. `like`: what all references of it
    // have in common. Readings that are empty, or equal an earlier one, are none. Errors: limit.
    Status add_statement(std::string_view text, const std::vector<Reading>& readings, const FoundReference& like);
    // References that are added after this belong to that definition.
    Status add_definition(std::string_view name);

    // Both bounded as add() is.
    Status add_macro(MacroDefinition macro);
    Status add_by_macro(FoundReference reference);
    // Why a part of the asset was not read. Those beyond kMistakesPerAssetMax are not kept.
    void add_mistake(const Error& mistake);
    std::size_t mistake_count() const { return mistakes_; }
    const ScanFindings& findings() const { return findings_; }

    ScanFindings take() && { return std::move(findings_); }

private:
    struct Key {
        std::string spelling;
        ReferenceUse use;
        ReferenceForm form;
        std::uint32_t defined_in;
        std::uint32_t statement;
        std::uint32_t reading;
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
    std::map<std::pair<std::string, ReferenceUse>, std::uint32_t> statements_;  // their numbers
    std::size_t mistakes_ = 0;
};

}  // namespace fardel
