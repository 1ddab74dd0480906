// Scoped resolution: what an asset means when it names another one. docs/vfs.md has the rules.
#pragma once

#include "mounts/mount_set.h"

#include <fardel/format/result.h>
#include <fardel/vfs/file.h>

#include <optional>
#include <string_view>

namespace fardel {

// The asset that `spelling` means inside `from`: by its link table; else in its own bundle, then in the static
// dependencies of that, then in the published tree. Nothing: nobody has it.
// Errors: unresolved (the link table leads into a dependency that is not mounted, or that has not the asset),
// malformed, limit (no name), corrupt, io.
Result<std::optional<File>> find_in_scope(const MountSet& set, const File& from, std::string_view spelling);

}  // namespace fardel
