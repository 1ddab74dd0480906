// One entry of a zip, presented as a zip of its own that has nothing else in it.
//
// What PhysicsFS gets to see of a hostile archive: headers that we made, around the entry's stored bytes. So it cannot
// stumble over names, links, duplicates or sizes of the archive, mounts in constant time, and reads just this entry.
#pragma once

#include "zip_directory.h"

#include <memory>

namespace fardel {

// The name of the entry in that zip.
inline constexpr char kZipEntryName[] = "e";

// PhysicsFS 3.0.2 counts the bytes of an entry in 32 bits; headers come on top.
inline constexpr std::uint64_t kZipEntryBytesMax = 0xffff'0000;

// `data_offset`: where the stored bytes begin in `archive`, all of which are there. `entry` is stored or deflated, not
// encrypted, and of at most kZipEntryBytesMax.
std::shared_ptr<const ByteSource> make_zip_entry_source(std::shared_ptr<const ByteSource> archive,
                                                        std::uint64_t data_offset, const ZipEntry& entry);

}  // namespace fardel
