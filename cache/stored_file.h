// Opens the files of a cache folder.
#pragma once

#include <fardel/base/file_path.h>
#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>

#include <memory>

namespace fardel {

// Opens a regular file, without following links and without counting as use if the system allows that.
Result<std::shared_ptr<const ByteSource>> open_stored_file(const FilePath& path);
// Whether that failed because no regular file has the name.
bool is_stored_absence(const Error& error);

}  // namespace fardel
