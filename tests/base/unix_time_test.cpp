#include "kit/test.h"

#include <fardel/base/clock.h>
#include <fardel/base/unix_time.h>

namespace fardel::tests::unix_time_test {

constexpr UnixTime kLast{UINT64_MAX};

TEST_CASE("unix time: sums and differences end at the first and the last moment") {
    CHECK(UnixTime{5} + 3 == UnixTime{8});
    CHECK(kLast - 1 + 1 == kLast);
    CHECK(kLast + UINT64_MAX == kLast);
    CHECK(UnixTime{5} - 3 == UnixTime{2});
    CHECK(UnixTime{5} - 6 == UnixTime{});
    CHECK(kLast - UnixTime{} == UINT64_MAX);
    CHECK(UnixTime{5} - UnixTime{3} == 2);
    CHECK(UnixTime{3} - UnixTime{5} == 0);
}

TEST_CASE("unix time: a date has passed from its second on; without a date or a time, nothing has") {
    CHECK_FALSE(has_passed(UnixTime{5}, UnixTime{4}));
    CHECK(has_passed(UnixTime{5}, UnixTime{5}));
    CHECK(has_passed(UnixTime{}, UnixTime{}));
    CHECK_FALSE(has_passed(std::nullopt, kLast));
    CHECK_FALSE(has_passed(UnixTime{}, std::nullopt));
}

TEST_CASE("unix time: a time of a file from before 1970 is the start of 1970") {
    CHECK(second_of(1'999'999'999) == UnixTime{1});
    CHECK(second_of(-1) == UnixTime{});
    CHECK(system_now() > UnixTime{1'700'000'000});
}

}  // namespace fardel::tests::unix_time_test
