#include <fardel/format/block_encoder.h>

#include "bundle-format/document_vectors.h"
#include "kit/bytes.h"
#include "kit/test.h"

namespace fardel::tests::codec_test {

constexpr std::size_t kSmall = 65536;
constexpr std::size_t kLarge = 262144;

// An encoder of one encoding.
struct TestEncoder {
    explicit TestEncoder(int level, Codec codec = Codec::zstd) : encoding{.codec = codec, .level = level} {}
    BlockEncoder encoder;
    BlockEncoding encoding;
};

// Returns nothing if the block stays raw.
Bytes encode(TestEncoder& with, std::span<const std::byte> raw) {
    Bytes out(stored_bytes_max(raw.size()));
    const auto stored = with.encoder.encode(with.encoding, raw, out);
    return {stored.begin(), stored.end()};
}

// A frame written by hand after RFC 8878 §3.1.1. Its blocks are "RLE": a size and one byte.
struct Frame {
    std::uint32_t magic = 0xfd2f'b528;
    unsigned descriptor = 0;
    Bytes header;                       // window, dictionary id, content size
    std::vector<std::uint32_t> blocks;  // sizes; at most 128 KiB each
    Bytes behind;

    static void put(Bytes& out, std::uint64_t value, std::size_t bytes) {
        for (std::size_t i = 0; i < bytes; ++i)
            out.push_back(static_cast<std::byte>(value >> 8 * i));
    }
    Bytes bytes() const {
        Bytes out;
        put(out, magic, 4);
        put(out, descriptor, 1);
        out.insert(out.end(), header.begin(), header.end());
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            put(out, (blocks[i] << 3) | (1u << 1) | (i + 1 == blocks.size() ? 1u : 0u), 3);
            out.push_back(std::byte{0x5a});
        }
        out.insert(out.end(), behind.begin(), behind.end());
        return out;
    }
};

