// Makes the piece slices of a bundle, the file beside it in a published tree (piece_slices.h).
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/byte_source.h>

#include <memory>
#include <stop_token>

namespace fardel {

// Returns the file for a bundle whose content can be read; nullptr if no asset has several pieces, these are more than
// such a file describes, or it would have more than half of the bundle file's bytes. Errors: those of Bundle,
// cancelled.
Result<std::shared_ptr<const ByteSource>> make_piece_slices(const Bundle& bundle, const std::stop_token& stop);

}  // namespace fardel
