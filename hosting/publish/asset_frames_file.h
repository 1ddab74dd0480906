// Makes the asset frames of a bundle, the file beside it in a published tree (asset_frames.h).
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/byte_source.h>

#include <memory>
#include <stop_token>

namespace fardel {

// Returns the file for a bundle whose content can be read; nullptr if no part has a frame. Errors: those of Bundle,
// cancelled.
Result<std::shared_ptr<const ByteSource>> make_asset_frames(const Bundle& bundle, const std::stop_token& stop);

}  // namespace fardel
