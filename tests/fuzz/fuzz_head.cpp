// Input: a head, to which zeros are added up to 4096 bytes. It is refused, or it is exactly what its value encodes to,
// and its tables have the required offsets.
#include <fardel/format/head.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

int fuzz_head(const std::uint8_t* data, std::size_t size) {
    using namespace fardel;
    HeadBytes bytes{};
    std::ranges::copy(std::as_bytes(std::span(data, std::min(size, bytes.size()))), bytes.begin());
    const auto head = decode_head(bytes);
    if (!head) {
        const ErrorCode code = head.error().code();
        if (code != ErrorCode::malformed && code != ErrorCode::unsupported && code != ErrorCode::limit)
            std::abort();
        return 0;
    }
    std::vector<TableEntry> tables = head->tables;
    if (encode_head(*head) != bytes || place_tables(tables) != head->manifest_bytes || tables != head->tables ||
        head->manifest_bytes > limits::kManifestBytesMax)
        std::abort();
    return 0;
}
