// Lists an archive of a format that only PhysicsFS reads: 7z, pak, wad, and others, in the program fardel-archive.
//
// The names come from PhysicsFS, so what it hides stays hidden: of two entries with one name it shows one. All files
// are unpacked together when the first of them is opened, to a file that goes with the last of their blobs.
#pragma once

#include "source_listing.h"

#include <fardel/format/byte_source.h>

#include <memory>
#include <string>
#include <string_view>

namespace fardel {

// `format` is the usual extension of the format, whose signature the bytes have; `path` is for messages; `program` is
// fardel-archive, or empty for the installed one. Errors: missing (the program), malformed, limit, unsupported,
// no_space, io.
Status list_confined_archive(std::shared_ptr<const ByteSource> bytes, std::string_view format, const std::string& path,
                             const std::string& program, SourceListing& listing);

}  // namespace fardel
