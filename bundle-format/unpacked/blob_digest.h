// Hashes planned assets on threads; each blob is read once, and not at all if its digest is known.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/unpacked_bundle.h>

#include <span>

namespace fardel {

// Returns the digests in the order of `planned`. Of several errors, the first in that order is returned. Errors: those
// of the blobs, with the asset's key; limit (an asset that is too large), cancelled.
Result<KnownBlobs> digest_blobs(std::span<const PlannedAsset> planned, const UnpackOptions& options);

}  // namespace fardel
