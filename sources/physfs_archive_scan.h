// Lists an archive of a format that only PhysicsFS knows: 7z, pak, wad, and others.
//
// Its names come through PhysicsFS, so what it hides from us stays hidden: of two entries of one name it shows one. And
// its readers of these formats are not made for hostile bytes: docs/packing.md says so to people.
#pragma once

#include "source_listing.h"

#include <fardel/format/byte_source.h>

#include <memory>
#include <string>
#include <string_view>

namespace fardel {

// `extension` is that of the format, which the bytes have been seen to have; `path` is for messages.
// Errors: malformed, busy, io.
Status list_physfs_archive(std::shared_ptr<const ByteSource> bytes, std::string_view extension, const std::string& path,
                           SourceListing& listing);

}  // namespace fardel
