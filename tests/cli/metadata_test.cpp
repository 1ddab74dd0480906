// What bundles state about themselves and their assets: how it is written, and how the verbs show it.
#include "sample.h"

#include <nlohmann/json.hpp>

namespace fardel::tests::metadata_test {

using nlohmann::json;

TEST_CASE_FIXTURE(GameFolder, "pack --license, --metadata: are stated by the bundle, and shown by id, ls and which") {
    const std::string out = scratch.path("game.fardel");
    run_well({"pack", game, "-o", out, "--license", "CC-BY-4.0", "--metadata", "origin=https://example.org/a=b",
              "--metadata", "metric.levels=2.5", "--metadata", "expires=2099-12-31", "--metadata", "ours=yes"});
    const std::string text = run_well({"id", "--all", out});
    CHECK(word_after(text, "licence") == "CC-BY-4.0");
    CHECK(word_after(text, "origin") == "https://example.org/a=b");
    CHECK(word_after(text, "metric.levels") == "2.5");
    CHECK(word_after(text, "expires") == "2099-12-31");
    const json stated = json::parse(facts_of(out))["metadata"];
    CHECK(stated["licence"] == "CC-BY-4.0");
    CHECK(stated["metric.levels"] == 2.5);
    CHECK(stated["expires"] == 4'102'358'400);
    CHECK(stated["ours"] == "yes");
    CHECK(stated["name"] == "game");
    CHECK(json::parse(run_well({"ls", "--json", out}))["metadata"] == stated);
    const std::string which = run_well({"which", "--mount", out, "default.cfg"});
    CHECK(which.find("  licence CC-BY-4.0 (of its bundle)\n") != std::string::npos);
    CHECK(which.find("metric.levels") == std::string::npos);
    const json explained = json::parse(run_well({"which", "--mount", out, "default.cfg", "--json"}));
    CHECK(explained["metadata"]["licence"] == json({{"value", "CC-BY-4.0"}, {"of", "bundle"}}));
    CHECK(explained["reference"].is_null());
    CHECK(json::parse(run({"which", "--mount", out, "none", "--json"}).out)["metadata"].is_null());

    // Both spellings are one option, one key and one verb.
    const std::string same = scratch.path("same.fardel");
    for (const Arguments& spelled : {Arguments{"--licence", "MIT"}, Arguments{"--licence=MIT"},
                                     Arguments{"--metadata", "license=MIT"}, Arguments{"--metadata", "licence=MIT"}}) {
        Arguments words{"pack", game, "-o", same};
        words.insert(words.end(), spelled.begin(), spelled.end());
        run_well(words);
        CHECK(json::parse(facts_of(same))["metadata"]["licence"] == "MIT");
    }
    CHECK(run_well({"licence", "--help"}) == run_well({"license", "--help"}));
    CHECK(run_well({"help", "licence"}) == run_well({"license", "--help"}));
}

TEST_CASE_FIXTURE(GameFolder,
                  "pack --metadata: a key that is nearly a known one, and a value that is none, are mistakes") {
    const auto refuses = [&](const Arguments& words, std::string_view reason) {
        Arguments all{"pack", game, "-o", scratch.path("x.fardel")};
        all.insert(all.end(), words.begin(), words.end());
        const Outcome outcome = run(all);
        CAPTURE(outcome.err);
        CHECK(outcome.exit_code == 2);
        CHECK(outcome.err.find(reason) != std::string::npos);
        CHECK_FALSE(fs::exists(scratch.path("x.fardel")));
    };
    refuses({"--metadata", "licens=MIT"}, "did you mean 'licence'?");
    refuses({"--metadata", "orgin=x"}, "did you mean 'origin'?");
    refuses({"--metadata", "webpage=x"}, "did you mean 'web-page'?");
    refuses({"--metadata", "metrics.triangles=3"}, "did you mean 'metric.triangles'?");
    refuses({"--metadata", "metric.triangles=many"}, "'many' is not a number");
    refuses({"--metadata", "expires=soon"}, "expires is a day such as 2027-12-31");
    refuses({"--metadata", "name=x"}, "given with --name");
    refuses({"--metadata", "requires.base=1"}, "given with --require");
    refuses({"--metadata", "licence"}, "'licence' has no value");
    refuses({"--metadata", "=x"}, "KEY=VALUE");
    refuses({"--license", "MIT", "--metadata", "license=GPL-2.0"}, "'licence' is given twice");
}

TEST_CASE_FIXTURE(GameFolder, "pack --metadata: counts instead of what a project states under the same key") {
    scratch.write("fardel.toml",
                  "name = \"game\"\nsources = [\"game\"]\n[metadata]\nlicense = \"MIT\"\norigin = \"here\"\n");
    const std::string out = scratch.path("out.fardel");
    run_well({"pack", scratch.path("fardel.toml"), "-o", out, "--license", "CC0-1.0"});
    CHECK(json::parse(facts_of(out))["metadata"] ==
          json({{"licence", "CC0-1.0"}, {"name", "game"}, {"origin", "here"}}));
}

TEST_CASE("metadata of assets: ls and which show an asset's own, and what has expired is found by verify and audit") {
    const ScratchFolder scratch;
    scratch.write("a/old.txt", "old");
    scratch.write("a/new.txt", "new");
    scratch.write("fardel.toml",
                  "name = \"x\"\nversion = \"1\"\nsources = [\"a\"]\n[metadata]\nlicence = \"MIT\"\n[link]\n"
                  "[[rule]]\nmatch = \"old.txt\"\nmetadata = { expires = 1577836800, licence = \"proprietary\" }\n");
    const std::string out = scratch.path("x.fardel");
    run_well({"pack", scratch.path("fardel.toml"), "-o", out});
    const std::string wide = run_well({"ls", "-l", out});
    CHECK(wide.find("old.txt  (expires 2020-01-01 UTC)  (licence proprietary)\n") != std::string::npos);
    CHECK(wide.find("new.txt\n") != std::string::npos);
    const json names = json::parse(run_well({"ls", "--json", out}))["names"];
    CHECK(names[0]["metadata"] == json::object());
    CHECK(names[1]["metadata"] == json({{"expires", 1'577'836'800}, {"licence", "proprietary"}}));

    const Outcome which = run({"which", "--mount", out, "old.txt"});
    CHECK(which.exit_code == 1);
    CHECK(which.out.find(": refused\n") != std::string::npos);
    CHECK(which.out.find("expired on 2020-01-01") != std::string::npos);
    CHECK(which.out.find("  licence proprietary\n") != std::string::npos);
    CHECK(run_well({"which", "--mount", out, "new.txt"}).find("  licence MIT (of its bundle)\n") != std::string::npos);

    CHECK(run({"verify", out}).out.find("cannot be opened, expired on 2020-01-01") != std::string::npos);
    const Outcome audit = run({"audit", scratch.path("fardel.toml")});
    CHECK(audit.exit_code == 1);
    CHECK(audit.out.find("expired: 1\n  old.txt: since 2020-01-01 UTC\n") != std::string::npos);
    const json found = json::parse(run({"audit", scratch.path("fardel.toml"), "--json"}).out);
    CHECK(found["expired"] == json({{{"name", "old.txt"}, {"expires", 1'577'836'800}}}));
}

TEST_CASE("which --from: says whether a reference is static or dynamic, and where it leads") {
    const ScratchFolder scratch;
    scratch.write("a/house.obj", "mtllib house.mtl\nmtllib roof.mtl\n");
    scratch.write("a/house.mtl", "newmtl a\n");
    scratch.write("a/roof.mtl", "newmtl b\n");
    scratch.write("fardel.toml",
                  "name = \"x\"\nversion = \"1\"\nsources = [\"a\"]\n[link]\nroots = [\"*.obj\"]\n"
                  "[[rule]]\nmatch = \"house.mtl\"\ndynamic = true\n");
    scratch.write("m/house.mtl", "newmtl mod\n");
    scratch.write("m/roof.mtl", "newmtl mod roof\n");
    const std::string game = scratch.path("x.fardel"), mod = scratch.path("m.fardel");
    run_well({"pack", scratch.path("fardel.toml"), "-o", game});
    run_well({"pack", scratch.path("m"), "-o", mod});
    const auto which = [&](const std::string& reference, const Arguments& more = {}) {
        Arguments words{"which", "--mount", game, "--mount", mod, reference, "--from", "house.obj"};
        words.insert(words.end(), more.begin(), more.end());
        return run_well(words);
    };
    const std::string dynamic = which("house.mtl");
    CHECK(dynamic.starts_with("/house.mtl → /assets/" + b3sum(scratch.path("m/house.mtl")) + "\n  dynamic: "));
    CHECK(dynamic.find(mod + ": wins\n") != std::string::npos);
    const std::string fixed = which("roof.mtl");
    CHECK(fixed.find("/roof.mtl → /assets/" + b3sum(scratch.path("a/roof.mtl")) + "\n  static: ") != std::string::npos);
    CHECK(json::parse(which("house.mtl", {"--json"}))["reference"] == "dynamic");
    CHECK(json::parse(which("roof.mtl", {"--json"}))["reference"] == "static");
    // Without the mod the bundle itself gives the asset.
    CHECK(run_well({"which", "--mount", game, "house.mtl", "--from", "house.obj"})
              .starts_with("/house.mtl → /assets/" + b3sum(scratch.path("a/house.mtl"))));
    run_well({"links", game});
}

}  // namespace fardel::tests::metadata_test
