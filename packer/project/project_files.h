// The files of a project: fardel.toml and those that it includes, as one table. docs/project-file.md, "Several files".
#pragma once

#include "toml_document.h"

#include <fardel/base/result.h>

#include <string>
#include <vector>

namespace fardel {

inline constexpr std::size_t kProjectFilesMax = 64;
inline constexpr std::size_t kIncludeDepthMax = 8;

struct ProjectFiles {
    TomlTable table;
    std::string texts;  // of all files, for a digest
};

// `files` becomes the paths of the project's files, by TomlPosition::file, also of those that could not be read; so it
// does if reading fails. Errors: missing, denied, io; malformed, limit (a file, or too many); conflict (files that
// include each other, a processor or target in two of them).
Result<ProjectFiles> read_project_files(const std::string& path, std::vector<std::string>& files);

}  // namespace fardel
