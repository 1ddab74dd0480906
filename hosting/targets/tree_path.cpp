#include <fardel/hosting/tree_target.h>

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

Result<std::string> read_tree_text(TreeTarget& tree, const std::string& path, std::size_t bytes_max) {
    FARDEL_TRY_ASSIGN(const auto source, tree.open(path));
    if (source->size_bytes() > bytes_max)
        return Error(ErrorCode::limit, path + " has more than " + std::to_string(bytes_max) + " bytes");
    std::string text(static_cast<std::size_t>(source->size_bytes()), '\0');
    FARDEL_TRY(source->read_at(0, std::as_writable_bytes(std::span(text))));
    return text;
}

}  // namespace fardel
