#include "kit/emulator.h"
#include "kit/test.h"

#include <fardel/base/file.h>
#include <fardel/base/pipe.h>
#include <fardel/base/program.h>

#include <csignal>

namespace fardel::tests::program_test {

SteadyTime deadline_in(std::chrono::milliseconds time) { return std::chrono::steady_clock::now() + time; }

TEST_CASE("program: its exit status is reported, or the signal that killed it") {
    auto good = ChildProgram::start({"true"});
    REQUIRE(good);
    CHECK(good->wait().is_success());
    auto bad = ChildProgram::start({"sh", "-c", "exit 3"});
    REQUIRE(bad);
    const ProgramExit status = bad->wait();
    CHECK_FALSE(status.killed);
    CHECK(status.code == 3);
    auto killed = ChildProgram::start({"sh", "-c", "kill -TERM $$"});
    REQUIRE(killed);
    const ProgramExit end = killed->wait();
    CHECK(end.killed);
    CHECK(end.code == SIGTERM);
    CHECK_FALSE(end.is_success());
}

TEST_CASE("program: a program that does not exist is missing") {
    if (!can_see_missing_programs())
        return;
    const auto none = ChildProgram::start({"/no/such/program"});
    REQUIRE_FALSE(none);
    CHECK(none.error().text() == "missing: /no/such/program: No such file or directory");
    CHECK(ChildProgram::start({}).error().code() == ErrorCode::missing);
    CHECK(ChildProgram::start({""}).error().code() == ErrorCode::missing);
}

TEST_CASE("program: it uses the given streams") {
    auto input = open_pipe();
    auto output = open_pipe();
    REQUIRE(input);
    REQUIRE(output);
    auto child = ChildProgram::start({"cat"}, {.input = &input->read_end, .output = &output->write_end});
    REQUIRE(child);
    input->read_end.close();
    output->write_end.close();
    REQUIRE(write_whole(input->write_end, std::as_bytes(std::span("hello", 5)), "pipe"));
    input->write_end.close();  // closed on exec in the child, so cat sees the end
    const auto text = read_text(output->read_end, 100, "pipe");
    REQUIRE(text);
    CHECK(*text == "hello");
    const auto ended = child->wait_until(deadline_in(std::chrono::seconds(60)));
    REQUIRE(ended);
    CHECK(ended->is_success());
}

TEST_CASE("program: a program continues after the deadline, and is killed when its owner is destroyed") {
    auto output = open_pipe();
    REQUIRE(output);
    {
        auto child = ChildProgram::start({"sleep", "1000"}, {.output = &output->write_end});
        REQUIRE(child);
        CHECK_FALSE(child->wait_until(deadline_in(std::chrono::milliseconds(5))));
    }
    output->write_end.close();
    const auto text = read_text(output->read_end, 10, "pipe");  // ends, since the child is gone
    REQUIRE(text);
    CHECK(text->empty());
}

}  // namespace fardel::tests::program_test
