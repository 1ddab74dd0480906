// Folders: lists, creates and removes them. Signals, subjects and errors are handled as file.h describes.
#pragma once

#include <fardel/base/descriptor.h>
#include <fardel/base/file.h>
#include <fardel/base/file_location.h>
#include <fardel/base/path_text.h>
#include <fardel/base/result.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// Opens a folder so that files can be named below it. With Links::refused, a link is ELOOP or ENOTDIR. Of the options,
// only `links` and `location_only` are used.
Result<Descriptor> open_folder(const FileLocation& location, std::string_view subject, const OpenOptions& options = {});

// Returns the names in a folder, in byte order, without "." and "..". Any number of calls may use one descriptor at
// once.
Result<std::vector<std::string>> list_names(const Descriptor& folder, std::string_view subject);

// The same for a folder by its path; no names if it does not exist.
Result<std::vector<std::string>> list_names_at(const FilePath& path);

// Calls `visit` for all that is in the folder, in byte order, with the path from there. No link is followed. A folder
// is entered if `visit` returns true; an error ends the visit. What disappears meanwhile is left out.
using FolderVisit = std::function<Result<bool>(const std::string& path, const FileStatus& status)>;
Status visit_folder(const std::string& folder, const FolderVisit& visit);

// Returns false if the name already exists, whatever its kind. `mode` is reduced by the umask.
Result<bool> create_folder(const FileLocation& location, std::string_view subject, std::uint32_t mode = 0777);

// Whether created folders survive a power failure.
enum class Lasting : bool { no, yes };
// Creates the folder and all missing folders above it; it may exist already.
Status create_folders(const std::string& path, Lasting lasting = Lasting::no);
// Creates what is missing below the root of the path. The root itself is never created: where a disk was removed,
// nothing is written. Error: missing (there is no root).
Status create_folders_below_root(const FilePath& path, Lasting lasting);

// Creates a folder "<prefix><six characters>" that only this user can access, and returns its path. On Windows, its
// access comes from the folder above.
Result<std::string> create_temporary_folder(const std::string& prefix, std::string_view subject);
// Removes an empty folder. Returns false if there was none.
Result<bool> remove_folder(const FileLocation& location, std::string_view subject);
// Removes the file or the folder with all that is in it, also where its owner's permissions forbid that. No link is
// followed. It is no error if there is nothing. What cannot be removed stays, and the first error is returned.
Status remove_tree(const std::string& path);

// Makes created, renamed and removed names in the folder survive a power failure. It is no error if the file system
// cannot do that.
Status sync_folder(const FilePath& path);

// Returns the absolute path without links, "." and "..". The file must exist.
Result<std::string> real_path(const std::string& path, std::string_view subject);

// Returns the path below the working folder, by its text alone; it may have "." and "..". Error: missing (the working
// folder is gone).
Result<std::string> absolute_path(std::string_view path);
// The same in normal form, and without links as far as the files exist.
Result<std::string> canonical_path(std::string_view path);

// Returns the system's folder for temporary files. Error: missing.
Result<std::string> find_temporary_folder();

}  // namespace fardel
