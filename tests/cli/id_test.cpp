#include "sample.h"

#include <nlohmann/json.hpp>

using namespace fardel::tests;
using nlohmann::json;

TEST_CASE("id: prints what b3sum says about the first 4096 bytes, and nothing else") {
    const ScratchFolder scratch;
    const std::string bundle = make_bundle(scratch);
    const Outcome sum = run_shell("head -c 4096 " + bundle + " | b3sum --no-names");
    CHECK(run_well({"id", bundle}) == sum.out);
    CHECK(run_well({"id", bundle}).size() == 65);
}

TEST_CASE("id --all: also layout id, name, version and that nobody has signed") {
    const ScratchFolder scratch;
    const std::string bundle = make_bundle(scratch);
    const std::string text = run_well({"id", "--all", bundle});
    CHECK(word_behind(text, "bundle") == run_well({"id", bundle}).substr(0, 64));
    CHECK(word_behind(text, "layout").size() == 64);
    CHECK(word_behind(text, "name") == "game");
    CHECK(word_behind(text, "version") == "1.0");
    CHECK(text.ends_with("unsigned\n"));
    const json told = json::parse(run_well({"id", "--json", bundle}));
    CHECK(told["bundle"] == word_behind(text, "bundle"));
    CHECK(told["layout"] == word_behind(text, "layout"));
    CHECK(told["assets"] == 4);
    CHECK(told["names"] == 5);
    CHECK(told["signatures"].empty());
}
