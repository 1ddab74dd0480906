// [[scanner]] with a command: real scripts that builds run; their findings, which are remembered, and their failures.
#include "built_game.h"

namespace fardel::tests::scan_programs_test {

using nlohmann::json;

// Each line "use NAME" of its files is a texture.
constexpr std::string_view kScript = R"(import json, sys
for path in sys.argv[1:]:
    print(json.dumps({"file": path}))
    for number, line in enumerate(open(path), 1):
        if line.startswith("use "):
            print(json.dumps({"reference": line[4:].strip(), "use": "texture", "line": number}))
)";

constexpr std::string_view kProject = R"(name = "game"
sources = ["assets"]
[link]
roots = ["**/*.fx"]
[[scanner]]
match = "**/*.fx"
command = ["python3", "${code:tools/scan.py}", "${in}"]
code = ["tools/scan.py"]
)";

// Two files that name three textures, one of which does not exist.
BuiltGame make_game(std::string_view project = kProject) {
    BuiltGame game(project);
    game.write("tools/scan.py", kScript);
    game.write("assets/a.fx", "use t/one\n# use t/none\nuse t/two\n");
    game.write("assets/sub/b c.fx", "\nuse t/gone\n");
    game.write("assets/t/one.png", "1");
    game.write("assets/t/two.tga", "2");
    grow_old();
    return game;
}

json audit(const BuiltGame& game) { return json::parse(run({"audit", game.path(), "--json"}).out); }

// fardel: <what> [code]
void check_reported(const BuiltGame& game, std::string_view code, std::initializer_list<std::string_view> parts) {
    const Outcome outcome = game.run_build();
    CAPTURE(outcome.err);
    CHECK(outcome.exit_code != 0);
    CHECK(outcome.err.find("[" + std::string(code) + "]") != std::string::npos);
    for (const std::string_view part : parts) {
        CAPTURE(std::string(part));
        CHECK(outcome.err.find(part) != std::string::npos);
    }
    CHECK_FALSE(fs::exists(game.path("game.fardel")));
    CHECK((!fs::exists(game.path(".fardel/jobs")) || fs::is_empty(game.path(".fardel/jobs"))));
}

TEST_CASE("scanner program: its output is resolved, and it runs again only for what changed") {
    const BuiltGame game = make_game();
    const json first = game.build();
    CHECK(first["assets_scanned"] == 2);

    game.write("assets/new.dat", "nobody scans it");
    const json more = game.build();
    CHECK(more["assets_with_scanner"] == 2);
    CHECK(more["assets_scanned"] == 0);
    CHECK(game.bundle() == game.clean_bundle());

    game.write("assets/a.fx", "use t/two\n");
    CHECK(game.build()["assets_scanned"] == 1);
    CHECK(game.bundle() == game.clean_bundle());
    CHECK_FALSE(fs::exists(game.path(".fardel/jobs")));
}

TEST_CASE("scanner program: its findings depend on its script, command, version, inputs and defaults") {
    const BuiltGame game = make_game();
    game.write("assets/table.txt", "1");
    game.build();
    const auto asked = [&] {
        const json report = game.build();
        CHECK(game.bundle() == game.clean_bundle());
        return report["assets_scanned"].get<int>();
    };
    game.replace("tools/scan.py", "number, line in", "number, line  in");
    CHECK(asked() == 2);
    game.replace("fardel.toml", "code = [", "version = \"2\"\ncode = [");
    CHECK(asked() == 2);
    game.replace("fardel.toml", "\"${in}\"]", "\"${in}\"]\noptional = true");
    CHECK(asked() == 2);
    game.replace("fardel.toml", "code = [", "inputs = [\"table.txt\"]\ncode = [");
    CHECK(asked() == 2);
    game.write("assets/table.txt", "2");
    CHECK(asked() == 2);
    game.replace("fardel.toml", "code = [", "timeout = 50\ncode = [");
    CHECK(asked() == 0);
    grow_old();
    CHECK(game.build()["up_to_date"] == true);
    game.replace("tools/scan.py", "number, line  in", "number, line in");  // builds watch the script
    CHECK(game.build()["assets_with_scanner"] == 2);
}

TEST_CASE("scanner program: without ${in} it gets one asset on its standard input, and need not name it") {
    const BuiltGame game = make_game(
        "name = \"game\"\nsources = [\"assets\"]\n[link]\n[[scanner]]\nmatch = \"**/*.fx\"\nuse = \"texture\"\ncommand "
        "= [\"sh\", \"-c\", \"sed -n 's/^use \\\\(.*\\\\)$/{\\\"reference\\\": \\\"\\\\1\\\"}/p'\"]\n");
    const json report = game.build();
    CHECK(report["assets_scanned"] == 2);
    REQUIRE(report["link"]["missing"].size() == 1);
    CHECK(report["link"]["missing"][0]["from"] == "sub/b c.fx");
    CHECK(report["link"]["missing"][0]["spelling"] == "t/gone");
    CHECK(report["link"]["references"] == 3);
}

