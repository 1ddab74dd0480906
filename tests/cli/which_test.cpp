#include "sample.h"

#include <nlohmann/json.hpp>

using namespace fardel::tests;
using nlohmann::json;

TEST_CASE("which: the later mount wins, and each candidate is listed") {
    const ScratchFolder scratch;
    const std::string game = make_bundle(scratch);
    scratch.write("mod/default.cfg", "set name \"modder\"\n");
    const std::string mod = scratch.path("mod.fardel");
    run_well({"pack", scratch.path("mod"), "-o", mod});
    const std::string asset = b3sum(scratch.path("mod/default.cfg"));

    const std::string text = run_well({"which", "--mount", game, "--mount", mod, "default.cfg"});
    CHECK(text.starts_with("/default.cfg → /assets/" + asset + "\n"));
    CHECK(text.find(mod + ": wins\n") != std::string::npos);
    CHECK(text.find(game + ": same priority, mounted earlier\n") != std::string::npos);
    CHECK(text.find("no trusted signature") != std::string::npos);
    CHECK(run_well({"which", "--mount", game, "--mount", mod, "/default.cfg"}) == text);
    CHECK(run_well({"which", "--mount", mod, "--mount", game, "default.cfg"}).find(game + ": wins\n") !=
          std::string::npos);

    const json explained = json::parse(run_well({"which", "--mount", game, "--mount", mod, "default.cfg", "--json"}));
    CHECK(explained["kind"] == "published");
    CHECK(explained["winner"] == 0);
    REQUIRE(explained["candidates"].size() == 2);
    CHECK(explained["candidates"][0]["asset"] == asset);
    CHECK(explained["candidates"][0]["file"] == mod);
    CHECK(explained["candidates"][0]["tainted"] == true);
    CHECK(
        run_well({"which", "--mount", game, "/assets/" + asset.substr(0, 0) + b3sum(scratch.path("game/default.cfg"))})
            .find("wins") != std::string::npos);
}

TEST_CASE("which: folders, absent names and invalid paths") {
    const ScratchFolder scratch;
    const std::string game = make_bundle(scratch);
    CHECK(run_well({"which", "--mount", game, "maps"}).find(": a folder\n") != std::string::npos);
    const Outcome nothing = run({"which", "--mount", game, "nosuch"});
    CHECK(nothing.exit_code == 1);
    CHECK(nothing.out == "/nosuch: no such name\n");
    CHECK(is_one_clear_line(run({"which", "--mount", game, "../x"}), "malformed"));
    CHECK(is_one_clear_line(run({"which", "--mount", scratch.path("absent"), "x"}), "missing"));
    CHECK(is_one_clear_line(run({"which", "--mount", game, "--mount", game, "x"}), "conflict"));
}

TEST_CASE("which --trust: mounts only what the policy trusts, and names the signer") {
    const ScratchFolder scratch;
    const std::string game = make_bundle(scratch);
    const std::string key = make_key(scratch, "author");
    run_well({"trust", "init", scratch.path("p.trust"), "--author", key + ".pub"});
    const Arguments arguments{"which", "--mount", game, "--trust", scratch.path("p.trust"), "default.cfg"};
    const Outcome refused = run(arguments);
    CHECK(refused.exit_code == 1);
    CHECK(is_one_clear_line(refused, "untrusted"));
    run_well({"sign", game, "--key", key, "--role", "author"});
    CHECK(run_well(arguments).find("signed by author\n") != std::string::npos);
}
