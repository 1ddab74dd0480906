// The variants in the tables of one bundle, for look-ups and for verbs that read a bundle without a Vfs.
//
// Tables are untrusted: every index and count is checked. Errors: malformed, corrupt, io.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/manifest.h>
#include <fardel/format/tag.h>
#include <fardel/vfs/vfs_path.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace fardel {

struct VariantTraits;  // names/variant_choice.h

// What a preference judges an asset by, besides the tags of the variant that it is: the metrics that the preference
// bounds. Reads nothing if it bounds none. `traits` views the bundle's tables and the preference.
Status read_metrics(const Bundle& bundle, AssetIndex asset, const VariantPreference& preference, VariantTraits& traits);
// Appends the variants of a name that has some to both.
Status read_variants(const Bundle& bundle, const NameRecord& name, const VariantPreference& preference,
                     std::vector<VariantTraits>& traits, std::vector<AssetIndex>& assets);

// The position, among the name's variants, of the one that the preference takes; 0 for a name without variants. The
// name is no tombstone.
Result<std::uint32_t> choose_in_bundle(const Bundle& bundle, const NameRecord& name,
                                       const VariantPreference& preference);

// What the variants of a bundle differ by.
struct VariantAxes {
    std::map<std::string, std::set<std::string>, std::less<>> values;  // by axis
    std::map<std::string, double, std::less<>> metrics;                // of assets, the greatest by name
};
// Reads all variants and the metadata of their assets.
Status add_variant_axes(const Bundle& bundle, VariantAxes& axes);
// The axes with all of their values, then the metrics with their greatest value.
VariantPreference list_axes(const VariantAxes& axes);

}  // namespace fardel
