#include "blocks/block_filter.h"

#include "bundle-format/document_vectors.h"
#include "kit/bytes.h"
#include "kit/test.h"

#include <fardel/format/block_encoder.h>

namespace fardel::tests::block_filter_test {

Bytes filtered(Filter filter, const Bytes& raw) {
    Bytes out(raw.size());
    apply_filter(filter, raw, out);
    return out;
}

Bytes undone(Filter filter, const Bytes& bytes) {
    Bytes out(bytes.size());
    undo_filter(filter, bytes, out);
    return out;
}

Bytes undone_plainly(Filter filter, const Bytes& bytes) {
    Bytes out(bytes.size());
    undo_filter_plainly(filter, bytes, out);
    return out;
}

TEST_CASE("block filter: each gives the bytes of the format's document, and the raw bytes again") {
    const auto vectors = read_document_vectors("bundle-format.md");
    const Bytes raw = vectors.at("raw-bytes-to-filter");
    CHECK(filtered(Filter::none, raw) == raw);
    for (const auto& pair : {std::pair(Filter::delta, "delta"), std::pair(Filter::delta16, "delta16"),
                             std::pair(Filter::rgb, "rgb"), std::pair(Filter::delta4, "delta4"),
                             std::pair(Filter::delta8, "delta8"), std::pair(Filter::shuffle4, "shuffle4")}) {
        const Filter filter = pair.first;
        const std::string name = pair.second;
        CAPTURE(name);
        const Bytes wanted = vectors.at("filter-" + name);
        CHECK(filtered(filter, raw) == wanted);
        CHECK(undone(filter, wanted) == raw);
        CHECK(undone_plainly(filter, wanted) == raw);
    }
}

TEST_CASE("block filter: what is undone was applied, with vectors and without, at every size") {
    for (const Filter filter : kFilters) {
        CAPTURE(static_cast<int>(filter));
        for (std::size_t size = 0; size < 700; ++size) {
            CAPTURE(size);
            const Bytes raw = noise(size, size + 1);
            REQUIRE(undone(filter, filtered(filter, raw)) == raw);
            // Any bytes are what a filter gives of some others.
            REQUIRE(undone_plainly(filter, raw) == undone(filter, raw));
            REQUIRE(filtered(filter, undone(filter, raw)) == raw);
        }
        for (const std::size_t size :
             {std::size_t{65535}, std::size_t{65536}, std::size_t{262143}, std::size_t{262144}}) {
            const Bytes raw = noise(size, size);
            CHECK(undone(filter, raw) == undone_plainly(filter, raw));
            CHECK(filtered(filter, undone(filter, raw)) == raw);
        }
    }
}

// ---- Chosen ---------------------------------------------------------------------------------------------------------

// A mono sound of 16-bit samples that move by small steps.
Bytes sound(std::size_t bytes) {
    FARDEL_RANDOM(random);
    Bytes out;
    int level = 0;
    while (out.size() < bytes) {
        level += static_cast<int>(random() % 401) - 200;
        out.push_back(static_cast<std::byte>(level));
        out.push_back(static_cast<std::byte>(level >> 8));
    }
    return out;
}

// Numbers of so many bytes, each byte of which goes its own way, mostly in even steps.
Bytes vertices(std::size_t bytes, std::size_t number_bytes) {
    FARDEL_RANDOM(random);
    Bytes out;
    std::vector<unsigned> number(number_bytes, 128);
    while (out.size() < bytes)
        for (std::size_t place = 0; place < number_bytes; ++place) {
            number[place] += static_cast<unsigned>(random() % 12 == 0 ? random() : place + 1);
            out.push_back(static_cast<std::byte>(number[place]));
        }
    return out;
}

// Pixels whose colour changes slowly and whose light does not.
Bytes picture(std::size_t pixels) {
    FARDEL_RANDOM(random);
    Bytes out;
    unsigned light = 128, red = 40, blue = 90;
    for (std::size_t i = 0; i < pixels; ++i) {
        light += static_cast<unsigned>(random() % 61) - 30;
        red += static_cast<unsigned>(random() % 3) - 1;
        blue += static_cast<unsigned>(random() % 3) - 1;
        for (const unsigned channel : {light + red, light, light + blue})
            out.push_back(static_cast<std::byte>(channel));
    }
    return out;
}

Filter chosen_for(const Bytes& raw, BlockEncoding encoding) {
    BlockEncoder encoder;
    const BlockEncoding chosen = encoder.choose_filter(encoding, raw);
    CHECK(without_filter(chosen.codec) == encoding.codec);
    CHECK(chosen.level == encoding.level);
    if (filter_of(chosen.codec) == Filter::none)
        return Filter::none;
    // It is worth it, and comes out again.
    Bytes room(stored_bytes_max(raw.size())), plain(room.size()), back(raw.size());
    const auto stored = encoder.encode(chosen, raw, room);
    REQUIRE_FALSE(stored.empty());
    const auto without = encoder.encode(encoding, raw, plain);
    CHECK(stored.size() < (without.empty() ? raw.size() : without.size()));
    REQUIRE(BlockDecoder().decode(chosen.codec, stored, back));
    CHECK(back == raw);
    return filter_of(chosen.codec);
}

TEST_CASE("block filter: one is chosen for sounds, pixels and numbers, and none for text, noise or nothing") {
    for (const BlockEncoding& encoding : {BlockEncoding{Codec::zstd, 9}, BlockEncoding{Codec::zstd, 1},
                                          BlockEncoding{Codec::zstd, 19}, BlockEncoding{Codec::lz4, 0}}) {
        CAPTURE(static_cast<int>(encoding.codec));
        CAPTURE(encoding.level);
        for (const std::size_t size :
             {std::size_t{3000}, std::size_t{16384}, std::size_t{65536}, std::size_t{262144}}) {
            CAPTURE(size);
            CHECK(chosen_for(sound(size), encoding) == Filter::delta16);
            CHECK(chosen_for(picture(size / 3), encoding) == Filter::rgb);
            CHECK(chosen_for(vertices(size, 4), encoding) == Filter::delta4);
            CHECK(chosen_for(vertices(size, 8), encoding) == Filter::delta8);
            CHECK(chosen_for(bytes_of(prose(size, 2)), encoding) == Filter::none);
            CHECK(chosen_for(noise(size, 2), encoding) == Filter::none);
        }
        for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{23}})
            CHECK(chosen_for(Bytes(size, std::byte{0x80}), encoding) == Filter::none);
    }
    CHECK(chosen_for(sound(65536), {Codec::zstd, 0}) == Filter::none);
}