// A valid "single segment" frame with the content size in four bytes, which the tests then damage.
Frame frame_of(std::uint32_t content, std::vector<std::uint32_t> blocks) {
    Frame frame{.descriptor = 0b1010'0000, .blocks = std::move(blocks)};
    Frame::put(frame.header, content, 4);
    return frame;
}

Bytes decoded(const Bytes& stored, std::size_t raw_bytes, Codec codec = Codec::zstd) {
    Bytes out(raw_bytes);
    require_good(BlockDecoder().decode(codec, stored, out));
    return out;
}

std::string refusal(const Bytes& stored, std::size_t raw_bytes, Codec codec = Codec::zstd) {
    Bytes out(raw_bytes);
    const Status status = BlockDecoder().decode(codec, stored, out);
    REQUIRE_FALSE(status);
    return status.error().text();
}

bool refused_for(const Frame& frame, std::size_t raw_bytes, std::string_view reason) {
    const std::string text = refusal(frame.bytes(), raw_bytes);
    INFO(text);
    return text.starts_with("malformed: ") && text.find(reason) != std::string::npos;
}

TEST_CASE("codec: encoded bytes decode to themselves, at every level and size") {
    for (const int level : {1, 2, 3, 5, 7, 9, 12, 15, 17, 19}) {
        TestEncoder encoder(level);
        for (const std::size_t size :
             {std::size_t{200}, std::size_t{255}, std::size_t{256}, std::size_t{257}, std::size_t{4096}, kSmall - 1,
              kSmall, kSmall + 1, kLarge / 2 + 1, kLarge - 1, kLarge}) {
            CAPTURE(level);
            CAPTURE(size);
            for (const Bytes& raw : {bytes_of(prose(size, 1)), Bytes(size, std::byte{7})}) {
                const Bytes stored = encode(encoder, raw);
                REQUIRE_FALSE(stored.empty());
                CHECK(decoded(stored, size) == raw);
            }
        }
    }
}

TEST_CASE("codec: a block stays raw when zstd saves less than 1/32") {
    TestEncoder encoder(9);
    CHECK(encode(encoder, noise(kSmall, 1)).empty());
    CHECK(encode(encoder, noise(kLarge, 2)).empty());
    for (const std::size_t size : {1u, 2u, 10u})
        CHECK(encode(encoder, noise(size, 3)).empty());

    // The noise has more and more zeros at its end: from some point on the block is compressed, and then saves enough.
    bool raw_seen = false, frame_seen = false;
    for (std::size_t zeros = 0; zeros <= 4096; zeros += 16) {
        Bytes raw = noise(kSmall, 4);
        std::fill(raw.end() - static_cast<std::ptrdiff_t>(zeros), raw.end(), std::byte{0});
        const Bytes stored = encode(encoder, raw);
        (stored.empty() ? raw_seen : frame_seen) = true;
        if (!stored.empty())
            CHECK((raw.size() - stored.size()) * 32 >= raw.size());
    }
    CHECK(raw_seen);
    CHECK(frame_seen);
}

TEST_CASE("codec: an encoder's output does not depend on earlier blocks") {
    std::mt19937 random(99);
    for (const int level : {1, 3, 5, 6, 9, 12, 13, 16, 19}) {
        TestEncoder used(level);
        for (int i = 0; i < 24; ++i) {
            const std::size_t size = 1 + random() % (i % 4 == 0 ? kLarge : kSmall);
            const Bytes raw = i % 3 == 0 ? noise(size, static_cast<std::uint32_t>(random()))
                                         : bytes_of(prose(size, static_cast<std::uint32_t>(random())));
            TestEncoder fresh(level);
            CHECK(encode(used, raw) == encode(fresh, raw));
        }
    }
}

TEST_CASE("codec: neighbouring blocks in memory are not used as dictionaries") {
    const Bytes both = bytes_of(prose(2 * kSmall, 5));
    TestEncoder used(9), fresh(9);
    (void)encode(used, std::span(both).first(kSmall));
    CHECK(encode(used, std::span(both).last(kSmall)) == encode(fresh, Bytes(both.end() - kSmall, both.end())));
}

TEST_CASE("codec: a raw block decodes to itself and must have exactly its size") {
    const Bytes bytes = noise(100, 6);
    Bytes out(100);
    REQUIRE(BlockDecoder().decode(Codec::raw, bytes, out));
    CHECK(out == bytes);
    CHECK(refusal(bytes, 99, Codec::raw).starts_with("malformed: "));
    CHECK(refusal(bytes, 101, Codec::raw).starts_with("malformed: "));
    CHECK(BlockDecoder().decode(Codec::raw, {}, {}));
}

TEST_CASE("codec: a frame in any form of the content size is read") {
    const Bytes expected(200, std::byte{0x5a});
    Frame one_byte{.descriptor = 0b0010'0000, .blocks = {200}};
    Frame::put(one_byte.header, 200, 1);
    CHECK(decoded(one_byte.bytes(), 200) == expected);

    Frame two_bytes{.descriptor = 0b0110'0000, .blocks = {kSmall}};
    Frame::put(two_bytes.header, kSmall - 256, 2);
    CHECK(decoded(two_bytes.bytes(), kSmall) == Bytes(kSmall, std::byte{0x5a}));

    CHECK(decoded(frame_of(200, {200}).bytes(), 200) == expected);

    Frame eight_bytes{.descriptor = 0b1110'0000, .blocks = {200}};
    Frame::put(eight_bytes.header, 200, 8);
    CHECK(decoded(eight_bytes.bytes(), 200) == expected);

    CHECK(decoded(frame_of(kLarge, {131072, 131072}).bytes(), kLarge) == Bytes(kLarge, std::byte{0x5a}));
}

TEST_CASE("codec: a window descriptor is accepted up to the block's size") {
    const auto with_window = [](unsigned descriptor) {
        Frame frame{.descriptor = 0b1000'0000, .blocks = std::vector<std::uint32_t>(64, 1024)};
        Frame::put(frame.header, descriptor, 1);
        Frame::put(frame.header, kSmall, 4);
        return frame;
    };
    CHECK(decoded(with_window(0).bytes(), kSmall).size() == kSmall);       // 1 KiB
    CHECK(decoded(with_window(6 << 3).bytes(), kSmall).size() == kSmall);  // 64 KiB
    CHECK(refused_for(with_window(6 << 3 | 1), kSmall, "window"));         // 72 KiB
    CHECK(refused_for(with_window(7 << 3), kSmall, "window"));
    for (const unsigned log : {27u, 31u, 41u})  // A42
        CHECK(refused_for(with_window((log - 10) << 3 | 7), kSmall, "window"));
}

TEST_CASE("codec: a frame with another content size than the block's is malformed") {  // A41
    CHECK(refused_for(frame_of(99, {99}), 100, "holds 99"));
    CHECK(refused_for(frame_of(101, {101}), 100, "holds 101"));
    CHECK(refused_for(frame_of(0, {0}), 100, "holds 0"));

    Frame absent{.descriptor = 0, .blocks = {kSmall}};
    Frame::put(absent.header, 6 << 3, 1);
    CHECK(refused_for(absent, kSmall, "content size"));

    Frame enormous{.descriptor = 0b1110'0000, .blocks = {100}};
    Frame::put(enormous.header, ~std::uint64_t{0}, 8);
    CHECK(refused_for(enormous, 100, "holds 18446744073709551615"));
}

TEST_CASE("codec: decoding a decompression bomb ends at the block's size") {  // A40
    CHECK(refused_for(frame_of(100, {101}), 100, ""));
    CHECK(refused_for(frame_of(100, {99}), 100, ""));
    CHECK(refused_for(frame_of(kSmall, {kSmall, kSmall}), kSmall, ""));
    const std::vector<std::uint32_t> many(6400, 131072);  // 25,600 bytes that decode to 838,860,800
    CHECK(refused_for(frame_of(838'860'800, many), kSmall, "holds 838860800"));
    CHECK(refused_for(frame_of(kSmall, many), kSmall, ""));
    CHECK(refused_for(frame_of(kLarge, std::vector<std::uint32_t>(20000, 0)), kLarge, ""));  // empty blocks
}

TEST_CASE("codec: anything but exactly one plain frame is malformed") {  // A42
    const Frame good = frame_of(100, {100});
    REQUIRE(decoded(good.bytes(), 100).size() == 100);

    Frame frame = good;
    frame.behind = {std::byte{0}};
    CHECK(refused_for(frame, 100, "behind its end"));
    frame.behind = good.bytes();
    CHECK(refused_for(frame, 100, "behind its end"));
    frame.behind = frame_of(0, {0}).bytes();
    CHECK(refused_for(frame, 100, "behind its end"));
    frame.behind = Frame{.magic = 0x184d'2a50}.bytes();
    CHECK(refused_for(frame, 100, "behind its end"));

    for (std::uint32_t kind = 0; kind < 16; ++kind) {
        frame = good;
        frame.magic = 0x184d'2a50 + kind;
        CHECK(refused_for(frame, 100, "skippable"));
    }
    for (const std::uint32_t magic :
         {0u, 0xfd2f'b527u, 0xfd2f'b51eu, 0xec30'a437u, ~0u}) {  // older formats, a dictionary
        frame = good;
        frame.magic = magic;
        CHECK(refused_for(frame, 100, "magic"));
    }
    frame = good;
    frame.descriptor |= 0b0000'0100;
    frame.behind = Bytes(4);
    CHECK(refused_for(frame, 100, "checksum"));
    for (const unsigned flag : {1u, 2u, 3u}) {  // A45
        frame = good;
        frame.descriptor |= flag;
        frame.header.insert(frame.header.begin(), std::size_t{1} << (flag - 1), std::byte{0});
        CHECK(refused_for(frame, 100, "dictionary"));
    }
    for (const unsigned bit : {0b0000'1000u, 0b0001'0000u}) {
        frame = good;
        frame.descriptor |= bit;
        CHECK(refused_for(frame, 100, "reserved"));
    }
}

TEST_CASE("codec: a frame is smaller than its block") {
    CHECK(refused_for(frame_of(13, {13}), 13, "13 bytes for a block of 13"));
    CHECK(refused_for(frame_of(1, {1}), 1, "for a block of 1"));
    CHECK(refusal({}, 0).starts_with("malformed: "));
    CHECK(refusal({}, 100).starts_with("malformed: "));
    CHECK(decoded(frame_of(14, {14}).bytes(), 14).size() == 14);
}

TEST_CASE("codec: a codec of a later version is unsupported") {  // A44
    for (const unsigned codec : {2u, 4u, 0xffffu})
        CHECK(refusal(frame_of(100, {100}).bytes(), 100, static_cast<Codec>(codec)).starts_with("unsupported: "));
}

TEST_CASE("codec: a cut frame is malformed at every length") {
    TestEncoder encoder(9);
    for (const Bytes& stored : {encode(encoder, bytes_of(prose(3000, 8))), frame_of(kSmall, {kSmall}).bytes()}) {
        const std::size_t raw_bytes = stored.size() < 20 ? kSmall : 3000;
        for (std::size_t length = 0; length < stored.size(); ++length)
            CHECK(refusal(Bytes(stored.begin(), stored.begin() + static_cast<std::ptrdiff_t>(length)), raw_bytes)
                      .starts_with("malformed: "));
    }
}

TEST_CASE("codec: a damaged frame fails or fills the block, and does nothing else") {  // A43
    FARDEL_RANDOM(random);
    TestEncoder encoder(9);
    const Bytes raw = bytes_of(prose(5000, 9));
    const Bytes good = encode(encoder, raw);
    const auto check = [&](const Bytes& stored) {
        Bytes out(raw.size());
        if (const Status status = BlockDecoder().decode(Codec::zstd, stored, out); !status)
            CHECK(status.error().code() == ErrorCode::malformed);
    };
    for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
        Bytes stored = good;
        stored[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
        check(stored);
    }
    for (int i = 0; i < 5000; ++i) {
        Bytes stored = good;
        for (unsigned changes = 1 + random() % 8; changes != 0; --changes)
            stored[10 + random() % (stored.size() - 10)] = static_cast<std::byte>(random());
        check(stored);
    }
    // The decoder's context still works.
    CHECK(decoded(good, raw.size()) == raw);
}

// ---- LZ4 ------------------------------------------------------------------------------------------------------------

TEST_CASE("codec: LZ4 blocks decode to themselves at every size, whatever came before") {
    TestEncoder used(0, Codec::lz4);
    for (const std::size_t size :
         {std::size_t{200}, std::size_t{255}, std::size_t{4096}, kSmall - 1, kSmall, kSmall + 1, kLarge - 1, kLarge})
        for (const Bytes& raw : {bytes_of(prose(size, 1)), Bytes(size, std::byte{7})}) {
            CAPTURE(size);
            const Bytes stored = encode(used, raw);
            REQUIRE_FALSE(stored.empty());
            CHECK(decoded(stored, size, Codec::lz4) == raw);
            TestEncoder fresh(9, Codec::lz4);
            CHECK(encode(fresh, raw) == stored);
        }
    CHECK(encode(used, noise(kSmall, 1)).empty());
}

TEST_CASE("codec: one encoder gives each encoding, in any order") {
    const Bytes raw = bytes_of(prose(kSmall, 3));
    TestEncoder mixed(1);
    for (const BlockEncoding& encoding : {BlockEncoding{Codec::zstd, 1}, BlockEncoding{Codec::lz4, 0},
                                          BlockEncoding{Codec::zstd, 19}, BlockEncoding{Codec::zstd, 1}}) {
        TestEncoder fresh(encoding.level, encoding.codec);
        mixed.encoding = encoding;
        CHECK(encode(mixed, raw) == encode(fresh, raw));
    }
    TestEncoder none(0);
    CHECK(encode(none, raw).empty());
}

TEST_CASE("codec: the LZ4 block of the format's document is read") {
    const auto vectors = read_document_vectors("bundle-format.md");
    const Bytes raw = vectors.at("raw-bytes-of-that-block");
    CHECK(decoded(vectors.at("lz4-block"), raw.size(), Codec::lz4) == raw);
    CHECK(raw == bytes_of("abcd" + std::string(20, 'd') + "efghi"));
}

TEST_CASE("codec: an LZ4 block with other bytes than one block of the right size is malformed") {  // A40, A41, A43
    TestEncoder encoder(0, Codec::lz4);
    const Bytes raw = bytes_of(prose(5000, 9));
    const Bytes good = encode(encoder, raw);
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, good.size(), raw.size() - 1, raw.size() + 1, kLarge})
        CHECK(refusal(good, size, Codec::lz4).starts_with("malformed: LZ4 block: "));
    for (std::size_t length = 0; length < good.size(); ++length)
        CHECK(refusal(Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length)), raw.size(), Codec::lz4)
                  .starts_with("malformed: LZ4 block: "));
    Bytes longer = good;
    longer.push_back(std::byte{0});
    CHECK(refusal(longer, raw.size(), Codec::lz4).starts_with("malformed: LZ4 block: "));
    // A match that begins before the block.
    CHECK(refusal(bytes_of(std::string("\x10"
                                       "a"
                                       "\x02\x00"
                                       "\x50"
                                       "efghi",
                                       10)),
                  14, Codec::lz4)
              .starts_with("malformed: LZ4 block: "));
    // A match of millions of bytes.
    Bytes bomb =
        bytes_of(std::string("\x1f"
                             "a"
                             "\x01\x00",
                             4));
    bomb.insert(bomb.end(), 20'000, std::byte{0xff});
    CHECK(refusal(bomb, kSmall, Codec::lz4).starts_with("malformed: LZ4 block: "));

    FARDEL_RANDOM(random);
    for (int i = 0; i < 20'000; ++i) {
        Bytes stored = good;
        for (unsigned changes = 1 + random() % 8; changes != 0; --changes)
            stored[random() % stored.size()] = static_cast<std::byte>(random());
        Bytes out(raw.size());
        if (const Status status = BlockDecoder().decode(Codec::lz4, stored, out); !status)
            CHECK(status.error().code() == ErrorCode::malformed);
    }
}

TEST_CASE("codec: threads decode side by side") {  // A53, A116
    TestEncoder encoder(3);
    const Bytes raw = bytes_of(prose(kLarge, 10)), stored = encode(encoder, raw);
    std::vector<int> wrong(8, 0);
    {
        std::vector<std::jthread> threads;
        for (int& count : wrong)
            threads.emplace_back([&] {
                Bytes out(raw.size());
                for (int i = 0; i < 20; ++i)
                    count += !BlockDecoder().decode(Codec::zstd, stored, out) || out != raw;
            });
    }
    CHECK(wrong == std::vector<int>(8, 0));
}

}  // namespace fardel::tests::codec_test
