// The reader of legacy archives, in the library fardel::archives: zip by our own code, other formats by PhysicsFS.
#pragma once

#include <fardel/sources/archive_reader.h>

#include <memory>

namespace fardel {

// Any number of readers may exist; all share PhysicsFS, which exists once per process. Listing an archive, or opening a
// blob of it, is `busy` while other code in the process has PhysicsFS initialised.
std::shared_ptr<const ArchiveReader> make_archive_reader();

}  // namespace fardel
