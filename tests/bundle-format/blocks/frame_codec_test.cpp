#include <fardel/format/frame_codec.h>

#include "kit/bytes.h"
#include "kit/test.h"

namespace fardel::tests::frame_codec_test {

Bytes frame_of(const Bytes& raw, std::size_t piece_bytes) {
    FrameEncoder encoder(raw.size());
    Bytes frame;
    if (raw.empty())
        encoder.encode({}, frame);
    for (std::size_t at = 0; at < raw.size(); at += piece_bytes)
        encoder.encode(std::span(raw).subspan(at, std::min(piece_bytes, raw.size() - at)), frame);
    return frame;
}

struct Decoded {
    Bytes raw;
    bool complete = false;
    bool refused = false;
};

Decoded decode(const Bytes& frame, std::uint64_t raw_bytes, std::size_t piece_bytes = 1000) {
    FrameDecoder decoder(raw_bytes);
    Decoded decoded;
    for (std::size_t at = 0; at < frame.size() && !decoded.refused; at += piece_bytes) {
        const auto piece = std::span(frame).subspan(at, std::min(piece_bytes, frame.size() - at));
        const Status taken = decoder.decode(piece, [&](std::span<const std::byte> raw) {
            decoded.raw.insert(decoded.raw.end(), raw.begin(), raw.end());
            return ok();
        });
        decoded.refused = !taken;
        if (!taken)
            CHECK(taken.error().code() == ErrorCode::malformed);
    }
    decoded.complete = decoder.is_complete() && !decoded.refused;
    CHECK(decoded.raw.size() <= raw_bytes);
    return decoded;
}

TEST_CASE("frame codec: bytes of any size and in any pieces decode to themselves") {
    for (const std::size_t size : {0u, 1u, 255u, 4096u, 200'000u, 3'000'000u}) {
        Bytes raw = noise(size / 2, size);
        raw.resize(size);
        const Bytes frame = frame_of(raw, 70'000);
        CHECK(frame == frame_of(raw, 70'000));
        for (const std::size_t piece_bytes : {std::size_t{100}, std::size_t{1} << 20}) {
            const Decoded decoded = decode(frame, size, piece_bytes);
            CHECK(decoded.complete);
            CHECK(decoded.raw == raw);
        }
    }
}

TEST_CASE("frame codec: a frame of another size is refused, and never decoded beyond the expected size") {  // A40, A41
    const Bytes frame = frame_of(Bytes(10'000'000), 1'000'000);
    for (const std::uint64_t raw_bytes : {0u, 1u, 9'999'999u, 10'000'001u})
        CHECK(decode(frame, raw_bytes).refused);
}

TEST_CASE("frame codec: no proper prefix is complete, and one more byte is refused") {  // A42
    const Bytes raw = noise(3000, 1);
    const Bytes frame = frame_of(raw, 3000);
    for (std::size_t size = 0; size < frame.size(); ++size)
        CHECK_FALSE(decode({frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(size)}, raw.size()).complete);
    Bytes longer = frame;
    longer.push_back(std::byte{0});
    CHECK(decode(longer, raw.size(), 1).refused);
    CHECK(decode(longer, raw.size(), longer.size()).refused);
}

TEST_CASE("frame codec: each flipped bit is refused or gives bytes of the expected size") {
    Bytes raw = noise(200, 2);
    raw.resize(400);
    const Bytes frame = frame_of(raw, 400);
    for (std::size_t bit = 0; bit < frame.size() * 8; ++bit) {
        Bytes flipped = frame;
        flipped[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
        const Decoded decoded = decode(flipped, raw.size());
        CHECK((!decoded.complete || decoded.raw.size() == raw.size()));
    }
}

TEST_CASE("frame codec: a large window, a skippable frame and other bytes are refused") {  // A40, A42
    // Magic, no content size, a window of 16 MiB, one last RLE block of 100 bytes.
    CHECK(decode(bytes_of_hex("28b52ffd"
                              "00"
                              "70"
                              "230300"
                              "5a"),
                 100)
              .refused);
    // The same with a window of 8 MiB.
    CHECK(decode(bytes_of_hex("28b52ffd00682303005a"), 100).complete);
    CHECK(decode(bytes_of_hex("502a4d180400000001020304"), 4).refused);
    CHECK(decode(bytes_of("<html>this is no frame</html>"), 100).refused);
}

}  // namespace fardel::tests::frame_codec_test
