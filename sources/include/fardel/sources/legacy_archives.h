// The reader of legacy archives, in the library fardel::archives: zip by our own code, other formats by PhysicsFS in
// the confined program fardel-archive.
#pragma once

#include <memory>
#include <string>

namespace fardel {

class ArchiveReader;  // MountOptions::archives

// Zips are read in the process, everything else by the confined program fardel-archive.
//
// Listing an archive that is no zip is `missing` unless fardel-archive is installed: beside the running program, in its
// ../libexec/fardel, or where this library was installed. The listing is `malformed` if the archive crashes its reader,
// and `limit` if it needs too much memory, time or room.
std::shared_ptr<const ArchiveReader> make_archive_reader();

// The same, with the path of fardel-archive.
std::shared_ptr<const ArchiveReader> make_archive_reader_with(std::string program);

}  // namespace fardel
