// Rules for names: no two files of the product define one name of a namespace. The compiler cannot see it (each file is
// right by itself), and the linker takes either one. Reads text: macros are not expanded, of an #if only the first
// branch is read.
#pragma once

#include "arrows.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel::arrows {

struct Definition {
    std::string name;      // "fardel::FilePart", "fardel::send(const Part &)"
    std::string file;      // relative to the root
    std::size_t line = 0;  // from 1
    std::string alias_of;  // of `using` and `typedef`: the type as it is written; empty: something else is defined
};

// The types, aliases, concepts, functions and variables that `source` defines in namespaces with a name and that other
// files see: no declarations, nothing with internal linkage, no members of classes.
std::vector<Definition> definitions_in(std::string_view source, const std::string& file);

// Every name that two files below the folders of `root` define. Not counted: aliases for one and the same type; `main`;
// files that are built instead of one another (clock_posix.cpp, clock_windows.cpp).
std::vector<Finding> check_definitions(const std::filesystem::path& root, std::span<const std::string> folders);

}  // namespace fardel::arrows
