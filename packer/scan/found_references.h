// FoundReferences: collects what a scanner finds, each once, up to the limits.
#pragma once

#include <fardel/packer/references.h>

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
    // `asset`: where the asset's bytes begin, when the places of spellings are wanted.
    explicit FoundReferences(const char* asset = nullptr) : asset_(asset) {}

    // The first finding of a spelling counts; a later one that is not optional makes it not optional. An empty spelling
    // is no reference. `at`: the bytes of the asset that spell it; empty: none do as such. Errors: limit.
    Status add(FoundReference reference, std::string_view at = {});
    // What is added from here on belongs to that definition.
    Status add_definition(std::string_view name);

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
        std::size_t place;
        bool operator<(const Seen& other) const { return key < other.key; }
    };

    Status add_place(std::size_t reference, std::string_view at);

    const char* asset_;
    ScanFindings findings_;
    std::uint32_t definition_ = kNoDefinition;
    std::set<Seen> seen_;
};

}  // namespace fardel
