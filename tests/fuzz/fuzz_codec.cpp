// Input: the block's raw bytes (24 bits, little-endian; the highest bit chooses LZ4 instead of zstd, the next three a
// filter, the rest is modulo 256 KiB + 1), then a frame. Decoding gives an error or fills the block; the buffer is a
// heap block of just that size. What was filled, encoded, decodes to itself.
#include <fardel/format/block_encoder.h>
#include <fardel/format/limits.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

int fuzz_codec(const std::uint8_t* data, std::size_t size) {
    using namespace fardel;
    if (size < 3)
        return 0;
    const auto filter = static_cast<Filter>(data[2] >> 4 & 7);  // of which one is unknown
    const Codec codec = with_filter((data[2] & 0x80) != 0 ? Codec::lz4 : Codec::zstd, filter);
    const std::size_t raw_bytes = (data[0] | data[1] << 8 | (data[2] & 0x0f) << 16) % (limits::kBlockBytesMax + 1u);
    const auto memory = std::make_unique<std::byte[]>(raw_bytes);
    const std::span<std::byte> raw(memory.get(), raw_bytes);
    const Status status = BlockDecoder().decode(codec, std::as_bytes(std::span(data + 3, size - 3)), raw);
    if (!status) {
        if (status.error().code() != (is_known(codec) ? ErrorCode::malformed : ErrorCode::unsupported))
            std::abort();
        return 0;
    }

    static BlockEncoder encoder;
    const auto frame = std::make_unique<std::byte[]>(stored_bytes_max(raw_bytes));
    const auto again = encoder.encode({.codec = codec, .level = 1}, raw, {frame.get(), stored_bytes_max(raw_bytes)});
    const auto back = std::make_unique<std::byte[]>(raw_bytes);
    if (!again.empty() && (!BlockDecoder().decode(codec, again, {back.get(), raw_bytes}) ||
                           !std::equal(raw.begin(), raw.end(), back.get())))
        std::abort();
    return 0;
}
