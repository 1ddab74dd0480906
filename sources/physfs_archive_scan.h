// Lists an archive of a format that only PhysicsFS reads: 7z, pak, wad, and others.
//
// The names come from PhysicsFS, so what it hides stays hidden: of two entries with one name it shows one. Its readers
// of these formats were not written for hostile bytes, which docs/packing.md tells users.
#pragma once

#include "source_listing.h"

#include <fardel/format/byte_source.h>

#include <memory>
#include <string>
#include <string_view>

namespace fardel {

// `extension` is that of the format, whose signature the bytes have; `path` is for messages.
// Errors: malformed, busy, io.
Status list_physfs_archive(std::shared_ptr<const ByteSource> bytes, std::string_view extension, const std::string& path,
                           SourceListing& listing);

}  // namespace fardel
