// Replaces spellings in the bytes of a text asset, and proves that its scanners then find the new ones. Pure.
#pragma once

#include "scan/pattern_scanner.h"

#include <fardel/base/result.h>
#include <fardel/packer/project_references.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace fardel {

struct Replacement {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    std::string text;
};

// `replacements`: by offset, not overlapping.
std::vector<std::byte> with_replacements(std::span<const std::byte> bytes, std::span<const Replacement> replacements);

using ReferenceKey = std::tuple<std::string, ReferenceUse, ReferenceForm>;
ReferenceKey key_of(const FoundReference& reference);

using Spellings = std::map<ReferenceKey, std::string>;  // the new spelling of each reference

// The scanners that report where a spelling is.
using PatternScanners = std::vector<std::pair<const ProjectScanner*, PatternScanner>>;

struct ReplacedText {
    std::vector<Replacement> replacements;  // none: the text stays as it is
    std::vector<std::byte> bytes;
    Spellings spellings;  // without those of references that do not occur literally in the text
};

// `name` and `content_type` of the text decide which scanners read it. Errors: unsupported (the text cannot contain a
// new spelling), conflict (one location is replaced in two ways), those of scanning.
Result<ReplacedText> replace_spellings(std::string_view name, std::string_view content_type,
                                       std::span<const std::byte> bytes, const PatternScanners& patterns,
                                       Spellings spellings, const GameProfile& profile = no_profile());

}  // namespace fardel
