// The log of a build: its text, hostile texts, and what two logs tell of each other.
#include <fardel/packer/build_log.h>

#include "kit/files.h"
#include "kit/ids.h"
#include "kit/test.h"

namespace fardel::tests::build_log_test {

using Parts = std::vector<KeyPart>;
using Changes = std::vector<KeyChange>;

const std::string kKey(64, 'a');

LoggedJob logged(std::string job, char key, ResultOrigin origin, Parts parts) {
    return {.job = std::move(job),
            .key = value_of(BuildKey::parse(std::string(64, key))),
            .origin = origin,
            .parts = std::move(parts)};
}

BuildLog golden_log() {
    const Parts parts{{"source", "a.txt", kKey}, {"parameter", "mode", "\"fast \\\"\""}, {"found", "x/y", "absent"}};
    return {
        .project = "studio/game",
        .jobs = {logged("up → a.up", 'a', ResultOrigin::run, parts), logged("bake of b", 'b', ResultOrigin::cache, {}),
                 logged("bake of c", 'c', ResultOrigin::verified, {})}};
}

const std::string kText = R"({"fardel_log":1,"project":"studio/game"}
{"job":"up → a.up","key":")" +
                          kKey + R"(","parts":[["source","a.txt",")" + kKey +
                          R"("],["parameter","mode","\"fast \\\"\""],["found","x/y","absent"]],"result":"run"}
{"job":"bake of b","key":")" +
                          std::string(64, 'b') + R"(","parts":[],"result":"cache"}
{"job":"bake of c","key":")" +
                          std::string(64, 'c') + R"(","parts":[],"result":"verified"}
)";

Error refusal_of(std::string_view text) {
    const auto log = parse_build_log(text);
    REQUIRE_FALSE(log);
    return log.error();
}

TEST_CASE("build log: it is JSON Lines, and is read as it was written") {
    const BuildLog log = golden_log();
    CHECK(format_build_log(log) == kText);
    CHECK(value_of(parse_build_log(kText)) == log);
    CHECK(value_of(parse_build_log(kText + "\n\n")) == log);
    CHECK(value_of(parse_build_log(kText.substr(0, kText.size() - 1))) == log);
    const ScratchFolder scratch;
    CHECK(write_build_log(scratch.path("log"), log));
    CHECK(value_of(read_build_log(scratch.path("log"))) == log);
    CHECK(code_of(read_build_log(scratch.path("none"))) == ErrorCode::missing);
}

TEST_CASE("build log: what is no log is refused, with the line") {  // A159
    const std::string head = "{\"fardel_log\":1,\"project\":\"g\"}\n";
    const auto refused = [&](const std::string& line) {
        const Error error = refusal_of(head + line);
        CHECK(error.code() == ErrorCode::malformed);
        CHECK(error.message().starts_with("line 2: "));
    };
    for (const char* const text :
         {"", "\n", "7", "[]", "{}", "{\"fardel_log\":\"1\"}", "{\"fardel_log\":-1}", "no json"})
        CHECK(refusal_of(text).code() == ErrorCode::malformed);
    CHECK(refusal_of("{\"fardel_log\":2}").code() == ErrorCode::unsupported);
    refused("{}");
    refused("{\"job\":\"a\",\"key\":\"" + kKey + "\",\"result\":\"run\"}");
    refused("{\"job\":\"a\",\"key\":\"" + kKey + "\",\"parts\":[],\"result\":\"walked\"}");
    refused("{\"job\":\"a\",\"key\":\"" + kKey.substr(1) + "\",\"parts\":[],\"result\":\"run\"}");
    refused("{\"job\":1,\"key\":\"" + kKey + "\",\"parts\":[],\"result\":\"run\"}");
    refused("{\"job\":\"a\",\"key\":\"" + kKey + "\",\"parts\":[[\"a\",\"b\"]],\"result\":\"run\"}");
    refused("{\"job\":\"a\",\"key\":\"" + kKey + "\",\"parts\":[[\"a\",\"b\",[]]],\"result\":\"run\"}");
    refused("{\"job\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}");
    for (std::size_t size = 0; size + 1 < kText.size(); ++size)
        if (const auto cut = parse_build_log(std::string_view(kText).substr(0, size)))
            CHECK(cut->jobs.size() < 3);  // a file that was cut between two lines
}

TEST_CASE("build log: bytes that are not UTF-8 become a replacement, and the rest stays") {
    const BuildLog log{.project = "g", .jobs = {logged("a", 'a', ResultOrigin::run, {{"found", "\xff.h", "absent"}})}};
    CHECK(value_of(parse_build_log(format_build_log(log))).jobs[0].parts[0].name == "\xef\xbf\xbd.h");
}

TEST_CASE("build log: changes name what is other, new and gone") {
    const Parts before{{"source", "a", "1"}, {"parameter", "x", "7"}, {"found", "h", "absent"}, {"version", "", "1"}};
    const Parts after{{"source", "a", "2"}, {"input", "a", "1"}, {"found", "h", "5"}, {"version", "", "1"}};
    CHECK(changes_between(before, after) == Changes{{"source", "a", "1", "2"},
                                                    {"input", "a", "", "1"},
                                                    {"found", "h", "absent", "5"},
                                                    {"parameter", "x", "7", ""}});
    CHECK(changes_between(before, before).empty());
    const Parts twice{{"code", "a", "1"}, {"code", "a", "2"}};
    CHECK(changes_between(twice, twice).empty());
    CHECK(changes_between({}, {}).empty());
}

TEST_CASE("build log: a comparison lists jobs that differ, are in one log only, or ran in both with equal keys") {
    const Parts parts{{"source", "a", "1"}};
    const BuildLog ci{
        .project = "g",
        .jobs = {logged("same", '1', ResultOrigin::run, parts), logged("other", '2', ResultOrigin::run, parts),
                 logged("gone", '3', ResultOrigin::run, {{"source", "b", "1"}}),
                 logged("twice", '4', ResultOrigin::run, parts)}};
    const BuildLog mine{
        .project = "g",
        .jobs = {logged("same", '1', ResultOrigin::cache, parts),
                 logged("other", '5', ResultOrigin::run, {{"source", "a", "2"}}),
                 logged("new", '6', ResultOrigin::run, {}), logged("twice", '4', ResultOrigin::run, parts)}};
    const auto compared = compare_build_logs(ci, mine);
    CHECK(compared.equal == 1);
    REQUIRE(compared.differences.size() == 4);
    CHECK((compared.differences[0].job == "gone" && !compared.differences[0].in_second));
    CHECK((compared.differences[1].job == "new" && !compared.differences[1].in_first));
    CHECK(compared.differences[2].job == "other");
    CHECK(compared.differences[2].changes == Changes{{"source", "a", "1", "2"}});
    CHECK((compared.differences[3].job == "twice" && compared.differences[3].changes.empty()));

    CHECK(compare_build_logs(ci, mine, "b").differences.size() == 1);         // an input
    CHECK(compare_build_logs(ci, mine, "new").differences.size() == 1);       // a job
    CHECK(compare_build_logs(ci, mine, "22222222").differences.size() == 1);  // a key of one log
    CHECK(compare_build_logs(ci, mine, "2222222").differences.empty());
    CHECK(compare_build_logs(ci, mine, "nothing").equal == 0);
}

}  // namespace fardel::tests::build_log_test
