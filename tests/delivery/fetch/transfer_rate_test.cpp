// TransferRate: the rate of the last seconds, and the time left.
#include "fetch/transfer_rate.h"

#include "kit/test.h"

namespace fardel::tests::transfer_rate_test {

using namespace std::chrono_literals;

const TransferRate::Clock::time_point kStart{1h};

bool is_about(std::uint64_t value, std::uint64_t expected) {
    return value >= expected - expected / 100 && value <= expected + expected / 100;
}

// Passes on `bytes_per_second` for a while, ten times per second, and returns the latest progress.
FetchProgress receive(TransferRate& rate, TransferRate::Clock::time_point& now, std::uint64_t& received,
                      std::chrono::seconds time, std::uint64_t bytes_per_second, std::uint64_t total_bytes) {
    FetchProgress progress;
    for (const auto end = now + time; now < end;) {
        now += 100ms;
        received += bytes_per_second / 10;
        progress = rate.progress(received, total_bytes, now);
    }
    return progress;
}

TEST_CASE("transfer rate: it and the time left are not known at first, and then follow from the bytes") {
    TransferRate rate;
    for (const std::uint64_t early_ms : {0u, 100u, 300u, 499u}) {
        const std::uint64_t received = 4000 + 10 * early_ms;
        const FetchProgress progress = rate.progress(received, 100'000, kStart + std::chrono::milliseconds(early_ms));
        CHECK(progress.received_bytes == received);
        CHECK(progress.total_bytes == 100'000);
        CHECK(progress.bytes_per_second == 0);
        CHECK_FALSE(progress.seconds_left);
    }
    const FetchProgress later = rate.progress(14'000, 100'000, kStart + 1s);
    CHECK(later.bytes_per_second == 10'000);
    CHECK(later.seconds_left == 8);
}

TEST_CASE("transfer rate: it is that of the last five seconds, not of the whole transfer") {
    TransferRate rate;
    auto now = kStart;
    std::uint64_t received = 0;
    constexpr std::uint64_t kTotal = 20'000'000;
    CHECK(is_about(receive(rate, now, received, 10s, 1'000'000, kTotal).bytes_per_second, 1'000'000));
    const FetchProgress mixed = receive(rate, now, received, 2s, 1000, kTotal);
    CHECK(mixed.bytes_per_second > 400'000);
    CHECK(mixed.bytes_per_second < 700'000);
    const FetchProgress slow = receive(rate, now, received, 6s, 1000, kTotal);
    CHECK(is_about(slow.bytes_per_second, 1000));
    REQUIRE(slow.seconds_left);
    CHECK(is_about(*slow.seconds_left, (kTotal - received) / 1000));
}

TEST_CASE("transfer rate: of a transfer that stalls or was interrupted, no time left is claimed") {
    TransferRate rate;
    auto now = kStart;
    std::uint64_t received = 0;
    receive(rate, now, received, 3s, 1'000'000, 10'000'000);
    const FetchProgress stalled = receive(rate, now, received, 6s, 0, 10'000'000);
    CHECK(stalled.bytes_per_second == 0);
    CHECK_FALSE(stalled.seconds_left);
    const FetchProgress resumed = rate.progress(received + 1, 10'000'000, now + 1h);
    CHECK_FALSE(resumed.seconds_left);
}

TEST_CASE("transfer rate: more bytes than planned leave no time, and not a huge one") {
    TransferRate rate;
    rate.progress(0, 1000, kStart);
    const FetchProgress progress = rate.progress(2000, 1000, kStart + 1s);
    CHECK(progress.bytes_per_second == 2000);
    CHECK(progress.seconds_left == 0);
}

}  // namespace fardel::tests::transfer_rate_test
