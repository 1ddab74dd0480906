// Input: 'l', then a lease; or 'c', then the list of what a store has condemned. What is accepted is exactly what its
// values encode to; the list is decoded as it is, and with its checksum appended, which no fuzzer would find.
#include "require.h"
#include "retention/condemned_list.h"
#include "retention/leased_ids.h"

#include <fardel/format/hash.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

using namespace fardel;

namespace {

void check_lease(std::span<const std::byte> bytes) {
    const auto ids = decode_lease(bytes);
    if (!ids)
        return;
    require(bytes.empty() || std::ranges::equal(encode_lease(*ids), bytes));
    require((ids->bundles.size() + ids->packs.size()) * sizeof(Hash) <= bytes.size());
}

void check_list(std::span<const std::byte> bytes) {
    const auto list = decode_condemned_list(bytes);
    if (list)
        require(std::ranges::equal(encode_condemned_list(*list), bytes));
}

}  // namespace

int fuzz_retention(const std::uint8_t* data, std::size_t size) {
    if (size == 0)
        return 0;
    const auto bytes = std::as_bytes(std::span(data, size)).subspan(1);
    if (data[0] == 'l')
        check_lease(bytes);
    if (data[0] != 'c')
        return 0;
    check_list(bytes);
    std::vector<std::byte> sealed(bytes.begin(), bytes.end());
    const Hash sum = blake3(bytes);
    const auto sum_bytes = std::as_bytes(std::span(sum.bytes));
    sealed.insert(sealed.end(), sum_bytes.begin(), sum_bytes.end());
    check_list(sealed);
    return 0;
}
