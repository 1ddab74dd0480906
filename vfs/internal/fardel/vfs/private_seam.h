// What libfardel.so exports to libfardel-c-archives.so and libfardel-c-tools.so of the same version, and to nothing
// else: fardel.map.in gives it a symbol version that names the release, so the loader refuses a pair of different
// releases.
#pragma once

#include <fardel/sources/archive_reader.h>
#include <fardel/sources/project_reader.h>
#include <fardel/vfs/fardel.h>

#include <memory>

namespace fardel {

using ArchiveReaderMaker = std::shared_ptr<const ArchiveReader> (*)();
using ProjectReaderMaker = std::shared_ptr<const ProjectReader> (*)();

}  // namespace fardel

// Later mounts of `vfs` read archives, or projects, with what `make` returns. Exceptions of `make` become codes.
// Errors: argument.
extern "C" FARDEL_API fardel_code fardel_private_set_archives(fardel_vfs* vfs, fardel::ArchiveReaderMaker make,
                                                              fardel_error* error);
extern "C" FARDEL_API fardel_code fardel_private_set_projects(fardel_vfs* vfs, fardel::ProjectReaderMaker make,
                                                              fardel_error* error);
