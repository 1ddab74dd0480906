// The names of a bundle that a PATH of the command line stands for, and what each of them is.
#pragma once

#include <fardel/format/bundle.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {

// Names from `first` to before `last`, in byte order of their texts.
struct NameRange {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    bool published_only = false;  // the path was "/…"
};

// All names for an empty path; the one name, or all of a folder. Errors: unresolved (no such name or folder),
// malformed, limit, those of the bundle.
Result<NameRange> find_names_at(const Bundle& bundle, std::string_view path);

struct ListedVariant {
    AssetRecord asset;
    std::string_view type;
    std::vector<std::pair<std::string_view, std::string_view>> tags;  // axis, value
};

struct ListedName {
    std::string_view text;  // well formed
    NameRecord record;
    std::vector<ListedVariant>
        variants;  // one without tags for a plain name; none for a tombstone; the first is the default
};

// Views live as long as the bundle. Errors: malformed (also a name that breaks the rules of names), corrupt, io.
Result<std::string_view> name_text_at(const Bundle& bundle, std::uint32_t index);
Result<ListedName> name_at(const Bundle& bundle, std::uint32_t index);

}  // namespace fardel
