// Bytes that decode as a cache record are exactly what its values encode to. The input is decoded under the key that
// it contains: as it is, and with its hash appended, which no fuzzer would find. Another key is refused.
#include "require.h"

#include <fardel/format/hash.h>
#include <fardel/store/cache_record.h>

#include <algorithm>
#include <cstring>
#include <span>

using namespace fardel;

namespace {

constexpr std::size_t kKeyOffset = 16;

void require_same(const BuildKey& key, std::span<const std::byte> bytes) {
    const auto record = decode_cache_record(key, bytes);
    if (!record)
        return;
    require(record->key == key && record->outputs.size() <= kCachedOutputsMax);
    const auto again = encode_cache_record(*record);
    require(again && std::ranges::equal(*again, bytes));
    BuildKey other = key;
    other.bytes[0] ^= 1;
    require(!decode_cache_record(other, bytes));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    BuildKey key;
    if (size >= kKeyOffset + key.bytes.size())
        std::memcpy(key.bytes.data(), data + kKeyOffset, key.bytes.size());
    require_same(key, bytes);
    std::vector<std::byte> sealed(bytes.begin(), bytes.end());
    const Hash hash = blake3(bytes);
    const auto end = std::as_bytes(std::span(hash.bytes));
    sealed.insert(sealed.end(), end.begin(), end.end());
    require_same(key, sealed);
    return 0;
}
