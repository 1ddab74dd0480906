// Targets on servers; open_tree_target() opens them by their addresses.
#pragma once

#include "targets/remote_tree.h"

#include <fardel/hosting/tree_target.h>

#include <memory>

namespace fardel {

// A folder on a WebDAV server. Files are sent under a temporary name, "….upload-<16 digits>", and then moved.
std::unique_ptr<TreeTarget> make_dav_target(std::unique_ptr<RemoteTree> tree);

// A `fardel serve` that accepts uploads. It takes bundle files and makes their compressed tables itself; other calls
// are unsupported.
std::unique_ptr<TreeTarget> make_upload_target(std::unique_ptr<RemoteTree> tree);

// A bucket, or a prefix in it. Asks the server whether it knows conditional requests, with a small file "fardel-tree".
// Errors: denied (also if the clocks differ), missing (no such bucket), unreachable.
Result<std::unique_ptr<TreeTarget>> open_s3_target(std::unique_ptr<RemoteTree> tree, std::string bucket_url,
                                                   std::string prefix);

}  // namespace fardel
