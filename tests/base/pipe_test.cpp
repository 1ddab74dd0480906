#include "kit/test.h"

#include <fardel/base/file.h>
#include <fardel/base/pipe.h>

#ifndef _WIN32
#include <fcntl.h>
#endif

#include <cerrno>

namespace fardel::tests::pipe_test {

SteadyTime from_now(std::chrono::milliseconds time) { return std::chrono::steady_clock::now() + time; }

TEST_CASE("pipe: written bytes are read, and then the pipe ends") {
    auto pipe = open_pipe();
    REQUIRE(pipe);
#ifndef _WIN32
    CHECK(::fcntl(pipe->read_end.number(), F_GETFD) == FD_CLOEXEC);
    CHECK(::fcntl(pipe->write_end.number(), F_GETFD) == FD_CLOEXEC);
#endif
    errno = 7;
    CHECK(write_byte(pipe->write_end.number(), 'x'));
    CHECK_FALSE(write_byte(-1, 'x'));
    CHECK(errno == 7);
    pipe->write_end.close();
    const auto text = read_text(pipe->read_end, 10, "pipe");
    REQUIRE(text);
    CHECK(*text == "x");
}

TEST_CASE("pipe: a non-blocking pipe reports that it would wait") {
    auto pipe = open_pipe();
    REQUIRE(pipe);
    REQUIRE(stop_waiting(pipe->read_end, "pipe"));
    std::byte out[1];
    const auto nothing = read_some(pipe->read_end, out, "pipe");
    REQUIRE_FALSE(nothing);
    CHECK(nothing.error().system_number() == EAGAIN);
    CHECK_FALSE(stop_waiting(Descriptor(), "pipe"));
}

TEST_CASE("pipe: waiting ends when the first pipe can be read, or at the deadline") {
    auto first = open_pipe();
    auto second = open_pipe();
    REQUIRE(first);
    REQUIRE(second);
    const Descriptor none;
    const Descriptor* const awaited[] = {&first->read_end, &none, &second->read_end};
    CHECK_FALSE(*wait_readable(awaited, from_now(std::chrono::milliseconds(5))));
    CHECK_FALSE(*wait_readable(awaited, from_now(std::chrono::milliseconds(-5))));
    CHECK(write_byte(second->write_end.number(), 'x'));
    CHECK(*wait_readable(awaited, std::nullopt));
    first->write_end.close();
    CHECK(*wait_readable(std::span(awaited).first(1), std::nullopt));
}

TEST_CASE("clock: time advances, and the remaining time is never below zero") {
    CHECK(wall_clock_ns() > 1'700'000'000'000'000'000);
    CHECK(milliseconds_until(from_now(std::chrono::milliseconds(-100))) == 0);
    const int left = milliseconds_until(from_now(std::chrono::milliseconds(60'000)));
    CHECK(left > 50'000);
    CHECK(left <= 60'000);
    CHECK(milliseconds_until(from_now(std::chrono::hours(24 * 365))) == 1'000'000'000);
}

}  // namespace fardel::tests::pipe_test
