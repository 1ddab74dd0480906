// Lists a folder: every file below it under its path, in byte order. No link is followed, and nothing is left out
// without a report.
#pragma once

#include "source_listing.h"

#include <string>

namespace fardel {

// Links, devices, FIFOs and sockets are refused; so is a folder whose name is refused, with everything in it. `path`
// itself may be a link. Errors: missing, denied (a folder below may not be listed), conflict (the folder changes during
// the scan), io.
Status list_folder(const std::string& path, SourceListing& listing);

}  // namespace fardel
