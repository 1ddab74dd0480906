// Which asset a name gives: its only one, or the variant that the preference chooses among the name's own variants and
// those that other bundles add.
#pragma once

#include "names/variant_choice.h"
#include "resolve.h"

#include <fardel/base/result.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace fardel {

struct AssetChoice {
    const Mount* mount = nullptr;  // lives as long as the set
    AssetIndex asset{};
    VariantTags tags;  // of a variant, views of its bundle's tables; only with WithTags::yes
};
enum class WithTags : bool { no, yes };

// Among the variants of the match's own bundle. The match is no tombstone. Errors: corrupt, malformed, io,
// denied (a pure policy allows none of them).
Result<AssetChoice> choose_own(const MountSet& set, const NameMatch& match, WithTags with_tags = WithTags::no);
// Among the variants of a name as its own bundle means it, whatever the published tree gives: its own, and those that
// other bundles add to this bundle's name.
Result<AssetChoice> choose_scoped(const MountSet& set, const NameMatch& match, std::string_view name);
// Among all variants of a match that won `name` in the published tree, other bundles' included. Of two variants with
// equal tags, the one of the mount with the higher precedence is chosen.
Result<AssetChoice> choose_published(const MountSet& set, const NameMatch& match, std::string_view name,
                                     std::uint64_t hash, WithTags with_tags = WithTags::no);

// The file, even if its bundle was recalled: for descriptions.
Result<File> open_choice(const AssetChoice& choice);
// The file for a reader; never nothing. Error: revoked (its bundle was recalled).
Result<std::optional<File>> find_chosen_file(const AssetChoice& choice);

// The file at any name of one bundle, published or not; nothing for a tombstone.
Result<std::optional<File>> find_own_file(const MountSet& set, const Mount& mount, std::string_view name,
                                          std::uint64_t hash);
// The file at a name of the published tree, from the look-up to the variant; nothing if no mount publishes it.
Result<std::optional<File>> find_published_file(const MountSet& set, std::string_view name, std::uint64_t hash);

}  // namespace fardel
