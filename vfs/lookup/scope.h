// Scoped resolution: which asset a reference in another asset means. docs/vfs.md defines the rules.
#pragma once

#include "mounts/mount_set.h"

#include <fardel/base/result.h>
#include <fardel/format/manifest.h>
#include <fardel/vfs/file.h>

#include <optional>
#include <string_view>

namespace fardel {

// The asset that `spelling` means inside `from`: by its link table; else in its own bundle, then in that bundle's
// static dependencies, then in the published tree. Nothing: none of them has the name. Errors: unresolved (the link
// table leads into a dependency that is not mounted or does not have the asset), malformed, limit (not a name),
// corrupt, io.
Result<std::optional<File>> find_in_scope(const MountSet& set, const File& from, std::string_view spelling);

// The record of the reference in the link table of `from`; nothing: it has none of that spelling.
Result<std::optional<ReferenceRecord>> find_link(const File& from, std::string_view spelling);

}  // namespace fardel
