// ServerRates: a server is compared with what the others give. The test decides what time it is.
#include "server_rates.h"

#include "kit/test.h"

namespace fardel::tests::server_rates_test {

using std::chrono::milliseconds;
using std::chrono::seconds;

const SteadyTime kStart{std::chrono::hours(1)};
const std::string kSlow = "http://slow/f";
const std::string kQuick = "http://quick/f";
const std::vector<std::string> kOthers{kQuick};

// A transfer that got so many bytes in so many seconds, at an even rate.
RecentRate received(std::uint64_t bytes, int time_s) {
    RecentRate rate(kStart);
    for (int second = 1; second <= time_s; ++second) {
        rate.add(bytes / static_cast<std::uint64_t>(time_s));
        static_cast<void>(rate.per_second(kStart + seconds(second)));
    }
    return rate;
}

void know(ServerRates& rates, const std::string& url, std::uint64_t per_second) {
    RecentRate rate = received(10 * per_second, 10);
    rates.begin(url);
    rates.end(url, rate, false, kStart + seconds(10));
}

ServerRates::Transfer transfer_of(std::uint64_t left_bytes) {
    return {.url = kSlow, .left_bytes = left_bytes, .again_bytes = left_bytes};
}

TEST_CASE("server rates: a server is left when another one needs less than half of the time, and not before") {  // A149
    ServerRates rates;
    know(rates, kQuick, 100'000);
    RecentRate rate = received(10'000, 10);
    const SteadyTime now = kStart + seconds(10);
    // The rest, 100,000 bytes, takes 100 s here, and 2 s there with the time for another request.
    CHECK(rates.find_sooner(transfer_of(100'000), rate, kOthers, now) == 0u);
    CHECK_FALSE(rates.find_sooner(transfer_of(100'000), rate, {}, now));
    // 2 s here, and 1.02 s there: not half.
    CHECK_FALSE(rates.find_sooner(transfer_of(2'000), rate, kOthers, now));
    CHECK(rates.find_sooner(transfer_of(2'100), rate, kOthers, now) == 0u);
    ServerRates even;
    know(even, kQuick, 1'999);
    CHECK_FALSE(even.find_sooner(transfer_of(10'000'000), rate, kOthers, now));
    know(even, kQuick, 2'001);
    CHECK(even.find_sooner(transfer_of(10'000'000), rate, kOthers, now) == 0u);
    // What would be sent again counts.
    CHECK_FALSE(
        even.find_sooner({.url = kSlow, .left_bytes = 10'000'000, .again_bytes = 20'000'000}, rate, kOthers, now));
    // Nothing came at all.
    RecentRate none = received(0, 10);
    CHECK(rates.find_sooner(transfer_of(1), none, kOthers, now) == 0u);
}

TEST_CASE("server rates: a transfer has its time before it is judged") {  // A149
    ServerRates rates;
    know(rates, kQuick, 100'000);
    RecentRate rate(kStart);
    CHECK_FALSE(rates.find_sooner(transfer_of(100'000), rate, kOthers, kStart + kRateKnownAfter - milliseconds(1)));
    CHECK(rates.find_sooner(transfer_of(100'000), rate, kOthers, kStart + kRateKnownAfter) == 0u);
}

TEST_CASE("server rates: of a server that nobody asked yet, one transfer finds out, if the rest takes long") {  // A149
    ServerRates rates;
    RecentRate rate = received(10'000, 10);
    const SteadyTime now = kStart + seconds(10);
    CHECK_FALSE(rates.find_sooner(transfer_of(10'000), rate, kOthers, now));  // 10 s
    CHECK(rates.find_sooner(transfer_of(10'001), rate, kOthers, now) == 0u);
    rates.begin(kQuick);
    CHECK_FALSE(rates.find_sooner(transfer_of(1'000'000), rate, kOthers, now));
    // It is no quicker: from now on that is known.
    RecentRate trial = received(10'000, 10);
    rates.end(kQuick, trial, false, now);
    CHECK_FALSE(rates.find_sooner(transfer_of(1'000'000), rate, kOthers, now));
    // Another URL of the same server is no other server.
    CHECK_FALSE(rates.find_sooner(transfer_of(1'000'000), rate, {"http://slow/other"}, now));
}

TEST_CASE("server rates: a server that has failed is not tried for a minute") {
    ServerRates rates;
    RecentRate none(kStart);
    rates.begin(kQuick);
    rates.end(kQuick, none, true, kStart);
    RecentRate rate = received(10'000, 10);
    CHECK_FALSE(rates.find_sooner(transfer_of(1'000'000), rate, kOthers, kStart + seconds(59)));
    CHECK(rates.find_sooner(transfer_of(1'000'000), rate, kOthers, kStart + seconds(60)) == 0u);
}

TEST_CASE(
    "server rates: a server that fails again and again is left alone for longer, until it sends something") {  // A149
    ServerRates rates;
    SteadyTime now = kStart;
    for (const int minutes : {1, 2, 4, 8, 16, 32, 32}) {
        CAPTURE(minutes);
        CHECK_FALSE(rates.has_failed(kQuick, now));
        rates.note_failure(kQuick, now);
        CHECK(rates.has_failed("http://quick/another", now + std::chrono::minutes(minutes) - seconds(1)));
        now += std::chrono::minutes(minutes);
    }
    rates.note_failure(kQuick, now);
    know(rates, kQuick, 100'000);
    CHECK_FALSE(rates.has_failed(kQuick, now));
    rates.note_failure(kQuick, now);
    CHECK_FALSE(rates.has_failed(kQuick, now + std::chrono::minutes(1)));
}

TEST_CASE("server rates: a server that sends whole files is known for all its files") {
    ServerRates rates;
    CHECK_FALSE(rates.sends_whole_files(kQuick));
    rates.note_whole_files("http://quick/another");
    CHECK(rates.sends_whole_files(kQuick));
    CHECK_FALSE(rates.sends_whole_files(kSlow));
}

TEST_CASE("server rates: what was quick for a moment and is slow now is slow") {  // A149
    ServerRates rates;
    know(rates, kQuick, 100'000);
    RecentRate rate(kStart);
    rate.add(10'000'000);
    for (int second = 1; second <= 20; ++second)
        static_cast<void>(rate.per_second(kStart + seconds(second)));
    CHECK(rates.find_sooner(transfer_of(1'000'000), rate, kOthers, kStart + seconds(20)) == 0u);
}

TEST_CASE("server rates: the first server is asked, unless another is known to be more than twice as quick") {  // A149
    ServerRates rates;
    const std::vector<std::string> urls{kSlow, kQuick};
    CHECK(rates.quickest(urls, 0, kStart) == 0);
    CHECK(rates.quickest(urls, 1, kStart) == 1);
    know(rates, kQuick, 100'000);
    CHECK(rates.quickest(urls, 0, kStart) == 0);  // of the first one, nothing is known
    know(rates, kSlow, 50'000);
    CHECK(rates.quickest(urls, 0, kStart) == 0);
    know(rates, kSlow, 49'999);
    CHECK(rates.quickest(urls, 0, kStart) == 1);
    // A few bytes say little: they make neither a quick server slow nor a server known.
    RecentRate small = received(100, 1);
    for (const std::string& url : {kQuick, std::string("http://near/f")}) {
        rates.begin(url);
        rates.end(url, small, false, kStart + seconds(1));
    }
    CHECK(rates.quickest(urls, 0, kStart) == 1);
    CHECK(rates.quickest({"http://near/f", kQuick}, 0, kStart) == 0);
}

}  // namespace fardel::tests::server_rates_test
