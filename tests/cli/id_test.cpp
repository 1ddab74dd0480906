#include "sample.h"

#include <nlohmann/json.hpp>

namespace fardel::tests::id_test {

using nlohmann::json;

TEST_CASE_FIXTURE(PackedGame, "id: prints the BLAKE3 hash of the first 4096 bytes, and nothing else") {
    const Outcome sum = run_shell("head -c 4096 " + bundle + " | b3sum --no-names");
    CHECK(run_well({"id", bundle}) == sum.out);
    CHECK(run_well({"id", bundle}).size() == 65);
}

TEST_CASE_FIXTURE(PackedGame, "id --all: also prints layout id, name and version, and that there is no signature") {
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

}  // namespace fardel::tests::id_test
