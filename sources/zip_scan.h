// Lists a zip and creates the blobs of its entries.
#pragma once

#include "source_listing.h"
#include "zip_directory.h"

#include <memory>
#include <string>

namespace fardel {

// `path` is for messages. Folders that the zip lists become no entries. Links, encrypted entries, and methods other
// than stored and deflated are refused. Errors: those of read_zip_directory.
Status list_zip(std::shared_ptr<const ByteSource> bytes, const std::string& path, SourceListing& listing);

}  // namespace fardel
