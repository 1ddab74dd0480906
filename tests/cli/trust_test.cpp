#include "sample.h"

#include <nlohmann/json.hpp>

using namespace fardel::tests;
using nlohmann::json;
namespace fs = std::filesystem;

TEST_CASE("trust init: writes a policy that trust show and readers accept, and never overwrites a file") {
    const ScratchFolder scratch;
    fs::create_directory(scratch.path("other"));
    const std::string a = make_key(scratch, "author");
    const std::string b = make_key(scratch, "other/author");
    const std::string c = make_key(scratch, "h u+b");
    const std::string policy = make_policy(scratch, "p.trust",
                                           {"--author", a + ".pub", "--author", b + ".pub", "--registry", c + ".pub",
                                            "--registry", a + ".pub", "--pattern", "mods/**"});
    const json rules = json::parse(run_well({"trust", "show", policy, "--json"}));
    CHECK(rules["keys"].size() == 3);
    REQUIRE(rules["allow"].size() == 1);
    CHECK(rules["allow"][0]["pattern"] == "mods/**");
    CHECK(rules["allow"][0]["roles"][0]["labels"] == json({"author", "author-2"}));
    CHECK(rules["allow"][0]["roles"][1]["labels"] == json({"h-u-b", "author"}));
    CHECK(rules["unsigned_allowed"] == false);
    CHECK(run_well({"trust", "show", policy})
              .starts_with("bundles named mods/**\n  author: 1 of author, author-2\n  registry: 1 of h-u-b, author\n  "
                           "may publish: mods/**\n"
                           "  may override names of other rules: none\nkey "));
    const std::string wide = make_policy(scratch, "wide.trust",
                                         {"--author", a + ".pub", "--pattern", "hud/*", "--publish", "hud/**",
                                          "--publish", "fonts/**", "--override", "hud/**"});
    CHECK(read_file(wide).ends_with("allow hud/* author=1:author publish=hud/** publish=fonts/** override=hud/**\n"));
    CHECK(run_well({"trust", "show", make_policy(scratch, "all.trust", {"--author", a + ".pub"})})
              .find("\n  may publish: everything\n  may override names of other rules: all\n") != std::string::npos);

    const std::string before = read_file(policy);
    const Outcome again = run({"trust", "init", policy, "--author", a + ".pub"});
    CHECK(again.exit_code == 1);
    CHECK(is_one_clear_line(again, "conflict"));
    CHECK(read_file(policy) == before);
    for (const Arguments& options : {Arguments{"--author", scratch.path("absent.pub")}, Arguments{"--author", a},
                                     Arguments{"--author", a + ".pub", "--pattern", "a//b"}}) {
        Arguments arguments{"trust", "init", scratch.path("q.trust")};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const Outcome outcome = run(arguments);
        CHECK(outcome.exit_code != 0);
        CHECK(outcome.err.starts_with("fardel: "));
        CHECK_FALSE(fs::exists(scratch.path("q.trust")));
    }
}

TEST_CASE("trust show: a file that is not a policy is refused") {
    const ScratchFolder scratch;
    CHECK(is_one_clear_line(run({"trust", "show", scratch.path("absent")}), "missing"));
    CHECK(is_one_clear_line(run({"trust", "show", scratch.write("x", "hello\n")}), "malformed"));
    CHECK(is_one_clear_line(run({"trust", "show", scratch.root()}), "malformed"));
    CHECK(is_one_clear_line(run({"trust", "show", "/dev/zero"}), "malformed"));
}
