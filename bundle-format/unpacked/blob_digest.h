// The digests of planned assets, hashed on threads; each blob is read once, and not at all when its digest is known.
#pragma once

#include <fardel/format/bundle_plan.h>
#include <fardel/format/result.h>
#include <fardel/format/unpacked_bundle.h>

#include <span>
#include <vector>

namespace fardel {

// In the order of `planned`. Of several errors the first in that order. Errors: those of the blobs, with the asset's
// key; limit (an asset that is too large), cancelled.
Result<std::vector<BlobDigest>> digest_blobs(std::span<const PlannedAsset> planned, const UnpackOptions& options);

}  // namespace fardel
