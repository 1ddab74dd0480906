#include <fardel/base/file.h>

#include "no_files.h"

namespace fardel {

Status rename_file(const FileLocation&, const FileLocation&, std::string_view subject) { return no_files(subject); }
Status rename_own(const FilePath& from, const FilePath&) { return no_files(from); }
Status rename_to_new(const FileLocation&, const FileLocation&, std::string_view subject) { return no_files(subject); }
Status exchange_files(const FileLocation&, const FileLocation&, std::string_view subject) { return no_files(subject); }
Result<bool> has_name(const Descriptor&, const FileLocation&, std::string_view subject) { return no_files(subject); }
Result<bool> remove_file(const FileLocation&, std::string_view subject) { return no_files(subject); }

}  // namespace fardel
