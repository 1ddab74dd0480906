#include "kit/test.h"

#include <fardel/format/ids.h>

#include <type_traits>
#include <unordered_set>

namespace fardel::tests::ids_test {

constexpr std::string_view kText = "0123456789abcdef00000000000000000000000000000000000000000000ff7f";

AssetId parsed(std::string_view text) { return value_of(AssetId::parse(text)); }

std::string refusal(std::string_view text) {
    const auto id = AssetId::parse(text);
    REQUIRE_FALSE(id);
    CHECK(id.error().code() == ErrorCode::malformed);
    return id.error().message();
}

TEST_CASE("id: text and bytes are in the same order") {
    const AssetId id = parsed(kText);
    CHECK(id.bytes[0] == 0x01);
    CHECK(id.bytes[7] == 0xef);
    CHECK(id.bytes[30] == 0xff);
    CHECK(id.bytes[31] == 0x7f);
    CHECK(id.hex() == kText);
}

TEST_CASE("id: every byte value survives text") {
    for (unsigned value = 0; value < 256; ++value) {
        AssetId id;
        id.bytes.fill(static_cast<std::uint8_t>(value));
        CHECK(parsed(id.hex()) == id);
    }
}

TEST_CASE("id: each proper prefix is refused, and one digit too many") {  // A18, A61
    for (std::size_t length = 0; length < kText.size(); ++length)
        refusal(kText.substr(0, length));
    CHECK(refusal(std::string(kText) + "0") == "asset id: expected 64 hexadecimal digits, found 65 bytes");
}

TEST_CASE("id: only lower-case hexadecimal digits are accepted, at each position") {  // A18
    for (std::size_t at = 0; at < kText.size(); ++at) {
        for (unsigned value = 0; value < 256; ++value) {
            const char c = static_cast<char>(value);
            const bool good = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
            std::string text(kText);
            text[at] = c;
            if (AssetId::parse(text).has_value() != good)
                FAIL("byte ", value, " at ", at);
        }
    }
    std::string text(kText);
    text[9] = 'A';
    CHECK(refusal(text) == "asset id: byte 10 of 64 is not a lower-case hexadecimal digit");
}

TEST_CASE("id: ids sort as their text does, by unsigned bytes") {
    const AssetId low = parsed("00000000000000000000000000000000000000000000000000000000000000ff");
    const AssetId middle = parsed("7f00000000000000000000000000000000000000000000000000000000000000");
    const AssetId high = parsed("8000000000000000000000000000000000000000000000000000000000000000");
    CHECK(low < middle);
    CHECK(middle < high);
    CHECK((low <=> low) == std::strong_ordering::equal);
    CHECK(low != high);
}

TEST_CASE("id: the zero id is recognised") {
    CHECK(AssetId{}.is_zero());
    CHECK_FALSE(parsed(kText).is_zero());
    AssetId last;
    last.bytes[31] = 1;
    CHECK_FALSE(last.is_zero());
}

TEST_CASE("id: ids are keys of hash tables") {
    std::unordered_set<AssetId> ids{parsed(kText), AssetId{}, parsed(kText)};
    CHECK(ids.size() == 2);
}

TEST_CASE("id: kinds do not mix, and each names itself in errors") {
    static_assert(!std::is_convertible_v<AssetId, BundleId> && !std::is_constructible_v<AssetId, BundleId>);
    static_assert(std::is_trivially_copyable_v<AssetId> && sizeof(AssetId) == 32);
    CHECK(BundleId::parse("").error().message().starts_with("bundle id: "));
    CHECK(fardel::LayoutId::parse("").error().message().starts_with("layout id: "));
    CHECK(fardel::PublicKey::parse("").error().message().starts_with("public key: "));
    CHECK(fardel::Hash::parse("").error().message().starts_with("hash: "));
}

}  // namespace fardel::tests::ids_test
