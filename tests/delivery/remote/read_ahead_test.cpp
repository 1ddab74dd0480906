#include "remote/read_ahead.h"

#include "kit/test.h"

namespace fardel::tests::read_ahead_test {

TEST_CASE("read ahead: a single read requests nothing; the second in order does, and windows grow to a bound") {
    ReadAhead ahead;
    CHECK_FALSE(ahead.note_read(1'000'000, 1'065'536));
    std::uint64_t requested = 1'131'072;
    std::uint64_t largest = 0;
    for (std::uint64_t at = 1'065'536; at < 40'000'000; at += 65'536) {
        const auto range = ahead.note_read(at, at + 65'536);
        if (!range)
            continue;
        CHECK(range->offset == std::max(requested, at + 65'536));
        CHECK(range->end > range->offset);
        requested = range->end;
        largest = std::max(largest, requested - (at + 65'536));
    }
    CHECK(requested >= 40'000'000);
    CHECK(largest == 2u << 20);
}

TEST_CASE("read ahead: readers at different offsets are told apart, and random reads request nothing") {
    ReadAhead ahead;
    for (int round = 0; round < 8; ++round)
        for (std::uint64_t reader = 1; reader <= 4; ++reader) {
            const std::uint64_t at = reader * 100'000'000 + round * 65'536;
            const auto range = ahead.note_read(at, at + 65'536);
            CHECK((round != 1 || range));
            if (range)
                CHECK(range->offset / 100'000'000 == reader);
        }
    ReadAhead random;
    for (std::uint64_t i = 0; i < 1000; ++i) {
        const std::uint64_t at = (i * 7'919'777) % 1'000'000'007;
        CHECK_FALSE(random.note_read(at, at + 1000));
    }
}

}  // namespace fardel::tests::read_ahead_test
