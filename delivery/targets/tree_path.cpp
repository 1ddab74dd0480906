#include <fardel/delivery/tree_target.h>

#include <algorithm>

namespace fardel {

bool is_tree_path(std::string_view path) noexcept {
    if (path.empty() || path.size() > kTreePathBytesMax || path.back() == '/')
        return false;
    bool begins_part = true;
    return std::ranges::all_of(path, [&](char c) {
        const bool allowed = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '_' || c == '-' ||
                             (!begins_part && (c == '.' || c == '/'));
        begins_part = c == '/';
        return allowed;
    });
}

}  // namespace fardel