TEST_CASE("block filter: one encoder chooses the same, whatever it was used for") {
    const Bytes raw = sound(65536);
    BlockEncoder used;
    for (const BlockEncoding& encoding : {BlockEncoding{Codec::zstd, 9}, BlockEncoding{Codec::lz4, 0},
                                          BlockEncoding{Codec::zstd, 19}, BlockEncoding{Codec::zstd, 9}}) {
        BlockEncoder fresh;
        CHECK(used.choose_filter(encoding, raw).codec == fresh.choose_filter(encoding, raw).codec);
    }
}

TEST_CASE("encode best: LZ4 gives way to zstd only where zstd saves a sixth of the block more") {
    BlockEncoder encoder;
    Bytes six_bits = noise(65536, 3), seven_bits = six_bits;
    for (std::byte& byte : six_bits)
        byte &= std::byte{0x3f};  // LZ4 saves nothing of it, zstd a quarter
    for (std::byte& byte : seven_bits)
        byte &= std::byte{0x7f};  // an eighth
    Bytes room(stored_bytes_max(65536)), back(65536);
    const auto codec_of = [&](const Bytes& raw, const BlockEncoding& encoding) {
        const BlockEncoder::Encoded encoded = encoder.encode_best(encoding, raw, room);
        if (encoded.codec == Codec::raw) {
            CHECK(encoded.stored.data() == raw.data());
            return encoded.codec;
        }
        CHECK(encoded.stored.data() == room.data());
        back.resize(raw.size());
        REQUIRE(BlockDecoder().decode(encoded.codec, encoded.stored, back));
        CHECK(back == raw);
        return without_filter(encoded.codec);
    };
    CHECK(codec_of(six_bits, {Codec::lz4, 9}) == Codec::zstd);
    CHECK(codec_of(six_bits, {Codec::lz4, 0}) == Codec::raw);  // level 0: zstd encodes nothing
    CHECK(codec_of(seven_bits, {Codec::lz4, 9}) == Codec::raw);
    CHECK(codec_of(seven_bits, {Codec::zstd, 9}) == Codec::zstd);
    CHECK(codec_of(bytes_of(prose(65536, 2)), {Codec::lz4, 9}) == Codec::lz4);
    CHECK(codec_of(noise(65536, 4), {Codec::lz4, 9}) == Codec::raw);
    CHECK(codec_of(vertices(65536, 8), {Codec::lz4, 9}) == Codec::lz4);
}

TEST_CASE("block filter: a codec with an unknown one is not known, and raw blocks have none") {  // A44
    Bytes out(100);
    for (const Codec codec :
         {with_filter(Codec::zstd, static_cast<Filter>(7)), with_filter(Codec::lz4, Filter{255}),
          with_filter(Codec::raw, Filter::delta), with_filter(static_cast<Codec>(2), Filter::delta)}) {
        CHECK_FALSE(is_known(codec));
        CHECK(BlockDecoder().decode(codec, Bytes(50), out).error().code() == ErrorCode::unsupported);
    }
}

}  // namespace fardel::tests::block_filter_test
