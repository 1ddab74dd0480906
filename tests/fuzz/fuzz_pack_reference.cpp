// Input: what a store notes about a pack that is a file elsewhere. Bytes that decode are exactly what their values
// encode to; they are decoded as they are, and with their hash appended.
#include "packs/pack_reference.h"
#include "require.h"

#include <fardel/format/hash.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

using namespace fardel;

namespace {

void check_reference(std::span<const std::byte> bytes) {
    const auto reference = decode_pack_reference(bytes);
    if (!reference)
        return;
    require(std::ranges::equal(encode_pack_reference(*reference), bytes));
    require(reference->path.starts_with('/') && reference->path.size() <= kReferencePathMax);
    require(reference->stamp.size_bytes == reference->pack.size_bytes);
}

}  // namespace

int fuzz_pack_reference(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    check_reference(bytes);
    std::vector<std::byte> sealed(bytes.begin(), bytes.end());
    const Hash hash = blake3(bytes);
    const auto end = std::as_bytes(std::span(hash.bytes));
    sealed.insert(sealed.end(), end.begin(), end.end());
    check_reference(sealed);
    return 0;
}
