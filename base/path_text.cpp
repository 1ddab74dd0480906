#include <fardel/base/path_text.h>

#include <fardel/base/ascii.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace fardel {
namespace {

std::string_view separators(PathRules rules) noexcept { return rules == PathRules::windows ? "/\\" : "/"; }

bool is_separator(char character, PathRules rules) noexcept {
    return separators(rules).find(character) != std::string_view::npos;
}

// The characters that say where a path begins, with the separator behind them: of "/", "C:/" or "//server/share/".
std::size_t root_size(std::string_view path, PathRules rules) noexcept {
    const auto separator_at = [&](std::size_t at) { return at < path.size() && is_separator(path[at], rules); };
    if (rules == PathRules::windows) {
        if (path.size() > 1 && is_ascii_letter(path[0]) && path[1] == ':')
            return separator_at(2) ? 3 : 2;
        if (separator_at(0) && separator_at(1)) {
            const std::size_t share = std::min(path.find_first_of(separators(rules), 2), path.size());
            return std::min(path.find_first_of(separators(rules), std::min(share + 1, path.size())), path.size() - 1) +
                   1;
        }
    }
    return separator_at(0) ? 1 : 0;
}

// Parts of the normal form, behind the root.
std::vector<std::string_view> normal_parts(std::string_view path, PathRules rules) {
    const std::size_t root = root_size(path, rules);
    std::vector<std::string_view> parts;
    for (std::size_t at = root; at < path.size();) {
        const std::size_t end = std::min(path.find_first_of(separators(rules), at), path.size());
        const std::string_view part = path.substr(at, end - at);
        at = end + 1;
        if (part.empty() || part == ".")
            continue;
        if (part != ".." || (parts.empty() ? root == 0 : parts.back() == ".."))
            parts.push_back(part);
        else if (!parts.empty())  // above "/" there is "/"
            parts.pop_back();
    }
    return parts;
}

std::string joined_parts(std::string text, const std::vector<std::string_view>& parts, std::size_t first = 0) {
    for (std::size_t i = first; i < parts.size(); ++i) {
        if (!text.empty() && text.back() != '/')
            text += '/';
        text += parts[i];
    }
    return text.empty() ? "." : text;
}

std::string normal_root(std::string_view path, PathRules rules) {
    return with_slashes(std::string(path.substr(0, root_size(path, rules))), rules);
}

}  // namespace

bool is_absolute_path(std::string_view path, PathRules rules) noexcept { return root_size(path, rules) != 0; }

std::string with_slashes(std::string path, PathRules rules) {
    if (rules == PathRules::windows)
        std::ranges::replace(path, '\\', '/');
    return path;
}

std::string folder_of_path(std::string_view path, PathRules rules) {
    const std::string_view folder = folder_part(path, rules);
    return std::string(folder.empty() ? "." : folder);
}

std::string_view folder_part(std::string_view path, PathRules rules) noexcept {
    const std::size_t name = file_name_of_path(path, rules).size();
    return without_end_slashes(path.substr(0, path.size() - name), rules);
}

std::string_view file_name_of_path(std::string_view path, PathRules rules) noexcept {
    const std::size_t root = root_size(path, rules);
    const std::size_t separator = path.find_last_of(separators(rules));
    return path.substr(separator == std::string_view::npos || separator < root ? root : separator + 1);
}

std::string_view stem_of_path(std::string_view path, PathRules rules) noexcept {
    const std::string_view name = file_name_of_path(path, rules);
    const std::size_t dot = name.rfind('.');
    return dot == 0 || name == ".." ? name : name.substr(0, dot);
}

std::string_view without_end_slashes(std::string_view path, PathRules rules) noexcept {
    std::size_t size = path.size();
    for (const std::size_t root = root_size(path, rules); size > root && is_separator(path[size - 1], rules);)
        --size;
    return path.substr(0, size);
}

std::string joined_path(std::string_view folder, std::string_view path, PathRules rules) {
    if (folder.empty() || is_absolute_path(path, rules))
        return std::string(path);
    std::string joined(folder);
    if (!is_separator(joined.back(), rules))
        joined += '/';
    return joined += path;
}

std::string normal_path(std::string_view path, PathRules rules) {
    return joined_parts(normal_root(path, rules), normal_parts(path, rules));
}

bool is_at_or_below_path(std::string_view folder, std::string_view path) noexcept {
    return path.starts_with(folder) &&
           (path.size() == folder.size() || folder.ends_with('/') || path[folder.size()] == '/');
}

std::string relative_path(std::string_view path, std::string_view folder, PathRules rules) {
    const std::vector<std::string_view> parts = normal_parts(path, rules);
    const std::vector<std::string_view> above = normal_parts(folder, rules);
    const auto shared = static_cast<std::size_t>(std::ranges::mismatch(parts, above).in1 - parts.begin());
    if (normal_root(path, rules) != normal_root(folder, rules) || (shared < above.size() && above[shared] == ".."))
        return normal_path(path, rules);
    std::vector<std::string_view> steps(above.size() - shared, "..");
    steps.insert(steps.end(), parts.begin() + static_cast<std::ptrdiff_t>(shared), parts.end());
    return joined_parts({}, steps);
}

}  // namespace fardel
