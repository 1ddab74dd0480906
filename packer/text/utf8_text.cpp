#include "utf8_text.h"

#include <cstddef>
#include <cstdint>

namespace fardel {
namespace {

// Bytes of the character at the start (RFC 3629), or 0.
std::size_t first_character(std::string_view text) {
    const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(text[at]); };
    const std::uint8_t lead = byte(0);
    if (lead < 0x80)
        return lead != 0 ? 1 : 0;
    const std::size_t size = lead >= 0xc2 && lead < 0xe0   ? 2
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xf0 && lead < 0xf5 ? 4
                                                           : 0;
    if (size == 0 || text.size() < size)
        return 0;
    for (std::size_t at = 1; at < size; ++at)
        if ((byte(at) & 0xc0) != 0x80)
            return 0;
    const bool overlong = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xf0 && byte(1) < 0x90);
    const bool surrogate = lead == 0xed && byte(1) >= 0xa0;
    const bool too_large = lead == 0xf4 && byte(1) >= 0x90;
    return overlong || surrogate || too_large ? 0 : size;
}

}  // namespace

bool is_utf8_text(std::string_view text) {
    while (!text.empty()) {
        const std::size_t size = first_character(text);
        if (size == 0)
            return false;
        text.remove_prefix(size);
    }
    return true;
}

}  // namespace fardel
