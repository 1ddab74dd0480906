// The functions that a header offers to its users: free ones, and public members of classes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fardel::arrows {

// "Vfs::mount", "open_file_source": each name once, in the order of the header, without the namespace fardel. Not
// constructors, destructors, operators, friends and what is private. Reads text, as check_definitions() does.
std::vector<std::string> public_functions(std::string_view header);

// The functions that a C header declares with FARDEL_API, in its order.
std::vector<std::string> c_functions(std::string_view header);
// The structs for which it has a macro …_INIT: "fardel_mount_options".
std::vector<std::string> structs_with_init(std::string_view header);

}  // namespace fardel::arrows
