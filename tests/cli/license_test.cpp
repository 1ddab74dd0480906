// fardel license, and the mounts and collections that its tokens decide.
#include "sample.h"

#include <nlohmann/json.hpp>

namespace fardel::tests::license_test {

using nlohmann::json;

struct LicensedGame {
    ScratchFolder scratch;
    std::string author = make_key(scratch, "author");
    std::string shop = make_key(scratch, "shop");
    std::string stranger = make_key(scratch, "stranger");
    std::string policy = scratch.path("p.trust");
    std::string bundle = scratch.path("game/packs.fardel");
    std::string store = scratch.path("store");

    LicensedGame() {
        scratch.write("game/assets/a.txt", "paid for");
        scratch.write("game/fardel.toml",
                      "name = \"packs/one\"\nversion = \"1\"\noutput = \"packs.fardel\"\n"
                      "sources = [\"assets\"]\n[metadata]\n"
                      "license-token = \"ask shop.example\"\n");
        run_well({"build", scratch.path("game"), "--key", author});
        run_well({"trust", "init", policy, "--author", author + ".pub", "--registry", shop + ".pub"});
        std::string text = read_file(policy);
        text.replace(text.find(" registry=1:shop"), 16, "");
        std::ofstream(policy, std::ios::trunc) << text << "license packs/* shop\n";
    }

    std::string token(const std::string& key, const std::string& name, const std::string& until,
                      const Arguments& about) const {
        Arguments words{"license", "issue", "--key", key, "--until", until, "-o", scratch.path(name)};
        words.insert(words.end(), about.begin(), about.end());
        CHECK(run(words, {.variables = {{"SOURCE_DATE_EPOCH", "1000000000"}}}).exit_code == 0);
        return scratch.path(name);
    }
    Arguments which(const Arguments& more) const {
        Arguments words{"which", "--mount", bundle, "--trust", policy, "/a.txt"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
};

TEST_CASE("license: a bundle that requires a token is mounted only with one that the policy accepts") {  // A76
    const LicensedGame game;
    const std::string good = game.token(game.shop, "good", "2999-01-01", {"--bundle", game.bundle});
    const std::string by_name = game.token(game.shop, "name", "2999-01-01", {"--name", "packs/*"});
    const std::string ended = game.token(game.shop, "ended", "2010-01-01", {"--bundle", game.bundle});
    const std::string forged = game.token(game.stranger, "forged", "2999-01-01", {"--bundle", game.bundle});
    const std::string other = game.token(game.shop, "other", "2999-01-01", {"--bundle", std::string(64, 'a')});
    run_well(game.which({"--license", good}));
    run_well(game.which({"--license", ended, "--license", by_name}));
    const Outcome none = run(game.which({}));
    CHECK(is_one_clear_line(none, "missing"));
    CHECK(none.err.find("ask shop.example") != std::string::npos);
    CHECK(is_one_clear_line(run(game.which({"--license", other})), "missing"));
    CHECK(is_one_clear_line(run(game.which({"--license", ended})), "expired"));
    CHECK(is_one_clear_line(run(game.which({"--license", forged})), "untrusted"));
    CHECK(is_one_clear_line(run({"which", "--mount", game.bundle, "--license", good, "/a.txt"}), "untrusted"));
    const auto verified = [&](const std::string& token) {
        const Outcome outcome = run({"verify", game.bundle, "--trust", game.policy, "--license", token, "--json"});
        return json::parse(outcome.out)["bundles"][0]["findings"];
    };
    CHECK(verified(good).empty());
    CHECK(verified(ended)[0]["rule"] == "license-ended");
    CHECK(verified(forged)[0]["rule"] == "license-refused");
    CHECK(verified(other)[0]["rule"] == "license-missing");
    CHECK(verified(other)[1]["rule"] == "license-of-another-bundle");
    CHECK(run({"verify", game.bundle, "--trust", game.policy}).exit_code == 0);  // no token is asked for
    CHECK(run({"verify", game.bundle, "--license", good}).exit_code == 2);
    run_well({"license", "add", ended, "--store", game.store});
    CHECK(run({"verify", game.bundle, "--trust", game.policy, "--store", game.store}).exit_code == 1);
    run_well({"license", "add", good, "--store", game.store});
    run_well({"verify", game.bundle, "--trust", game.policy, "--store", game.store});
    flip_bit(forged, 60);
    CHECK(is_one_clear_line(run(game.which({"--license", forged})), "untrusted"));
    CHECK(run({"cat", game.bundle, "a.txt"}).exit_code == 0);  // looking into a file needs no token

    const json shown = json::parse(run_well({"license", "show", "--json", good, ended}))["tokens"];
    REQUIRE(shown.size() == 2);
    CHECK(shown[0]["ended"] == false);
    CHECK(shown[1]["ended"] == true);
    CHECK(run({"license", "issue", "--key", game.shop, "--until", "2999-01-01", "-o", game.scratch.path("x")})
              .exit_code == 2);
    CHECK(is_one_clear_line(run({"license", "issue", "--key", game.shop, "--name", "a", "--until", "2010-01-01", "-o",
                                 game.scratch.path("x")}),
                            "expired"));
}

TEST_CASE("license: a store mounts with its tokens, and gc removes a bundle whose last token has ended") {  // A76
    const LicensedGame game;
    run_well({"store", "add", game.bundle, "--store", game.store});
    const std::string bundle = json::parse(facts_of(game.bundle))["bundle"];
    const Arguments which{"which", "--mount", bundle, "--store", game.store, "--trust", game.policy, "/a.txt"};
    const auto removed = [&] {
        return json::parse(run_well({"store", "gc", "--grace", "0s", "--json", "--store", game.store}))["bundles"];
    };
    CHECK(is_one_clear_line(run(which), "missing"));
    CHECK(removed().empty());  // it may not be paid for yet
    const std::string ended = game.token(game.shop, "ended", "2010-01-01", {"--bundle", game.bundle});
    const std::string renewed = game.token(game.shop, "renewed", "2999-01-01", {"--name", "packs/*"});
    run_well({"license", "add", ended, renewed, "--store", game.store});
    CHECK(json::parse(run_well({"license", "ls", "--json", "--store", game.store}))["tokens"].size() == 2);
    run_well(which);
    CHECK(removed().empty());

    for (const auto& entry : fs::directory_iterator(game.store + "/retention/licenses"))
        if (read_file(entry.path().string()) == read_file(renewed))
            fs::remove(entry.path());
    CHECK(is_one_clear_line(run(which), "expired"));
    run_well({"store", "pin", bundle, "--store", game.store});
    const json gone = removed();
    REQUIRE(gone.size() == 1);
    CHECK(gone[0]["bundle"] == bundle);
    CHECK(gone[0]["reason"] == "its licence has ended");
    CHECK(gone[0]["removed"] == true);
    CHECK(run(which).exit_code != 0);
    removed();
    CHECK(json::parse(run_well({"license", "ls", "--json", "--store", game.store}))["tokens"].empty());
}

}  // namespace fardel::tests::license_test
