// The blob of an entry of a zip. PhysicsFS inflates it out of an archive that contains nothing else; size and CRC-32
// are compared here.
#pragma once

#include "zip_directory.h"

#include <fardel/format/bundle_plan.h>

#include <memory>
#include <string>

namespace fardel {

struct ZipArchive {
    std::shared_ptr<const ByteSource> bytes;
    std::uint64_t data_end = 0;  // see ZipDirectory
};

// `entry` is one that make_zip_entry_source accepts; `origin` names it in messages. Errors of the blob: corrupt, busy,
// io.
std::shared_ptr<const BlobSource> make_zip_blob(std::shared_ptr<const ZipArchive> archive, ZipEntry entry,
                                                std::string origin);

}  // namespace fardel
