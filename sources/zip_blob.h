// The blob of a zip's entry: PhysicsFS inflates it, out of an archive that holds nothing else; we compare size and
// CRC-32.
#pragma once

#include "zip_directory.h"

#include <fardel/format/bundle_plan.h>

#include <memory>
#include <string>

namespace fardel {

struct ZipArchive {
    std::shared_ptr<const ByteSource> bytes;
    std::uint64_t data_end = 0;
};

// `entry` is one that make_zip_entry_source takes; `origin` names it in errors. Errors of the blob: corrupt, busy, io.
std::shared_ptr<const BlobSource> make_zip_blob(std::shared_ptr<const ZipArchive> archive, ZipEntry entry,
                                                std::string origin);

}  // namespace fardel
