// Input: a byte that chooses the list of deltas or that of versions, then the list. It is refused, or it is exactly
// what its value encodes to, and names no bundle twice.
#include <fardel/delivery/delta_list.h>
#include "publish/version_list.h"
#include "require.h"

#include <fardel/hosting/publish_fronts.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <string_view>

using namespace fardel;

namespace {

void try_deltas(std::span<const std::byte> bytes) {
    const auto list = decode_delta_list(bytes);
    if (!list)
        return;
    require(std::ranges::equal(encode_delta_list(*list), bytes) && list->size() <= kListedDeltasMax);
    for (std::size_t i = 0; i < list->size(); ++i) {
        require((*list)[i].front_bytes <= (*list)[i].delta_bytes);
        require(i == 0 || (*list)[i - 1].old_bundle < (*list)[i].old_bundle);
    }
}

void try_versions(std::string_view text) {
    const auto versions = parse_version_list(text);
    if (!versions)
        return;
    require(format_version_list(*versions) == text && versions->size() <= kListedVersionsMax);
    require(std::set(versions->begin(), versions->end()).size() == versions->size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0)
        return 0;
    if (data[0] == 0)
        try_deltas(std::as_bytes(std::span(data + 1, size - 1)));
    else
        try_versions({reinterpret_cast<const char*>(data + 1), size - 1});
    return 0;
}
