// What a bundle states about itself and about its assets: the records of the table `metadata`.
//
// Views live as long as the Bundle. Errors of all functions: corrupt, malformed, limit (more records about one subject
// than a bundle may have), io.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/manifest.h>
#include <fardel/format/tag.h>

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace fardel {

// Keys with a known meaning, besides `name` and `version` of a bundle and those that begin with "metric." or
// "requires." (docs/bundle-format.md, "metadata").
inline constexpr std::array<std::string_view, 7> kMetadataKeys{"licence", "origin",        "registry", "web-page",
                                                               "expires", "license-token", "build"};
inline constexpr std::size_t kMetadataKeyBytesMax = 255;  // that people may write

// The key that is stored for one that a person writes: "license" is `licence`, and "licence-token" is `license-token`.
// Any other key is itself.
std::string_view metadata_key(std::string_view written) noexcept;

struct StatedMetadata {
    std::string_view key;  // as stored
    MetadataRecord record;
};

// In the order of the table: that of the keys, in a bundle that the verifier accepts.
Result<std::vector<StatedMetadata>> own_metadata(const Bundle& bundle);
Result<std::vector<StatedMetadata>> asset_metadata(const Bundle& bundle, AssetIndex index);

Result<MetadataValue> metadata_value(const Bundle& bundle, const MetadataRecord& record);

}  // namespace fardel
