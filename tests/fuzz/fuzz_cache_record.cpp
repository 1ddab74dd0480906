// Bytes that decode as a cache record are exactly what its values encode to, and so are its notes, if they list found
// inputs. The input is decoded under the key that it contains: as it is, and with its hash appended, which no fuzzer
// would find. Another key is refused. A signature counts only if it is one of these bytes by that key.
//
// The input is also decoded as notes alone, and as what a scanner found earlier.
#include "jobs/job_record.h"
#include "require.h"

#include <fardel/cache/cache_record.h>
#include <fardel/format/hash.h>
#include <fardel/format/signer.h>
#include <fardel/packer/scan_memory.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <span>

using namespace fardel;

namespace {

constexpr std::size_t kKeyOffset = 16;

Signer& test_signer() {
    static const std::unique_ptr<Signer> signer = make_key_signer(SecretKey::from_seed(std::array<std::byte, 32>{}));
    return *signer;
}

// The record under any signature that it came with, and under a right one.
void require_signature(CacheRecord record) {
    const PublicKey keys[] = {test_signer().public_key()};
    if (record.signature)
        require(!verify_cache_record(record, {}));
    const bool was_right = static_cast<bool>(verify_cache_record(record, keys));
    const auto before = record.signature;
    require(static_cast<bool>(sign_cache_record(record, test_signer())));
    require(static_cast<bool>(verify_cache_record(record, keys)));
    require(!was_right || record.signature == before);
    const auto bytes = encode_cache_record(record);
    if (!bytes)
        return;  // the signature made it too long
    const auto again = decode_cache_record(record.key, *bytes);
    require(again && *again == record);
    record.notes += '\0';
    require(!verify_cache_record(record, keys));
}

void require_same_notes(std::string_view notes) {
    if (const auto found = find_found_states(notes))
        require(encode_found_states(*found) == notes);
    const CacheRecord record{.key = {}, .outputs = {}, .notes = std::string(notes)};
    if (const auto result = find_result(record, {})) {
        const CacheRecord again = record_of({}, *result);
        const auto same = find_result(again, {});
        require(same && same->references == result->references && record_of({}, *same) == again);
    }
    if (const auto scan = decode_scan_record(notes))
        require(encode_scan_record(*scan) == notes);
}

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
    require_same_notes(record->notes);
    if (const auto result = find_result(*record, {}))
        require(result->outputs.size() == record->outputs.size());
    require_signature(*record);
}

}  // namespace

int fuzz_cache_record(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    require_same_notes({reinterpret_cast<const char*>(data), size});
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
