// Tells what a file is by its signature, and lists legacy archives through a reader.
#pragma once

#include "source_listing.h"

#include <fardel/sources/archive_reader.h>

#include <string>

namespace fardel {

// Lists an archive: every entry under its name, in the archive's order. The signature decides on the format; the file's
// extension is ignored. `archives` may be null. Errors: missing, denied, malformed (no archive, or one that contradicts
// itself), limit, unsupported (a bundle, or no reader), busy, io.
Status list_archive(const std::string& path, const ArchiveReader* archives, SourceListing& listing);

// Returns what kind of source a file is; never `folder`. Errors: missing, denied, malformed (no regular file), io.
Result<SourceKind> find_archive_kind(const std::string& path);

}  // namespace fardel
