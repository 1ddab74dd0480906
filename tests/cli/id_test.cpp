#include "sample.h"

#include <nlohmann/json.hpp>

using namespace fardel::tests;
using nlohmann::json;

TEST_CASE("id: prints the BLAKE3 hash of the first 4096 bytes, and nothing else") {
    const ScratchFolder scratch;
    const std::string bundle = make_bundle(scratch);
    const Outcome sum = run_shell("head -c 4096 " + bundle + " | b3sum --no-names");
    CHECK(run_well({"id", bundle}) == sum.out);
    CHECK(run_well({"id", bundle}).size() == 65);
}

TEST_CASE("id --all: also prints layout id, name and version, and that there is no signature") {
    const ScratchFolder scratch;
    const std::string bundle = make_bundle(scratch);
    const std::string text = run_well({"id", "--all", bundle});
    CHECK(word_after(text, "bundle") == run_well({"id", bundle}).substr(0, 64));
    CHECK(word_after(text, "layout").size() == 64);
    CHECK(word_after(text, "name") == "game");
    CHECK(word_after(text, "version") == "1.0");
    CHECK(text.ends_with("unsigned\n"));
    const json output = json::parse(run_well({"id", "--json", bundle}));
    CHECK(output["bundle"] == word_after(text, "bundle"));
    CHECK(output["layout"] == word_after(text, "layout"));
    CHECK(output["assets"] == 4);
    CHECK(output["names"] == 5);
    CHECK(output["signatures"].empty());
}
