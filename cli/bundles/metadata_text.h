// Metadata as text and as JSON.
#pragma once

#include "console/json.h"

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/bundle_metadata.h>
#include <fardel/format/tag.h>

#include <span>
#include <string>
#include <string_view>

namespace fardel {

// Safe to show; a date as a day.
std::string format_metadata(std::string_view key, const MetadataValue& value);
Json metadata_json(const MetadataValue& value);

// An object: the value of each key. Of a key that is stated twice, as "license" and "licence", the first. Errors: those
// of the bundle.
Result<Json> metadata_json(const Bundle& bundle, std::span<const StatedMetadata> stated);

}  // namespace fardel
