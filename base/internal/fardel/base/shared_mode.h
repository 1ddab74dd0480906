// Permissions of what several users write to: stores, caches and published trees of a group. docs/store.md, "Stores
// that several users write to".
//
// In a folder at or below the root of a path to which its group may write, new files and folders take the
// folder's permissions, whatever the umask: otherwise one user could not use what another one adds, or go on where that
// one was interrupted. The group comes from the folder as well, by its setgid bit.
#pragma once

#include <fardel/base/descriptor.h>
#include <fardel/base/file_path.h>
#include <fardel/base/result.h>

#include <string>

namespace fardel {

// For what this program has created a moment ago. A path without a root is its user's own affair: nothing happens. Best
// effort: a file system may have no permissions.
void share_new_file(const Descriptor& file, const FilePath& path);
void share_new_folder(const FilePath& path);

// Creates the folder if it is missing, and gives all that is in it to its group, which may write to it from now on.
// Links are not followed. What another user owns stays as it is. Errors: denied (the folder is another user's), those
// of the disk.
Status share_with_group(const std::string& path);

}  // namespace fardel
