// RateLimit: no more than the limit in the long run, and not much less on a busy machine.
#include "rate_limit.h"

#include "kit/test.h"

namespace fardel::tests::rate_limit_test {

using namespace std::chrono_literals;

constexpr std::uint64_t kRate = 1'000'000;
constexpr std::uint64_t kPiece = 16'384;  // what libcurl gives at once
const RateLimit::Clock::time_point kBegin{1h};

// What a client receives in that time that gets the processor only every `turn`, from a server that always has more.
std::uint64_t received_in(RateLimit& limit, RateLimit::Clock::time_point from, std::chrono::milliseconds time,
                          std::chrono::milliseconds turn) {
    std::uint64_t bytes = 0;
    for (auto now = from; now < from + time; now += turn)
        while (limit.pause(now).count() == 0 && limit.try_spend(kPiece))
            bytes += kPiece;
    return bytes;
}

TEST_CASE("rate limit: the limit is kept and used, also by a client that gets the processor four times per second") {
    for (const auto turn : {1ms, 20ms, 100ms, 200ms, 250ms}) {
        CAPTURE(turn.count());
        RateLimit limit(kRate, kBegin);
        const std::uint64_t bytes = received_in(limit, kBegin, 10s, turn);
        CHECK(bytes <= 10 * kRate + kPiece);
        CHECK(bytes >= 10 * kRate * 95 / 100);
    }
}

TEST_CASE("rate limit: after an hour without transfers, no more than a quarter of a second comes at once") {
    RateLimit limit(kRate, kBegin);
    const std::uint64_t bytes = received_in(limit, kBegin + 1h, 1ms, 1ms);
    CHECK(bytes >= kRate / 4);
    CHECK(bytes <= kRate / 4 + kPiece);
}

TEST_CASE("rate limit: a pause is short, so that a stop is noticed, and there is none without a limit") {
    RateLimit limit(kRate, kBegin);
    CHECK(limit.try_spend(100 * kRate));
    CHECK_FALSE(limit.try_spend(1));
    CHECK(limit.pause(kBegin) == 50ms);
    RateLimit none(0, kBegin);
    CHECK(none.try_spend(100 * kRate));
    CHECK(none.try_spend(100 * kRate));
    CHECK(none.pause(kBegin) == 0ms);
}

}  // namespace fardel::tests::rate_limit_test
