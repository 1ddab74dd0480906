// Input: the index of the digests of a folder. Bytes that decode are exactly what their values encode to; they are
// decoded as they are, and with their hash appended.
#include "require.h"

#include <fardel/format/digest_index.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

using namespace fardel;

namespace {

void check_digests(std::span<const std::byte> bytes) {
    const auto index = decode_digest_index(bytes);
    if (!index)
        return;
    require(std::ranges::equal(encode_digest_index(*index), bytes));
    for (const auto& [version, digest] : *index) {
        require(digest->first_bytes().size() == std::min<std::uint64_t>(digest->raw_bytes, kBlobHeadBytes));
        require(digest->pieces.size() != 1);
    }
}

}  // namespace

int fuzz_digest_index(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    check_digests(bytes);
    std::vector<std::byte> sealed(bytes.begin(), bytes.end());
    const Hash hash = blake3(bytes);
    const auto end = std::as_bytes(std::span(hash.bytes));
    sealed.insert(sealed.end(), end.begin(), end.end());
    check_digests(sealed);
    return 0;
}
