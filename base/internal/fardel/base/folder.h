// Folders of the system. What file.h says of signals, subjects and errors holds here too.
#pragma once

#include <fardel/base/descriptor.h>
#include <fardel/base/file.h>
#include <fardel/base/file_location.h>
#include <fardel/base/result.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// The folder to name files below. With Links::refused, a link is ELOOP or ENOTDIR. Only `links` and `location_only` of
// the options are regarded.
Result<Descriptor> open_folder(const FileLocation& location, std::string_view subject, const OpenOptions& options = {});

// The names in a folder, in byte order, without "." and "..". Any number of calls may run on one descriptor.
Result<std::vector<std::string>> list_names(const Descriptor& folder, std::string_view subject);

// False: something has that name already, whatever it is. `mode` loses the bits of the umask.
Result<bool> create_folder(const FileLocation& location, std::string_view subject, std::uint32_t mode = 0777);
// With all folders above it that are missing; it may be there already.
Status create_folders(const std::string& path);
// A new folder of this user alone, "<prefix><six characters>"; returns its path.
Result<std::string> create_temporary_folder(const std::string& prefix, std::string_view subject);
// Only an empty one. False: there was none.
Result<bool> remove_folder(const FileLocation& location, std::string_view subject);

// So that names which were created, renamed or removed in it survive a power failure. File systems that cannot do that
// are no error.
Status sync_folder(const std::string& path);

// Absolute, without links, "." and "..". The file is there.
Result<std::string> real_path(const std::string& path, std::string_view subject);

// The folder of a path by its text: "a/b" → "a", "/a" → "/", "a" → ".".
std::string folder_of_path(std::string_view path);

}  // namespace fardel
