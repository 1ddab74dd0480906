// What the text of a path says: whether it is absolute, its folder, and the name of its file. No file is looked at.
//
// Paths are UTF-8 on every system, with '/' between their parts. On Windows, '\' separates parts, too, and a path may
// begin with a drive or with a share: "C:/", "//server/share/". Names inside bundles are no paths: see AssetName.
#pragma once

#include <string>
#include <string_view>

namespace fardel {

// Tests try the rules of both on either system.
enum class PathRules : bool { posix, windows };
#ifdef _WIN32
inline constexpr PathRules kPathRules = PathRules::windows;
#else
inline constexpr PathRules kPathRules = PathRules::posix;
#endif

// Stands between the folders that a variable lists. A path of Windows has ':' after the drive.
inline constexpr char kFolderListSeparator = kPathRules == PathRules::windows ? ';' : ':';

// Whether joining the path to a folder would be wrong. On Windows, "/a" and "C:a" count, too, although what they lead
// to depends on the current drive and its working folder.
bool is_absolute_path(std::string_view path, PathRules rules = kPathRules) noexcept;

// Returns the path with '/' between its parts, as functions of Fardel expect paths that a person typed.
std::string with_slashes(std::string path, PathRules rules = kPathRules);

// Returns the folder of a path: "a/b" → "a", "/a" → "/", "a" → ".".
std::string folder_of_path(std::string_view path, PathRules rules = kPathRules);
// The same, but "a" → "", for joined_path().
std::string_view folder_part(std::string_view path, PathRules rules = kPathRules) noexcept;

// Returns what stands behind the last separator: "a/b.c" → "b.c", "a/" → "". A view into `path`.
std::string_view file_name_of_path(std::string_view path, PathRules rules = kPathRules) noexcept;
// The same without its extension: "a/b.c" → "b", "a/.c" → ".c".
std::string_view stem_of_path(std::string_view path, PathRules rules = kPathRules) noexcept;

// Returns the path without separators at its end: "a/" → "a", but "/" → "/".
std::string_view without_end_slashes(std::string_view path, PathRules rules = kPathRules) noexcept;

// Returns `path` below `folder`; an absolute path as it is. An empty folder is the working folder.
std::string joined_path(std::string_view folder, std::string_view path, PathRules rules = kPathRules);

// Returns the path without "." and without "..", except at its beginning: "a/../b" → "b", "../a" → "../a", "a/.." →
// ".". A link may make that another file.
std::string normal_path(std::string_view path, PathRules rules = kPathRules);

// Whether `path` is `folder` or lies below it. Both are normal paths.
bool is_at_or_below_path(std::string_view folder, std::string_view path) noexcept;

// Returns how `folder` would name the normal form of `path`: ("a/b", "a") → "b", ("a", "a/b") → "..". If only one of
// them is absolute, or if `folder` lies above the working folder in an unknown way: the normal form of `path`.
std::string relative_path(std::string_view path, std::string_view folder, PathRules rules = kPathRules);

}  // namespace fardel
