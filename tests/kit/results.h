// The value of a result that must be good, and the code of one that must be an error. A result without its value.
#pragma once

#include <fardel/base/result.h>

#include <doctest/doctest.h>

#include <string_view>
#include <utility>

namespace fardel::tests {

template <class T>
T value_of(Result<T> result) {
    REQUIRE_MESSAGE(result, (result ? "" : result.error().text()));
    return *std::move(result);
}

template <class Value>
Status status_of(const Result<Value>& result) {
    return result ? ok() : Status(result.error());
}

// `Outcome` is a Result or a Status.
template <class Outcome>
ErrorCode code_of(const Outcome& outcome) {
    REQUIRE_FALSE(outcome);
    return outcome.error().code();
}

// Checks the error's code, and that its message contains `words`.
template <class Outcome>
void check_error(const Outcome& outcome, ErrorCode code, std::string_view words) {
    REQUIRE_FALSE(outcome);
    INFO(outcome.error().message());
    CHECK(outcome.error().code() == code);
    CHECK(outcome.error().message().find(words) != std::string::npos);
}

}  // namespace fardel::tests
