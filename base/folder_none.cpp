#include <fardel/base/folder.h>

#include "no_files.h"

namespace fardel {

Result<Descriptor> open_folder(const FileLocation&, std::string_view subject, const OpenOptions&) {
    return no_files(subject);
}
Result<std::vector<std::string>> list_names(const Descriptor&, std::string_view subject) { return no_files(subject); }
Result<std::vector<std::string>> list_names_at(const FilePath& path) { return no_files(path); }
Result<bool> create_folder(const FileLocation&, std::string_view subject, std::uint32_t) { return no_files(subject); }
Status create_folders(const std::string& path, Lasting) { return no_files(path); }
Status create_folders_below_root(const FilePath& path, Lasting) { return no_files(path); }
Result<std::string> create_temporary_folder(const std::string&, std::string_view subject) { return no_files(subject); }
Result<bool> remove_folder(const FileLocation&, std::string_view subject) { return no_files(subject); }
Status sync_folder(const FilePath& path) { return no_files(path); }
Result<std::string> real_path(const std::string&, std::string_view subject) { return no_files(subject); }
std::string folder_of_path(std::string_view path) { return std::string(path.substr(0, path.rfind('/'))); }

}  // namespace fardel
