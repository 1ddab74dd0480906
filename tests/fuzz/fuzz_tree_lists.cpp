// Input: a list of deltas, or of channels. It is refused, or it is exactly what its value encodes to, and names nothing
// twice.
#include <fardel/delivery/delta_list.h>
#include <fardel/delivery/first_contact.h>
#include "require.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

using namespace fardel;

int fuzz_tree_lists(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto channels = parse_channel_list(text))
        require(format_channel_list(*channels) == text && std::ranges::is_sorted(*channels) &&
                std::ranges::adjacent_find(*channels) == channels->end());
    const auto list = decode_delta_list(bytes);
    if (!list)
        return 0;
    require(std::ranges::equal(encode_delta_list(*list), bytes) && list->size() <= kListedDeltasMax);
    for (std::size_t i = 0; i < list->size(); ++i) {
        require((*list)[i].front_bytes <= (*list)[i].delta_bytes);
        require(i == 0 || (*list)[i - 1].old_bundle < (*list)[i].old_bundle);
    }
    return 0;
}
