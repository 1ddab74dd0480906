// Lists a folder: every file below it under its path, in byte order, nothing followed, nothing left out unsaid.
#pragma once

#include "source_listing.h"

#include <string>

namespace fardel {

// A link, device, FIFO or socket is refused; so is a folder whose name is refused, with all that is in it. `path`
// itself may be a link. Errors: missing, denied (a folder below may not be listed), conflict (it changes meanwhile),
// io.
Status list_folder(const std::string& path, SourceListing& listing);

}  // namespace fardel
