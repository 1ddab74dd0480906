// The names of a bundle that a PATH on the command line means, with their assets and variants.
#pragma once

#include <fardel/format/bundle.h>
#include <fardel/format/manifest.h>
#include <fardel/format/tag.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace fardel {

// The names with indexes from `first` up to, but without, `last`. Names are in the byte order of their texts.
struct NameRange {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    bool published_only = false;  // the path began with '/'
};

// All names for an empty path; otherwise one name, or all names of a folder. Errors: unresolved (no such name or
// folder), malformed, limit, those of the bundle.
Result<NameRange> find_names_at(const Bundle& bundle, std::string_view path);

struct ListedVariant {
    AssetIndex index{};
    AssetRecord asset;
    std::string_view type;
    TagViews tags;
};

struct ListedName {
    std::string_view text;  // well formed
    NameRecord record;
    // The first is the default. A plain name has one without tags, a tombstone has none.
    std::vector<ListedVariant> variants;
};

// Views live as long as the bundle. Errors: malformed (also for an invalid name), corrupt, io.
Result<std::string_view> name_text_at(const Bundle& bundle, std::uint32_t index);
Result<ListedName> name_at(const Bundle& bundle, std::uint32_t index);

}  // namespace fardel
