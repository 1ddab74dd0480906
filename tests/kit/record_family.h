// The tests that every record of the format passes: golden bytes, round trip, each proper prefix refused, one extra
// byte refused, each flipped bit refused or read as exactly what it says.
#pragma once

#include "test.h"

namespace fardel::tests {

// `encode`: value → Bytes. `decode`: span → Result<value>.
template <class Value, class Encode, class Decode>
void check_record_family(const Value& value, const Bytes& golden, Encode encode, Decode decode) {
    CHECK(encode(value) == golden);
    const auto again = decode(std::span<const std::byte>(golden));
    REQUIRE(again);
    CHECK(*again == value);

    for (std::size_t length = 0; length < golden.size(); ++length) {
        CAPTURE(length);
        CHECK_FALSE(decode(std::span(golden).first(length)));
    }
    Bytes longer = golden;
    longer.push_back(std::byte{0});
    CHECK_FALSE(decode(std::span<const std::byte>(longer)));

    for (std::size_t bit = 0; bit < golden.size() * 8; ++bit) {
        CAPTURE(bit);
        Bytes flipped = golden;
        flipped[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
        const auto read = decode(std::span<const std::byte>(flipped));
        if (!read)
            continue;
        CHECK(encode(*read) == flipped);  // no bit is ignored, and no value has two encodings
        CHECK_FALSE(*read == value);
    }
}

}  // namespace fardel::tests
