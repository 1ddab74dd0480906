// Lists a legacy archive: every entry under its name, in the archive's order.
#pragma once

#include "source_listing.h"

#include <string>

namespace fardel {

// A zip (pk3, pk4, …) is read by our own eyes, see zip_directory.h; of the other formats that PhysicsFS knows, those
// that have a signature, by its. The bytes decide, not the file's extension.
// Errors: missing, denied, malformed (no archive, or one that contradicts itself), limit, unsupported, busy, io.
Status list_archive(const std::string& path, SourceListing& listing);

// What a file is. Errors: missing, denied, malformed (no regular file), io.
Result<SourceKind> find_archive_kind(const std::string& path);

}  // namespace fardel
