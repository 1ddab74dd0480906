#include "kit/test.h"

#include <set>

namespace fardel::tests::result_test {

Error sample() { return Error(ErrorCode::corrupt, "page 3 differs"); }

// The macros also work with values that can be moved but not copied.
Result<std::unique_ptr<int>> make_number(bool good) {
    if (!good)
        return sample();
    return std::make_unique<int>(7);
}

Status check_number(bool good) {
    FARDEL_TRY(make_number(good));
    return fardel::ok();
}

Result<int> doubled(bool first, bool second) {
    FARDEL_TRY_ASSIGN(const auto a, make_number(first));
    std::unique_ptr<int> b;
    FARDEL_TRY_ASSIGN(b, make_number(second));
    return *a + *b;
}

TEST_CASE("result: every error code has its own name") {
    std::set<std::string_view> names;
    for (int code = 0; code <= static_cast<int>(ErrorCode::cancelled); ++code)
        names.insert(fardel::error_code_name(static_cast<ErrorCode>(code)));
    CHECK(names == std::set<std::string_view>{"missing", "corrupt", "malformed", "limit", "untrusted", "revoked",
                                              "expired", "rollback", "unsupported", "conflict", "unresolved", "denied",
                                              "busy", "unreachable", "no_space", "io", "cancelled"});
}

TEST_CASE("result: an error has a code, a message and a text of both") {
    const Error error = sample();
    CHECK(error.code() == ErrorCode::corrupt);
    CHECK(error.message() == "page 3 differs");
    CHECK(error.text() == "corrupt: page 3 differs");
}

TEST_CASE("result: context comes before the message and leaves the code") {
    const Error error = sample().with_context("maps.fardel").with_context("mount");
    CHECK(error.code() == ErrorCode::corrupt);
    CHECK(error.message() == "mount: maps.fardel: page 3 differs");
}

TEST_CASE("result: copies of an error are independent") {
    Error first = sample();
    Error second = first;
    second = std::move(second).with_context("elsewhere");
    CHECK(first.message() == "page 3 differs");
    first = second;
    CHECK(first.message() == "elsewhere: page 3 differs");
    const Error& alias = first;
    first = alias;
    CHECK(first.message() == "elsewhere: page 3 differs");
}

TEST_CASE("result: a result holds a value or an error") {
    const Result<std::string> good = std::string("yes");
    REQUIRE(good);
    CHECK(good.has_value());
    CHECK(*good == "yes");
    CHECK(good->size() == 3);

    const Result<std::string> bad = sample();
    REQUIRE_FALSE(bad);
    CHECK_FALSE(bad.has_value());
    CHECK(bad.error().code() == ErrorCode::corrupt);
}

TEST_CASE("result: a value moves out of a result") {
    auto number = make_number(true);
    REQUIRE(number);
    const std::unique_ptr<int> taken = *std::move(number);
    CHECK(*taken == 7);
}

TEST_CASE("result: a status is a success until it has an error") {
    CHECK(fardel::ok());
    CHECK(Status());
    const Status bad = sample();
    REQUIRE_FALSE(bad);
    CHECK(bad.error().message() == "page 3 differs");
}

TEST_CASE("result: the macros pass values on and return errors") {
    CHECK(check_number(true));
    const Status status = check_number(false);
    REQUIRE_FALSE(status);
    CHECK(status.error().text() == "corrupt: page 3 differs");

    const auto sum = doubled(true, true);
    REQUIRE(sum);
    CHECK(*sum == 14);
    CHECK_FALSE(doubled(false, true));
    CHECK_FALSE(doubled(true, false));
}

}  // namespace fardel::tests::result_test
