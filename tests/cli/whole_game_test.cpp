// All archives of a real game: every byte of the bundle is compared with unzip and b3sum.

#include "kit/openarena.h"
#include "sample.h"

#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <sstream>

namespace fardel::tests::whole_game_test {

using nlohmann::json;

// The hash of every file below a folder, by path, as b3sum prints it.
std::map<std::string, std::string> hashes_below(const std::string& folder) {
    const Outcome listed = run_shell("cd " + folder + " && find . -type f -print0 | xargs -0 b3sum");
    REQUIRE(listed.exit_code == 0);
    std::map<std::string, std::string> hashes;
    std::istringstream lines(listed.out);
    for (std::string line; std::getline(lines, line);)
        hashes[line.substr(64 + 4)] = line.substr(0, 64);  // "<hash>  ./<path>"
    return hashes;
}

TEST_CASE(
    "OpenArena whole: every file comes back identical by name, and by hash equal to b3sum; equal files are one asset") {
    const std::vector<std::string> sources = openarena_archives();
    const ScratchFolder scratch;
    const std::string bundle = scratch.path("game.fardel");
    Arguments pack{"pack"};
    pack.insert(pack.end(), sources.begin(), sources.end());
    for (const char* word : {"-o", bundle.c_str(), "--name", "openarena", "--level", "1", "--json"})
        pack.emplace_back(word);
    const json packed = json::parse(run_well(pack));

    // The expected files: each archive unpacked over the ones before it.
    for (const std::string& source : sources)
        REQUIRE(run_program({"unzip", "-q", "-o", source, "-d", scratch.path("truth")}).exit_code == 0);
    const auto truth = hashes_below(scratch.path("truth"));
    CHECK(truth.size() > 4000);

    const json names = json::parse(run_well({"ls", "--json", bundle}))["names"];
    CHECK(names.size() == truth.size());
    std::set<std::string> different;
    for (const json& name : names) {
        const std::string text = name["name"];
        CAPTURE(text);
        const auto found = truth.find(text);
        REQUIRE(found != truth.end());
        CHECK(name["asset"] == found->second);
        different.insert(found->second);
    }
    CHECK(packed["assets"] == different.size());
    CHECK(different.size() < truth.size());

    run_well({"extract", bundle, "-C", scratch.path("out")});
    CHECK(run_program({"find", scratch.path("truth"), "-type", "d", "-empty", "-delete"}).exit_code ==
          0);  // bundles have files
    CHECK(run_program({"diff", "-r", scratch.path("truth"), scratch.path("out")}).exit_code == 0);
    CHECK(run_shell("head -c 4096 " + bundle + " | b3sum --no-names").out == run_well({"id", bundle}));
}

}  // namespace fardel::tests::whole_game_test
