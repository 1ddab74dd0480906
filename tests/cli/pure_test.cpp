// Pure mode from a shell, with real files: the policy of a server, and honest and dishonest clients.
#include "sample.h"

#include <nlohmann/json.hpp>

namespace fardel::tests::pure_test {

using nlohmann::json;

// A server with two signed bundles, and a client with copies of them.
class Game {
public:
    Game() {
        make_game(scratch, "base");
        scratch.write("map/maps/dm02.bsp", noise_text(200'000, 7));
        scratch.write("map/textures/wall.tga", noise_text(40'000, 8));
        scratch.write("map/textures/glass.tga", noise_text(40'000, 9));
        key = make_key(scratch, "author");
        trust = make_policy(scratch, "client.trust", {"--author", key + ".pub"});
        base = packed("base", "base/core");
        map = packed("map", "maps/dm02");
        client_base = copied(base, "client-base.fardel");
        client_map = copied(map, "client-map.fardel");
        run_well({"pure", "policy", base, map, "-o", policy});
    }

    std::string packed(const std::string& folder, const std::string& name) const {
        const std::string bundle = scratch.path(folder + ".fardel");
        run_well({"pack", scratch.path(folder), "-o", bundle, "--name", name, "--key", key});
        return bundle;
    }
    std::string copied(const std::string& file, const std::string& name) const {
        fs::copy_file(file, scratch.path(name), fs::copy_options::overwrite_existing);
        return scratch.path(name);
    }

    void offer(const std::string& connection = "alice") const {
        const json reasons =
            json::parse(run_well({"pure", "offer", "--policy", policy, "--connection", connection, "--state",
                                  scratch.path("state"), "-o", scratch.path("offer"), "--json"}));
        CHECK(reasons["nonce"].get<std::string>().size() == 64);
        CHECK(fs::file_size(scratch.path("offer")) == 624);
    }
    Outcome answer(const std::vector<std::string>& mounts, const Arguments& more = {},
                   const std::string& connection = "alice") const {
        Arguments arguments{"pure",         "answer",
                            "--offer",      scratch.path("offer"),
                            "--policy",     policy,
                            "--connection", connection,
                            "--trust",      trust,
                            "-o",           scratch.path("answer"),
                            "--report",     scratch.path("report"),
                            "--json"};
        for (const std::string& mount : mounts)
            arguments.insert(arguments.end(), {"--mount", mount});
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    }
    Outcome check(const std::string& connection = "alice", bool with_report = true) const {
        Arguments arguments{"pure",         "check",    "--answer", scratch.path("answer"),  "--policy", policy,
                            "--connection", connection, "--state",  scratch.path("state"),   "--mount",  base,
                            "--mount",      map,        "-o",       scratch.path("verdict"), "--json"};
        if (with_report)
            arguments.insert(arguments.end(), {"--report", scratch.path("report")});
        return run(arguments);
    }
    // The client's answer and the server's check both refuse, for the same reasons: "missing maps/dm02, extra x".
    std::string refused(const std::vector<std::string>& mounts, const Arguments& more = {}) const {
        offer();
        const Outcome answered = answer(mounts, more);
        CHECK(answered.exit_code == 1);
        const json problems = json::parse(answered.out)["problems"];
        CHECK(json::parse(answered.out)["pure"] == false);
        const Outcome checked = check();
        CHECK(checked.exit_code == 1);
        const json verdict = json::parse(checked.out);
        CHECK(verdict["welcome"] == false);
        CHECK(verdict["refusals"][0]["refusal"] == "client-problems");
        CHECK(verdict["problems"] == problems);
        std::string text;
        for (const json& problem : problems)
            text += (text.empty() ? "" : ", ") + problem["fault"].get<std::string>() + " " +
                    problem["name"].get<std::string>();
        return text;
    }

    ScratchFolder scratch;
    std::string policy = scratch.path("server.pure");
    std::string key, trust, base, map, client_base, client_map;
};

std::string refusals_of(const Outcome& outcome) {
    CHECK(outcome.exit_code == 1);
    const json verdict = json::parse(outcome.out);
    std::string words;
    for (const json& refusal : verdict["refusals"])
        words += (words.empty() ? "" : " ") + refusal["refusal"].get<std::string>();
    return words;
}

TEST_CASE("pure: a client with the server's bundles is welcome, once") {
    const Game game;
    game.offer();
    const Outcome answered =
        game.answer({game.client_map, game.client_base});  // in any order: that of the policy counts
    CHECK(answered.exit_code == 0);
    CHECK(json::parse(answered.out)["problems"].empty());
    CHECK(fs::file_size(game.scratch.path("answer")) == 240);
    const Outcome welcome = game.check();
    CHECK(welcome.exit_code == 0);
    CHECK(json::parse(welcome.out)["welcome"] == true);
    CHECK(fs::file_size(game.scratch.path("verdict")) == 108);
    CHECK(refusals_of(game.check()) == "replayed");

    const Outcome text =
        run({"pure", "check", "--answer", game.scratch.path("answer"), "--policy", game.policy, "--connection", "alice",
             "--state", game.scratch.path("state"), "--mount", game.base, "--mount", game.map});
    CHECK(text.out.starts_with("refused, replayed: "));
}

TEST_CASE("pure: names swapped between files are refused") {
    const Game game;
    fs::rename(game.scratch.path("map/textures/wall.tga"), game.scratch.path("x"));
    fs::rename(game.scratch.path("map/textures/glass.tga"), game.scratch.path("map/textures/wall.tga"));
    fs::rename(game.scratch.path("x"), game.scratch.path("map/textures/glass.tga"));
    fs::rename(game.map, game.scratch.path("server-map.fardel"));
    const std::string swapped = game.packed("map", "maps/dm02");
    const std::string cheat = game.copied(swapped, "cheat.fardel");
    fs::rename(game.scratch.path("server-map.fardel"), game.map);
    CHECK(game.refused({game.client_base, cheat}) == "missing maps/dm02, extra maps/dm02");

    // The texts of two names are exchanged in the file itself.
    std::string bytes = read_file(game.client_map);
    const auto wall = bytes.find("textures/wall.tga"), glass = bytes.find("textures/glass.tga");
    REQUIRE((wall != bytes.npos && glass != bytes.npos));
    bytes.replace(glass, 18, "textures/wall.tga/");
    bytes.replace(wall, 17, "textures/glas.tga");
    game.scratch.write("client-map.fardel", bytes);
    CHECK(game.refused({game.client_base, game.client_map}).starts_with("wrong "));
}

TEST_CASE("pure: a changed byte is refused, wherever it is") {
    const Game game;
    const std::uint64_t size = fs::file_size(game.client_map);
    for (const std::uint64_t at : {std::uint64_t{100}, std::uint64_t{5'000}, size / 4, size / 2, size - 60'000}) {
        CAPTURE(at);
        flip_bit(game.client_map, at);
        const std::string reasons = game.refused({game.client_base, game.client_map});
        CHECK(reasons.find("wrong ") != std::string::npos);
        CHECK(reasons.find("maps/dm02") != std::string::npos);
        flip_bit(game.client_map, at);
    }
    game.offer();
    CHECK(game.answer({game.client_base, game.client_map}).exit_code == 0);
    CHECK(game.check().exit_code == 0);
}

TEST_CASE("pure: an extra bundle and extra loose files are refused, each by name") {
    const Game game;
    game.scratch.write("extra/textures/wall.tga", "see through");
    const std::string extra = game.packed("extra", "mods/extra");
    game.scratch.write("loose/scripts/autoexec.cfg", "r_wallhack 1\n");
    game.scratch.write("loose/screenshots/1.png", "png");
    CHECK(game.refused({game.client_base, game.client_map, extra}) == "extra mods/extra");
    CHECK(game.refused({game.client_base, game.client_map, extra}, {"--loose", game.scratch.path("loose")}) ==
          "extra mods/extra, not-allowed screenshots/1.png, not-allowed scripts/autoexec.cfg");
    // The allowed extension in another folder than the allowed one.
    run_well({"pure", "policy", game.base, game.map, "-o", game.policy, "--loose", "config/**/*.cfg", "--loose",
              "screenshots/**"});
    CHECK(game.refused({game.client_base, game.client_map}, {"--loose", game.scratch.path("loose")}) ==
          "not-allowed scripts/autoexec.cfg");
    CHECK(is_one_clear_line(run({"pure", "policy", game.base, "-o", game.policy, "--loose", "**/*.cfg"}), "malformed"));
}

TEST_CASE("pure: a missing bundle is refused, and all of them are named") {
    const Game game;
    CHECK(game.refused({game.client_base}) == "missing maps/dm02");
    CHECK(game.refused({}) == "missing base/core, missing maps/dm02");
    const std::string reasons = game.refused({game.client_base, game.scratch.path("nosuch.fardel")});
    CHECK(reasons.find("missing maps/dm02") != std::string::npos);
    CHECK(reasons.find("nosuch.fardel") != std::string::npos);
}

// A131
TEST_CASE("pure: no report has a path of the client's disk") {
    const Game game;
    const std::string home = game.scratch.path("home/alice");
    fs::create_directories(home);
    game.scratch.write("extra/textures/wall.tga", "see through");
    game.scratch.write("home/alice/loose/autoexec.cfg", "r_wallhack 1\n");
    game.scratch.write("home/alice/junk.fardel", "junk");
    const std::string extra = game.packed("extra", "mods/extra");
    const auto moved = [&](const std::string& file, const std::string& name) {
        return game.copied(file, "home/alice/" + name);
    };
    const std::string plain = moved(extra, "extra.fardel");
    const std::string cut = moved(game.base, "cut.fardel");
    fs::resize_file(cut, fs::file_size(cut) - 9'000);
    const std::string damaged = moved(game.map, "damaged.fardel");
    flip_bit(damaged, fs::file_size(damaged) / 2);
    const std::string unsigned_bundle = home + "/unsigned.fardel";
    run_well({"pack", game.scratch.path("extra"), "-o", unsigned_bundle, "--name", "mods/other"});

    game.offer();
    const Outcome answered =
        game.answer({plain, cut, damaged, unsigned_bundle, home + "/nosuch.fardel", home + "/junk.fardel", home, plain},
                    {"--loose", home + "/loose"});
    CHECK(answered.exit_code == 1);
    CHECK(json::parse(answered.out)["problems"].size() >= 7);
    const std::string report = read_file(game.scratch.path("report"));
    CHECK(report.find("nosuch.fardel") != std::string::npos);
    for (const std::string& text : {report, game.check().out}) {
        CAPTURE(text);
        CHECK(text.find(game.scratch.path("")) == std::string::npos);
        CHECK(text.find("alice/") == std::string::npos);
        CHECK(text.find("/home") == std::string::npos);
    }
    CHECK(answered.err.find(home + "/nosuch.fardel") != std::string::npos);  // the player learns it
}

TEST_CASE("pure: an answer of another client, or to another offer, is refused") {
    const Game game;
    game.offer("alice");
    CHECK(game.answer({game.client_base, game.client_map}).exit_code == 0);
    CHECK(refusals_of(game.check("mallory")) == "other-connection");
    CHECK(game.check("alice").exit_code == 0);  // her offer is still open

    game.offer("alice");
    CHECK(game.answer({game.client_base, game.client_map}).exit_code == 0);
    for (const auto& entry : fs::directory_iterator(game.scratch.path("state")))
        fs::remove(entry.path());
    CHECK(refusals_of(game.check("alice")) == "unknown-offer");

    game.offer("mallory");
    CHECK(game.answer({game.client_base, game.client_map}, {}, "alice").exit_code == 0);
    CHECK(refusals_of(game.check("mallory")) == "other-connection");
}

TEST_CASE("pure: an answer to an older offer of the same connection is refused, whatever became of the newer one") {
    const Game game;  // A155
    game.offer("bob");
    game.offer("alice");
    CHECK(game.answer({game.client_base, game.client_map}).exit_code == 0);
    const std::string older = game.scratch.read("answer");
    game.offer("alice");
    CHECK(refusals_of(game.check("alice")) == "replayed");
    CHECK(game.answer({game.client_base, game.client_map}).exit_code == 0);
    CHECK(game.check("alice").exit_code == 0);
    game.scratch.write("answer", older);
    CHECK(refusals_of(game.check("alice")) == "replayed");
    // The offers of others are untouched.
    game.offer("carol");
    CHECK(game.answer({game.client_base, game.client_map}, {}, "carol").exit_code == 0);
    game.offer("bob");
    CHECK(game.check("carol").exit_code == 0);
}

TEST_CASE("pure: of two simultaneous checks of one answer, one accepts it") {
    const Game game;
    for (int round = 0; round < 4; ++round) {
        game.offer();
        REQUIRE(game.answer({game.client_base, game.client_map}).exit_code == 0);
        Outcome first;
        {
            const std::jthread other([&] { first = game.check("alice", false); });
        }
        const Outcome second = game.check("alice", false);
        CHECK(first.exit_code + second.exit_code == 1);
    }
}

TEST_CASE("pure: an unsigned bundle is reported unless the policy allows it; exceptions need name and key") {
    const Game game;
    const std::string other = make_key(game.scratch, "hud");
    make_policy(game.scratch, "both.trust", {"--author", game.key + ".pub", "--author", other + ".pub"});
    game.scratch.write("hud/gfx/hud/numbers.tga", "0123");
    const std::string hud = game.scratch.path("hud.fardel");
    run_well({"pack", game.scratch.path("hud"), "-o", hud, "--name", "huds/fine", "--key", other});
    const std::vector<std::string> mounts{game.client_base, game.client_map, hud};
    const Arguments trust{"--trust", game.scratch.path("both.trust")};

    run_well(
        {"pure", "policy", game.base, game.map, "-o", game.policy, "--except", "huds/*:" + other + ".pub:gfx/hud/**"});
    game.offer();
    Arguments arguments{"pure",         "answer", "--offer", game.scratch.path("offer"),  "--policy", game.policy,
                        "--connection", "alice",  "-o",      game.scratch.path("answer"), "--json"};
    for (const std::string& mount : mounts)
        arguments.insert(arguments.end(), {"--mount", mount});
    Arguments trusting = arguments;
    trusting.insert(trusting.end(), trust.begin(), trust.end());
    CHECK(run(trusting).exit_code == 0);
    CHECK(game.check("alice", false).exit_code == 0);
    CHECK(game.refused(mounts).find("unsigned ") == 0);  // the trust policy does not list the key

    // Without a trust policy, no signature counts.
    game.offer();
    const Outcome untrusting = run(arguments);
    CHECK(untrusting.exit_code == 1);
    CHECK(json::parse(untrusting.out)["problems"].size() == 3);
    run_well({"pure", "policy", game.base, game.map, "-o", game.policy, "--allow-unsigned"});
    game.offer();
    CHECK(run({"pure", "answer", "--offer", game.scratch.path("offer"), "--policy", game.policy, "--connection",
               "alice", "-o", game.scratch.path("answer"), "--mount", game.client_base, "--mount", game.client_map})
              .exit_code == 0);
}

TEST_CASE("pure: wrong files and wrong arguments are refused") {
    const Game game;
    game.offer();
    const std::string junk = game.scratch.write("junk", std::string(240, 'x'));
    const auto answer = [&](const std::string& offer, const std::string& policy) {
        return run({"pure", "answer", "--offer", offer, "--policy", policy, "--connection", "alice", "-o",
                    game.scratch.path("answer")});
    };
    CHECK(is_one_clear_line(answer(junk, game.policy), "malformed"));
    CHECK(is_one_clear_line(answer(game.scratch.path("offer"), junk), "malformed"));
    CHECK(is_one_clear_line(answer(game.scratch.path("absent"), game.policy), "missing"));
    const std::string other = game.scratch.path("other.pure");
    run_well({"pure", "policy", game.map, game.base, "-o", other});
    CHECK(is_one_clear_line(answer(game.scratch.path("offer"), other), "corrupt"));
    CHECK(is_one_clear_line(run({"pure", "policy", game.map, game.map, "-o", other}), "conflict"));
    CHECK(is_one_clear_line(run({"pure", "policy", junk, "-o", other}), "malformed"));
    CHECK(is_one_clear_line(run({"pure", "policy", game.map, "-o", other, "--variant", "texture"}), "malformed"));
}

TEST_CASE("pure test: says without a server whether a client would be accepted, and lists all that is in the way") {
    const Game game;
    const auto test = [&](const std::vector<std::string>& mounts, const Arguments& more = {}) {
        Arguments arguments{"pure", "test", "--policy", game.policy, "--trust", game.trust, "--json"};
        for (const std::string& mount : mounts)
            arguments.insert(arguments.end(), {"--mount", mount});
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = run(arguments);
        const json result = json::parse(outcome.out);
        CHECK(result["accepted"] == (outcome.exit_code == 0));
        std::string faults;
        for (const json& problem : result["problems"])
            faults += problem["fault"].get<std::string>() + " ";
        return faults;
    };
    CHECK(test({game.client_base, game.client_map}) == "");
    CHECK(test({game.client_base}) == "missing ");
    fs::create_directory(game.scratch.path("loose"));
    game.scratch.write("loose/autoexec.cfg", "cheat");
    CHECK(test({game.client_base, game.client_map}, {"--loose", game.scratch.path("loose")}) == "not-allowed ");
    flip_bit(game.client_map, fs::file_size(game.client_map) / 2);
    CHECK(test({game.client_base, game.client_map}) == "wrong ");
    CHECK(run({"pure", "test", "--policy", game.policy}).out.find("would be refused: 2 problems") != std::string::npos);
    CHECK(run({"pure", "test"}).exit_code == 2);
}

TEST_CASE("verify --pure: whether a server would accept the client is a finding, in every form of the report") {
    const Game game;
    const auto verified = [&](const std::vector<std::string>& files, int exit_code, const std::string& trust) {
        Arguments words{"verify"};
        words.insert(words.end(), files.begin(), files.end());
        words.insert(words.end(), {"--pure", game.policy, "--trust", trust, "--json", "--sarif",
                                   game.scratch.path("out.sarif"), "--junit", game.scratch.path("out.xml")});
        const Outcome outcome = run(words);
        CAPTURE(outcome.err);
        CAPTURE(outcome.out);
        CHECK(outcome.exit_code == exit_code);
        const json report = json::parse(outcome.out);
        std::string found;
        for (const json& one : report["set_findings"])
            if (one["rule"] == "pure-refused")
                found += one["code"].get<std::string>() + " " + one["where"].get<std::string>() + "; ";
        return found;
    };
    CHECK(verified({game.client_base, game.client_map}, 0, game.trust) == "");
    CHECK(read_file(game.scratch.path("out.xml")).find("failures=\"1\"") == std::string::npos);
    CHECK(verified({game.client_base}, 1, game.trust) == "missing maps/dm02; ");
    const std::string sarif = read_file(game.scratch.path("out.sarif"));
    CHECK(sarif.find("\"ruleId\": \"pure-refused\"") != std::string::npos);
    const std::string junit = read_file(game.scratch.path("out.xml"));
    CHECK(junit.find("missing: in the content set and not mounted") != std::string::npos);
    game.scratch.write("extra/cheat.cfg", "cheat");
    const std::string extra = game.packed("extra", "mods/extra");
    CHECK(verified({game.client_base, game.client_map, extra}, 1, game.trust) == "denied mods/extra; ");
    const std::string stranger =
        make_policy(game.scratch, "stranger.trust", {"--author", make_key(game.scratch, "stranger") + ".pub"});
    CHECK(verified({game.client_base, game.client_map}, 1, stranger) == "untrusted base/core; untrusted maps/dm02; ");
    CHECK(run({"verify", "--store", game.scratch.path("store"), "--pure", game.policy}).exit_code == 2);
    CHECK(run({"verify", game.client_base, "--pure", game.scratch.path("none")}).exit_code == 3);
}

}  // namespace fardel::tests::pure_test
