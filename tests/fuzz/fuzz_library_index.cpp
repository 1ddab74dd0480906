// Input: the index of a folder of a library. Bytes that decode are exactly what their values encode to; they are
// decoded as they are, and with their hash appended.
#include "library/library_index.h"
#include "require.h"

#include <fardel/format/hash.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

using namespace fardel;

namespace {

void check_index(std::span<const std::byte> bytes) {
    const auto index = decode_library_index(bytes);
    if (!index)
        return;
    require(std::ranges::equal(encode_library_index(*index), bytes));
    for (const LibraryEntry& entry : *index)
        require(!entry.name.empty() && !entry.stamp.young && entry.stamp.kind == StampKind::file);
}

}  // namespace

int fuzz_library_index(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    check_index(bytes);
    std::vector<std::byte> sealed(bytes.begin(), bytes.end());
    const Hash hash = blake3(bytes);
    const auto end = std::as_bytes(std::span(hash.bytes));
    sealed.insert(sealed.end(), end.begin(), end.end());
    check_index(sealed);
    return 0;
}
