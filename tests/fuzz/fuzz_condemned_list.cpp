// Input: the list of condemned files of a static tree. What is accepted is exactly what its values are formatted as,
// and names only files below the tree.
#include "require.h"

#include <fardel/hosting/tree_target.h>
#include "publish/condemned_list.h"

#include <cstddef>
#include <cstdint>

using namespace fardel;

int fuzz_condemned_list(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto list = parse_condemned_list(text);
    if (!list)
        return 0;
    require(format_condemned_list(*list) == text);
    for (const auto& [path, file] : *list)
        require(is_tree_path(path) && (file.is_being_removed || !is_removal_alive(file, file.since)));
    return 0;
}
