// One entry of a zip, presented as a zip that contains nothing else.
//
// This is all that PhysicsFS sees of a hostile archive: headers written here, around the entry's stored bytes. So the
// names, links, duplicates and sizes of the archive cannot confuse it, it mounts in constant time, and it reads this
// entry only.
#pragma once

#include "zip_directory.h"

#include <memory>

namespace fardel {

// The name of the entry in that zip.
inline constexpr char kZipEntryName[] = "e";

// PhysicsFS 3.0.2 keeps sizes and offsets in 32 bits; the headers need some of them.
inline constexpr std::uint64_t kZipEntryBytesMax = 0xffff'0000;

// The stored bytes begin at `data_offset` of `archive`, which has them all. `entry` is stored or deflated, not
// encrypted, and has at most kZipEntryBytesMax.
std::shared_ptr<const ByteSource> make_zip_entry_source(std::shared_ptr<const ByteSource> archive,
                                                        std::uint64_t data_offset, const ZipEntry& entry);

}  // namespace fardel
