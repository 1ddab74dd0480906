// A BlobSource made of a ByteSource.
#pragma once

#include <fardel/format/bundle_plan.h>
#include <fardel/format/byte_source.h>

#include <memory>

namespace fardel {

// Reads `bytes` from the start to their end. The stream keeps them alive.
std::unique_ptr<BlobStream> open_stream_of(std::shared_ptr<const ByteSource> bytes);

std::shared_ptr<const BlobSource> make_bytes_blob(std::shared_ptr<const ByteSource> bytes);

}  // namespace fardel
