#include "sample.h"

#include <nlohmann/json.hpp>

using namespace fardel::tests;
using nlohmann::json;
namespace fs = std::filesystem;

TEST_CASE("verify: reports what was verified, and that no signature was required") {
    const ScratchFolder scratch;
    const std::string bundle = make_bundle(scratch);
    const Outcome outcome = run({"verify", bundle});
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.err == "");
    CHECK(outcome.out.starts_with(bundle + ": good\n"));
    CHECK(outcome.out.find("\nverdict: the bundle is good (0 errors, ") != std::string::npos);
    CHECK(outcome.out.ends_with("no signature was required; --trust POLICY requires those of a policy\n"));
    const json report = json::parse(run_well({"verify", bundle, "--json"}));
    CHECK(report["good"] == true);
    CHECK(report["policy"].is_null());
    CHECK(report["bundles"][0]["raw_bytes_proved"] == report["bundles"][0]["raw_bytes"]);
    CHECK(report["bundles"][0]["trust"].is_null());
}

TEST_CASE("verify: a policy refuses a bundle that is unsigned or signed by an unknown key") {
    const ScratchFolder scratch;
    const std::string bundle = make_bundle(scratch);
    const std::string author = make_key(scratch, "author");
    const std::string stranger = make_key(scratch, "stranger");
    const std::string policy = make_policy(scratch, "p.trust", {"--author", author + ".pub"});
    CHECK(run({"verify", bundle, "--trust", policy}).exit_code == 1);
    sign(bundle, stranger, "author");
    const Outcome refused = run({"verify", bundle, "--trust", policy, "--json"});
    CHECK(refused.exit_code == 1);
    const json report = json::parse(refused.out);
    CHECK(report["good"] == false);
    CHECK(report["bundles"][0]["trust"]["trusted"] == false);
    CHECK(run({"verify", bundle}).exit_code == 0);
    sign(bundle, author, "author");
    CHECK(run({"verify", bundle, "--trust", policy}).exit_code == 0);
    const std::string narrow = make_policy(scratch, "n.trust", {"--author", author + ".pub", "--pattern", "othergame"});
    CHECK(run({"verify", bundle, "--trust", narrow}).exit_code == 1);
    CHECK(is_one_clear_line(run({"verify", bundle, "--trust", scratch.path("absent")}), "missing"));
}

TEST_CASE("verify: one changed bit anywhere is found") {
    const ScratchFolder scratch;
    const std::string bundle = make_bundle(scratch);
    const std::uint64_t size = fs::file_size(bundle);
    for (std::uint64_t at = 0; at < size; at += size / 17) {
        flip_bit(bundle, at);
        CAPTURE(at);
        const Outcome outcome = run({"verify", bundle});
        CHECK(outcome.exit_code == 1);
        CHECK(outcome.out.find("BAD") != std::string::npos);
        flip_bit(bundle, at);
    }
    CHECK(run({"verify", bundle}).exit_code == 0);
}

TEST_CASE("verify: several files are also checked together") {
    const ScratchFolder scratch;
    const std::string a = make_bundle(scratch, "a");
    const std::string b = make_bundle(scratch, "b");
    scratch.write("c/other.txt", "c");
    run_well({"pack", scratch.path("c"), "-o", scratch.path("c.fardel")});
    const Outcome outcome = run({"verify", a, scratch.path("c.fardel")});
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.out.find("verdict: the bundles are good") != std::string::npos);
    flip_bit(b, 5000);
    const Outcome one_bad = run({"verify", scratch.path("c.fardel"), b, "--json"});
    CHECK(one_bad.exit_code == 1);
    const json report = json::parse(one_bad.out);
    CHECK(report["bundles"][0]["good"] == true);
    CHECK(report["bundles"][1]["good"] == false);
    CHECK(run({"verify", a, scratch.path("absent")}).exit_code == 3);
}
