#include <fardel/format/tag.h>

#include <fardel/format/limits.h>

#include <algorithm>

namespace fardel {

bool is_tag_word(std::string_view text) noexcept {
    return !text.empty() && text.size() <= limits::kTagWordBytesMax && std::ranges::all_of(text, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               std::string_view("-_.+").find(c) != std::string_view::npos;
    });
}

}  // namespace fardel
