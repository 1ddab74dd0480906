// Bundles of whose references nothing is known, although they have files in which a scanner would look for some: they
// were packed without [link] (docs/resolving.md). Nothing can be said of what such a bundle needs.
#pragma once

#include "mounts.h"

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/vfs/vfs.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fardel {

// A bundle, or a folder or archive as one.
Result<std::shared_ptr<const Bundle>> open_any_bundle(const std::string& path);

struct UnlinkedBundle {
    std::string file;
    std::uint64_t files = 0;  // that a scanner reads
    std::string first;        // of them
};
// Nothing: it states references, or has no file that a scanner reads. Errors: those of reading its tables.
Result<std::optional<UnlinkedBundle>> find_unlinked(const std::string& file, const Bundle& bundle);
// Of all that is mounted, in that order.
Result<std::vector<UnlinkedBundle>> find_unlinked(const Vfs& vfs, const MountingOptions& options);

// "mod.fardel: the references of 12 files, such as maps/a.bsp, are not known: it was packed without [link]"
std::string describe(const UnlinkedBundle& unlinked);

}  // namespace fardel
