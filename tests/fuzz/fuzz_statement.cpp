// Bytes that decode as a statement, countersignature or licence token are exactly what their values encode to.
#include <fardel/format/envelope.h>
#include <fardel/format/statement.h>

#include "require.h"

#include <algorithm>
#include <cstdint>

using namespace fardel;

namespace {

template <class Record, class Encode>
void require_same(const Result<Record>& record, Encode encode, std::span<const std::byte> bytes) {
    if (!record)
        return;
    const auto again = encode(*record);
    require(again && std::ranges::equal(*again, bytes));
}

}  // namespace

int fuzz_statement(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    require_same(decode_statement(bytes), encode_statement, bytes);
    require_same(decode_countersignature(bytes), encode_countersignature, bytes);
    require_same(decode_license_token(bytes), encode_license_token, bytes);
    return 0;
}
