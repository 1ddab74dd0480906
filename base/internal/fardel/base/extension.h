// The extension of a name whose parts are separated by '/': what stands behind the last dot of its last part.
#pragma once

#include <cstddef>
#include <string_view>

namespace fardel {

// Without the dot; empty if there is none.
constexpr std::string_view extension_of(std::string_view name) noexcept {
    const std::string_view leaf = name.substr(name.rfind('/') + 1);
    const std::size_t dot = leaf.rfind('.');
    return dot == leaf.npos ? std::string_view() : leaf.substr(dot + 1);
}

// The name without its extension and the dot.
constexpr std::string_view strip_extension(std::string_view name) noexcept {
    const std::string_view extension = extension_of(name);
    return extension.data() != nullptr ? name.substr(0, name.size() - extension.size() - 1) : name;
}

}  // namespace fardel
