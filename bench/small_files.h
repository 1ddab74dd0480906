// Many generated files of about 1 KiB: name and bytes follow from a number. A third is text, the rest is as hard to
// compress as media. Each container of them is created once and kept in the scene's scratch folder.
#pragma once

#include "scene.h"

#include <cstdint>
#include <string>

namespace fardel::bench {

// Returns the content of the file made_up_name(index).
std::string small_file(std::uint32_t index);

std::string small_files_bundle(const Scene& scene, std::uint32_t count);
std::string small_files_folder(const Scene& scene, std::uint32_t count);
std::string small_files_zip(const Scene& scene, std::uint32_t count);  // of that folder
// The image is written from a stream, so the files are never on the disk. `options` are those of mksquashfs; `label`
// distinguishes images.
std::string small_files_squashfs(const Scene& scene, std::uint32_t count, const std::string& label,
                                 const std::string& options);

}  // namespace fardel::bench
