#include <fardel/format/prefix_codec.h>

#include "kit/bytes.h"
#include "kit/test.h"

namespace fardel::tests::prefix_codec_test {

TEST_CASE("prefix codec: what is in the prefix costs little, and comes back") {
    const Bytes prefix = noise(300'000, 1);
    Bytes raw(prefix.begin() + 1000, prefix.begin() + 200'000);
    raw.insert(raw.begin() + 50'000, std::byte{7});
    const Bytes frame = encode_with_prefix(prefix, raw, 9);
    CHECK(frame.size() < 200);
    PrefixDecoder decoder;
    Bytes out(raw.size());
    REQUIRE(decoder.decode(prefix, frame, out));
    CHECK(out == raw);
    const Bytes alone = encode_with_prefix({}, raw, 1);
    REQUIRE(decoder.decode({}, alone, out));
    CHECK(out == raw);
}

TEST_CASE("prefix codec: a short search gives a larger frame with the same content") {
    const Bytes prefix = bytes_of(prose(100'000, 1));
    const Bytes raw = bytes_of(prose(100'000, 2));
    const Bytes frame = encode_with_prefix(prefix, raw, 19);
    const Bytes quick = encode_with_prefix(prefix, raw, 19, 1);
    CHECK(quick.size() > frame.size());
    PrefixDecoder decoder;
    Bytes out(raw.size());
    REQUIRE(decoder.decode(prefix, quick, out));
    CHECK(out == raw);
}

TEST_CASE("prefix codec: a frame that is cut, longer, of another size or noise is malformed") {
    const Bytes prefix = noise(5000, 1);
    const Bytes raw = bytes_of(prose(4000, 2));
    const Bytes frame = encode_with_prefix(prefix, raw, 3);
    PrefixDecoder decoder;
    Bytes out(raw.size());
    for (std::size_t size = 0; size < frame.size(); size += 5)
        CHECK(code_of(decoder.decode(prefix, std::span(frame).first(size), out)) == ErrorCode::malformed);
    Bytes longer = frame;
    longer.push_back(std::byte{0});
    CHECK(code_of(decoder.decode(prefix, longer, out)) == ErrorCode::malformed);
    CHECK(code_of(decoder.decode(prefix, noise(frame.size(), 3), out)) == ErrorCode::malformed);
    Bytes smaller(raw.size() - 1);
    CHECK(code_of(decoder.decode(prefix, frame, smaller)) == ErrorCode::malformed);
    REQUIRE(decoder.decode(prefix, frame, out));
    CHECK(out == raw);
}

TEST_CASE("prefix codec: with another prefix, a frame gives other bytes or an error, and reads nothing outside") {
    const Bytes prefix = noise(5000, 1);
    const Bytes frame = encode_with_prefix(prefix, Bytes(prefix.begin() + 100, prefix.end()), 3);
    PrefixDecoder decoder;
    Bytes out(4900);
    for (const std::size_t size : {0, 1, 50, 4999}) {
        const Status decoded = decoder.decode(noise(size, 2), frame, out);
        CHECK((!decoded || !std::ranges::equal(out, std::span(prefix).subspan(100))));
    }
}

}  // namespace fardel::tests::prefix_codec_test
