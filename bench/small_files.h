// Many files of about 1 KiB, made up: name and bytes follow from a number. A third is text, the rest as hard to
// compress as media. Whatever holds them is made once and kept in the scene's scratch folder.
#pragma once

#include "scene.h"

#include <cstdint>
#include <string>

namespace fardel::bench {

// Named by made_up_name(index).
std::string small_file(std::uint32_t index);

std::string small_files_bundle(const Scene& scene, std::uint32_t count);
std::string small_files_folder(const Scene& scene, std::uint32_t count);
std::string small_files_zip(const Scene& scene, std::uint32_t count);  // of that folder
// Written from a stream: the files are never on the disk. `options` are mksquashfs's, `label` tells images apart.
std::string small_files_squashfs(const Scene& scene, std::uint32_t count, const std::string& label,
                                 const std::string& options);

}  // namespace fardel::bench