TEST_CASE("scanner program: few runs scan many assets, with the inputs beside them") {
    const BuiltGame game = make_game(R"(name = "game"
sources = ["assets"]
[link]
[[scanner]]
match = "**/*.fx"
inputs = ["aliases.txt"]
command = ["sh", "-c", '''echo run >&2; for f; do echo "{\"file\": \"$f\"}"; read word < in/aliases.txt
echo "{\"reference\": \"$word\"}"; done''', "sh", "${in}"]
)");
    fs::remove_all(game.path("assets/sub"));
    game.write("assets/aliases.txt", "t/one.png\n");
    for (int i = 0; i < 149; ++i)
        game.write("assets/many/" + std::to_string(i) + ".fx", std::to_string(i));
    const json report = game.build();
    CHECK(report["assets_scanned"] == 150);
    CHECK(report["link"]["references"] == 150);
    CHECK(report["link"]["missing"].empty());
    REQUIRE(report["logs"].size() == 3);
    CHECK(report["logs"][0].get<std::string>().find("fardel.toml:4: scanner of 'a.fx' and 63 more:\nrun\n") !=
          std::string::npos);
}

TEST_CASE("scanner program: its defaults apply where the answer states nothing") {
    const BuiltGame game = make_game(
        "name = \"game\"\nsources = [\"assets\"]\n[link]\n[[scanner]]\nmatch = \"a.fx\"\nuse = \"sound\"\noptional = "
        "true\ncommand = [\"echo\", '{\"reference\": \"no/such\"}']\n");
    const json report = game.build();
    CHECK(report["link"]["references"] == 1);
    REQUIRE(report["link"]["missing"].size() == 1);
    CHECK(report["link"]["missing"][0]["hard"] == false);
}

TEST_CASE("scanner program: a failure is reported with the line, the asset and what to do, and no bundle is written") {
    const auto project = [](std::string_view command, std::string_view more = "") {
        return "name = \"game\"\nsources = [\"assets\"]\n[link]\n\n[[scanner]]\nmatch = \"**/*.fx\"\ncommand = " +
               std::string(command) + "\n" + std::string(more);
    };
    const auto check = [](const std::string& text, std::string_view code,
                          std::initializer_list<std::string_view> parts) {
        check_reported(make_game(text), code, parts);
    };
    check(project("[\"no-such-program\", \"${in}\"]"), "missing",
          {"fardel.toml:5: scanner: ", "there is no program 'no-such-program'", "install it, or write its path"});
    check(project("[\"tools/scan.py\", \"${in}\"]"), "denied",
          {"fardel.toml:5: scanner: ", "may not be executed; try: chmod +x"});
    check(project("[\"sh\", \"-c\", \"echo it is bad >&2; exit 3\", \"sh\", \"${in}\"]"), "unresolved",
          {"fardel.toml:5: scanner of 'a.fx' and 1 more: ", "ended with exit status 3", "it is bad"});
    check(project("[\"sh\", \"-c\", \"kill -9 $$\"]"), "unresolved",
          {"fardel.toml:5: scanner of 'a.fx': ", "signal 9"});
    check(project("[\"sh\", \"-c\", \"echo begun >&2; sleep 60\"]", "timeout = 5\n"), "limit",
          {"fardel.toml:5: scanner of 'a.fx': ", "was not done after 5 s", "timeout = ", "begun"});
    check(project("[\"echo\", \"textures/a.png\"]"), "malformed",
          {"fardel.toml:5: scanner of 'a.fx': line 1 of the scanner's answer: not a JSON object"});
    check(project("[\"echo\", '{\"reference\": \"a\", \"usage\": \"x\"}']"), "malformed",
          {"\"usage\" is not a key of a reference"});
    check(project("[\"sh\", \"-c\", \"echo '{\\\"reference\\\": \\\"a\\\"}'\", \"sh\", \"${in}\"]"), "malformed",
          {"belongs to no file; print {\"file\": \"in/a.fx\"} before"});
    check(project("[\"sh\", \"-c\", \"cat /dev/zero | tr '\\\\0' ' '\"]"), "limit",
          {"answered with more than 67108864 bytes"});
    check(project("[\"cat\", \"${code:tools/scan.py}\"]"), "malformed", {"write code = [\"tools/scan.py\"]"});
    check(project("[\"cp\", \"${in}\", \"${out}\"]"), "malformed",
          {"fardel.toml:5:", "a scanner's command has no ${out}", "it prints what it finds"});
    check(project("[\"cat\", \"${inn}\"]"), "malformed", {"there is no variable ${inn}", "did you mean ${in}?"});
    check(
        "name = \"game\"\nsources = [\"assets\"]\n[link]\n[[scanner]]\nmatch = \"*.fx\"\npattern = 'use "
        "{reference}'\ntimeout = 5\n",
        "malformed", {"fardel.toml:4:", "are for a scanner with 'command'"});
    // The program may read only its own files.
    const ScratchFolder elsewhere;
    check(project("[\"cat\", \"" + elsewhere.write("secret", "x") + "\"]"), "denied",
          {"a job may read its inputs alone", "ended with exit status 1"});
}

TEST_CASE("scanner program: one that matches nothing is not looked up") {
    const BuiltGame game = make_game(
        "name = \"game\"\nsources = [\"assets\"]\n[link]\n[[scanner]]\nmatch = \"*.none\"\ncommand = "
        "[\"no-such-program\"]\n");
    CHECK(game.build()["assets_scanned"] == 0);
}

TEST_CASE("scanner program: audit runs it as well") {
    const BuiltGame game = make_game();
    const json report = audit(game);
    REQUIRE(report["missing"].size() == 1);
    CHECK(report["missing"][0]["from"] == "sub/b c.fx");
    CHECK(report["missing"][0]["line"] == 2);
    CHECK(report["missing"][0]["use"] == "texture");
}

}  // namespace fardel::tests::scan_programs_test
