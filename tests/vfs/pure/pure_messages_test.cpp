#include <fardel/vfs/pure_check.h>

#include "kit/record_family.h"
#include "vfs/test_bundle.h"

#include <fardel/format/hash.h>

namespace fardel::tests::pure_messages_test {

template <std::size_t N>
Bytes vector_of(const std::array<std::byte, N>& bytes) {
    return {bytes.begin(), bytes.end()};
}

std::string header(std::string_view magic) { return std::string(magic) + std::string("\2\0\0\0\0\0\0\0", 8); }
std::string times(std::size_t count, char byte) { return std::string(count, byte); }

const PureOffer kOffer{filled_id<Hash>('n'),
                       filled_id<Hash>('p'),
                       filled_id<Hash>('e'),
                       {ForeignUrl("https://a.example/x"), ForeignUrl("b")}};
PureAnswer some_answer() {
    PureAnswer answer{filled_id<Hash>('n'), filled_id<Hash>('p'), filled_id<Hash>('c'), filled_id<Hash>('r'), {},
                      filled_id<Hash>('m')};
    answer.variants[0] = 0x01020304;
    answer.variants[15] = 1;
    return answer;
}
const PureVerdict kVerdict{filled_id<Hash>('n'), 0x0142, {1, 2, 3, 4, 5, 0x01000006}, filled_id<Hash>('r')};

TEST_CASE("pure offer: passes the tests of every record") {
    const std::string sources = "https://a.example/x\nb\n";
    const Bytes golden = bytes_of(header("FARDELPO") + times(32, 'n') + times(32, 'p') + times(32, 'e') + sources +
                                  times(512 - sources.size(), '\0'));
    CHECK(golden.size() == kPureOfferBytes);
    check_record_family(
        kOffer, golden, [](const PureOffer& offer) { return vector_of(encode_pure_offer(offer).value()); },
        decode_pure_offer);
}

TEST_CASE("pure answer: passes the tests of every record") {
    const Bytes golden =
        bytes_of(header("FARDELPA") + times(32, 'n') + times(32, 'p') + times(32, 'c') + times(32, 'r') + "\4\3\2\1" +
                 times(56, '\0') + "\1" + times(3, '\0') + times(32, 'm'));
    CHECK(golden.size() == kPureAnswerBytes);
    check_record_family(
        some_answer(), golden, [](const PureAnswer& answer) { return vector_of(encode_pure_answer(answer)); },
        decode_pure_answer);
}

TEST_CASE("pure verdict: passes the tests of every record") {
    std::string counts;
    for (const char count : {'\1', '\2', '\3', '\4', '\5'})
        counts += count + times(3, '\0');
    const Bytes golden = bytes_of(header("FARDELPV") + times(32, 'n') + "\x42\1" + times(2, '\0') + counts +
                                  std::string("\6\0\0\1", 4) + times(32, 'r'));
    CHECK(golden.size() == kPureVerdictBytes);
    check_record_family(
        kVerdict, golden, [](const PureVerdict& verdict) { return vector_of(encode_pure_verdict(verdict)); },
        decode_pure_verdict);
}

TEST_CASE("pure messages: bad magic is malformed, a later version or feature unsupported") {
    const Bytes offer = vector_of(encode_pure_offer(kOffer).value());
    const Bytes answer = vector_of(encode_pure_answer(some_answer()));
    const Bytes verdict = vector_of(encode_pure_verdict(kVerdict));
    const auto code = [](const Bytes& bytes) {
        const auto a = decode_pure_offer(bytes);
        const auto b = decode_pure_answer(bytes);
        const auto c = decode_pure_verdict(bytes);
        CHECK_FALSE((a || b || c));
        const ErrorCode codes[] = {a.error().code(), b.error().code(), c.error().code()};
        return *std::ranges::max_element(codes);  // malformed < unsupported
    };
    for (const Bytes& good : {offer, answer, verdict}) {
        for (const std::size_t at : {std::size_t{0}, std::size_t{7}}) {
            Bytes bad = good;
            bad[at] ^= std::byte{1};
            CHECK(code(bad) == ErrorCode::malformed);
        }
        for (std::size_t at = 8; at < 16; ++at) {
            Bytes later = good;
            later[at] ^= std::byte{1};
            CHECK(code(later) == ErrorCode::unsupported);
        }
    }
    CHECK(decode_pure_answer(offer).error().code() == ErrorCode::malformed);
    CHECK(decode_pure_offer({}).error().code() == ErrorCode::malformed);
    PureVerdict later = kVerdict;
    later.refusals = kPureRefusalsKnown + 1;
    CHECK(decode_pure_verdict(encode_pure_verdict(later)).error().code() == ErrorCode::unsupported);
}

TEST_CASE("pure offer: sources fill their field or are refused, and are nothing but printable lines") {
    PureOffer offer = kOffer;
    offer.sources = {ForeignUrl(std::string(kPureSourcesBytes - 1, 's'))};
    CHECK(decode_pure_offer(*encode_pure_offer(offer)).value() == offer);
    offer.sources = {ForeignUrl(std::string(kPureSourcesBytes, 's'))};
    CHECK(encode_pure_offer(offer).error().code() == ErrorCode::limit);
    offer.sources.clear();
    CHECK(decode_pure_offer(*encode_pure_offer(offer)).value() == offer);
    for (const std::string bad : {"", "a b", "a\nb", "\x1b[2J", "caf\xc3\xa9"}) {
        offer.sources = {ForeignUrl(bad)};
        CHECK(encode_pure_offer(offer).error().code() == ErrorCode::malformed);
    }
    // These are text after the padding, an empty line, and a line without a line feed.
    for (const std::string& field :
         {std::string("a\n\0b\n", 5), std::string("\n"), std::string("a\n\nb\n"), std::string("a")}) {
        offer.sources.clear();
        Bytes bytes = vector_of(encode_pure_offer(offer).value());
        std::ranges::copy(bytes_of(field), bytes.end() - kPureSourcesBytes);
        CHECK(decode_pure_offer(bytes).error().code() == ErrorCode::malformed);
    }
}

TEST_CASE("pure verdict: each refusal has its own word") {
    PureVerdict all{filled_id<Hash>('n'), kPureRefusalsKnown, {}, {}};
    const auto texts = refusal_texts(all);
    REQUIRE(texts.size() == 9);
    CHECK(texts.front().word == "unknown-offer");
    CHECK(texts.back().word == "wrong-proof");
    CHECK(refusal_texts({}).empty());
    PureVerdict replayed;
    replayed.add(PureRefusal::replayed);
    REQUIRE(refusal_texts(replayed).size() == 1);
    CHECK(refusal_texts(replayed)[0].word == "replayed");
    CHECK_FALSE(replayed.welcome());
}

}  // namespace fardel::tests::pure_messages_test
