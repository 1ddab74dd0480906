// fardel verify of whole stores and channels.
#include "channel_owner.h"

#include "kit/sarif_schema.h"

#include <set>

namespace fardel::tests::verify_whole_test {

using nlohmann::json;

json verified(const Arguments& words, int exit_code) {
    Arguments all{"verify"};
    all.insert(all.end(), words.begin(), words.end());
    all.push_back("--json");
    const Outcome outcome = run(all);
    CAPTURE(outcome.out);
    CAPTURE(outcome.err);
    CHECK(outcome.exit_code == exit_code);
    return json::parse(outcome.out);
}

// "channel-wrong expired channel-remark expired": rules and codes of the findings about the whole.
std::string whole_findings(const json& report) {
    std::string text;
    for (const json& one : report["set_findings"])
        text += (text.empty() ? "" : " ") + one["rule"].get<std::string>() + " " + one["code"].get<std::string>();
    return text;
}

bool has_rule(const json& findings, std::string_view rule) {
    return std::ranges::any_of(findings, [&](const json& one) { return one["rule"] == rule; });
}

fs::path largest_file_in(const fs::path& folder) {
    const auto paths = paths_below(folder);
    return *std::ranges::max_element(paths, {}, [](const fs::path& path) { return fs::file_size(path); });
}

TEST_CASE("verify --store: a store is verified as a whole, and its damage is in every form of the report") {
    const ScratchFolder scratch;
    const std::string store = scratch.path("store");
    const std::string key = make_key(scratch, "author");
    const std::string a = make_bundle(scratch, "a");
    sign(a, key, "author");
    scratch.write("b/other.txt", "other\n");
    run_well({"pack", scratch.path("b"), "-o", scratch.path("b.fardel"), "--name", "b"});
    run_well({"store", "add", a, scratch.path("b.fardel"), "--store", store});

    const json good = verified({"--store", store}, 0);
    CHECK(good["bundles"].size() == 2);
    CHECK(good["whole"] == store);
    CHECK(whole_findings(good) == "");
    CHECK(run_well({"verify", "--store", store}).find("verdict: the store is good (0 errors, ") != std::string::npos);

    // A policy is asked about each bundle.
    const std::string policy = make_policy(scratch, "p.trust", {"--author", key + ".pub"});
    const json judged = verified({"--store", store, "--trust", policy}, 1);
    CHECK(std::ranges::count_if(judged["bundles"], [](const json& one) { return one["good"] == true; }) == 1);

    const fs::path pack = largest_file_in(store);
    flip_bit(pack.string(), fs::file_size(pack) / 2);
    const std::string sarif = scratch.path("out.sarif"), junit = scratch.path("out.xml");
    const json bad = verified({"--store", store, "--sarif", sarif, "--junit", junit}, 1);
    CHECK(whole_findings(bad).starts_with("store-damaged corrupt"));
    CHECK(std::ranges::any_of(bad["bundles"], [](const json& one) { return one["good"] == false; }));
    CHECK(sarif_mistakes(scratch, sarif) == "");
    const json results = json::parse(read_file(sarif))["runs"][0]["results"];
    CHECK(std::ranges::any_of(results, [&](const json& one) {
        return one["ruleId"] == "store-damaged" &&
               one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "file://" + store;
    }));
    CHECK(read_file(junit).find("<testsuite name=\"" + store + "\" tests=") != std::string::npos);
    CHECK(read_file(junit).find("<failure type=\"corrupt\"") != std::string::npos);
    CHECK(run({"verify", "--store", scratch.path("absent")}).exit_code == 3);
    CHECK(run({"verify"}).exit_code == 2);
}

TEST_CASE("verify --channel: texts, dates and all bundles of the release are verified, in a tree and from a server") {
    const ChannelOwner owner;
    const std::string base = owner.bundle("base", "1.0");
    const std::string maps = owner.bundle("maps", "1.0");
    owner.release({base, maps});
    const Arguments in_tree{owner.tree(), "--channel", "mygame/stable"};
    const Arguments from_server{owner.nginx.url(), "--channel", "mygame/stable", "--root",
                                owner.scratch.path("1.root")};
    CHECK(whole_findings(verified(in_tree, 1)) == "channel-wrong missing channel-remark expired");  // no head

    owner.head();
    for (const Arguments& words : {in_tree, from_server}) {
        const json good = verified(words, 0);
        CHECK(whole_findings(good).find("channel-wrong") == std::string::npos);
        REQUIRE(good["bundles"].size() == 2);
        CHECK(good["bundles"][0]["trust"]["trusted"] == true);  // the root's own rules
    }
    CHECK(run({"verify", owner.tree(), "--channel", "mygame/none"}).exit_code == 3);
    CHECK(run({"verify", "--channel", "mygame/stable", "--store", "x"}).exit_code == 2);

    // A policy of the caller is asked besides the channel's.
    make_policy(owner.scratch, "other.trust", {"--author", owner.pub("thief")});
    Arguments strict = in_tree;
    strict.insert(strict.end(), {"--trust", owner.scratch.path("other.trust")});
    CHECK(has_rule(verified(strict, 1)["bundles"][0]["findings"], "trust-refused"));

    const std::string file = owner.tree() + "/bundles/" + base + ".fardel";
    const std::string genuine = read_file(file);
    flip_bit(file, genuine.find("base 1.0\n"));  // its only asset
    CHECK(verified(in_tree, 1)["bundles"][0]["good"] == false);
    CHECK(whole_findings(verified(from_server, 1)) == "channel-bundle-wrong corrupt");
    for (const Arguments* const words : {&in_tree, &from_server}) {
        Arguments with_log = *words;
        with_log.insert(with_log.end(), {"--sarif", owner.scratch.path("out.sarif")});
        verified(with_log, 1);
        CHECK(sarif_mistakes(owner.scratch, owner.scratch.path("out.sarif")) == "");
    }
    const json log = json::parse(owner.scratch.read("out.sarif"));
    const std::string uri = log["runs"][0]["artifacts"][0]["location"]["uri"];
    CHECK(uri.starts_with(owner.nginx.url() + "/bundles/"));
    owner.serve(file, read_file(owner.tree() + "/bundles/" + maps + ".fardel"));
    CHECK(whole_findings(verified(in_tree, 1)).find("channel-bundle-wrong corrupt") != std::string::npos);
    fs::remove(file);
    CHECK(whole_findings(verified(in_tree, 1)).find("channel-bundle-wrong missing") != std::string::npos);
    CHECK(whole_findings(verified(from_server, 1)) == "channel-bundle-wrong missing");
}

TEST_CASE("verify --channel: from a server, signatures that came later count as they do for its clients") {
    const ChannelOwner owner;
    owner.release({owner.bundle("base", "1.0")});
    owner.head();
    make_policy(owner.scratch, "other.trust", {"--author", owner.pub("thief")});
    const Arguments words{owner.nginx.url(),
                          "--channel",
                          "mygame/stable",
                          "--root",
                          owner.scratch.path("1.root"),
                          "--trust",
                          owner.scratch.path("other.trust")};
    CHECK(has_rule(verified(words, 1)["bundles"][0]["findings"], "trust-refused"));
    const std::string file = owner.scratch.path("base1.0.fardel");
    sign(file, owner.key("thief"), "author");
    run_well({"publish", file, owner.tree()});
    CHECK(verified(words, 0)["bundles"][0]["trust"]["trusted"] == true);
}

TEST_CASE("verify --channel: an expired head, a thief's head and a recalled author's key are findings") {  // A64, A73
    const ChannelOwner owner(40 * kDayOfSeconds);
    const std::string base = owner.bundle("base", "1.0");
    owner.release({base});
    owner.head();
    const Arguments in_tree{owner.tree(), "--channel", "mygame/stable"};
    CHECK(whole_findings(verified(in_tree, 1)).find("channel-wrong expired") != std::string::npos);

    const ChannelOwner now;
    const std::string bundle = now.bundle("base", "1.0");
    now.release({bundle});
    now.head();
    now.release({"--recall-key", now.pub("author"), "--reason", "stolen"});
    now.head();
    const json recalled = verified({now.tree(), "--channel", "mygame/stable"}, 1);
    CHECK(has_rule(recalled["bundles"][0]["findings"], "trust-refused"));

    now.serve(now.channel_path("head"), now.forge(now.channel_path("head"), "version 2\n", "version 3\n", {"thief"}));
    CHECK(run({"verify", now.tree(), "--channel", "mygame/stable"}).exit_code == 1);
}

}  // namespace fardel::tests::verify_whole_test
