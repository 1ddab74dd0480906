// An end-to-end test on a real game: the archives of OpenArena that Debian ships.

#include "kit/openarena.h"
#include "sample.h"

#include <nlohmann/json.hpp>

namespace fardel::tests::openarena_test {

using nlohmann::json;

std::string quoted(const std::string& text) { return "'" + text + "'"; }

TEST_CASE("OpenArena: packed, signed, verified, listed and extracted, it has the files and hashes of unzip and b3sum") {
    const std::vector<std::string> archives = {openarena_archive("pak5-TA.pk3"), openarena_archive("pak6-misc.pk3")};
    const ScratchFolder scratch;
    const std::string bundle = scratch.path("openarena.fardel");
    const std::string key = make_key(scratch, "author");
    const json packed = json::parse(run_well({"pack", archives[0], archives[1], "-o", bundle, "--name", "openarena",
                                              "--version", "0.8.8", "--level", "3", "--jobs", "1", "--json"}));
    run_well({"pack", archives[0], archives[1], "-o", scratch.path("again.fardel"), "--name", "openarena", "--version",
              "0.8.8", "--level", "3", "--jobs", "2"});
    CHECK(run_program({"cmp", bundle, scratch.path("again.fardel")}).exit_code == 0);

    CHECK(run_shell("head -c 4096 " + bundle + " | b3sum --no-names").out == run_well({"id", bundle}));
    run_well({"sign", bundle, "--key", key, "--role", "author"});
    run_well({"trust", "init", scratch.path("p.trust"), "--author", key + ".pub"});
    CHECK(run_well({"verify", bundle, "--trust", scratch.path("p.trust")})
              .find("verdict: the bundle is good (0 errors") != std::string::npos);

    const json names = json::parse(run_well({"ls", "--json", bundle}))["names"];
    CHECK(names.size() == packed["names"]);
    CHECK(names.size() > 300);
    run_well({"extract", bundle, "-C", scratch.path("out")});
    std::size_t compared = 0;
    for (const json& name : names) {
        const std::string text = name["name"];
        const std::string file = scratch.path("out/" + text);
        REQUIRE(fs::file_size(file) == name["size"]);
        if (compared % 20 == 0) {
            CAPTURE(text);
            CHECK(b3sum(file) == name["asset"]);
            // The later archive wins.
            const std::string unzip = "unzip -p " + archives[1] + " " + quoted(text) + " 2>/dev/null || unzip -p " +
                                      archives[0] + " " + quoted(text);
            CHECK(run_shell("\"$FARDEL\" cat " + bundle + " " + quoted(text) + " >" + scratch.path("cat") + "; (" +
                            unzip + ") | cmp - " + scratch.path("cat"))
                      .exit_code == 0);
        }
        ++compared;
    }
    CHECK(compared > 300);
}

}  // namespace fardel::tests::openarena_test
