// libfardel-physfs-preload.so in pure mode: what an unmodified game sees, whatever it mounts.
#include "kit/archives.h"
#include "kit/bundles.h"
#include "kit/class_samples.h"
#include "kit/files.h"
#include "kit/program.h"
#include "vfs/test_bundle.h"

namespace fardel::tests::physfs_preload_pure_test {

using Variables = std::vector<std::pair<std::string, std::string>>;

// A player with the bundles of a server, and a zip with a cheat.
struct Player {
    Player() {
        rules.bundles = {{.bundle = bundle_id_of(base), .mount_point = "", .name = "base"},
                         {.bundle = bundle_id_of(map), .mount_point = "", .name = "map"},
                         {.bundle = bundle_id_of(sounds), .mount_point = "sounds", .name = "sounds"}};
        scratch.write("p.trust", limiting_policy_text(author.key(), ""));
    }
    std::string path(const std::string& name) const { return scratch.path(name); }
    // Of a game in pure mode.
    Variables pure() const {
        scratch.write("server.pure", value_of(PurePolicy::make(rules)).format());
        return {{"FARDEL_TRUST", path("p.trust")}, {"FARDEL_PURE", path("server.pure")}, {"FARDEL_PURE_FILES", files}};
    }
    Outcome play(const std::string& way, Variables variables) const {
        variables.emplace_back("LD_PRELOAD", FARDEL_PHYSFS_PRELOAD);
        variables.emplace_back("XDG_DATA_HOME", path("home"));
        return run_program({FARDEL_PHYSFS_CHEATING_GAME, way, path("home/game/cheats.zip")},
                           {.variables = std::move(variables)});
    }

    ScratchFolder scratch;
    Author author;
    Bytes zip = build_zip({{.name = "wall", .content = "transparent"}, {.name = "cheat", .content = "wins"}});
    Bytes base = author.sign(BundleMaker()
                                 .add("wall", "the game's")
                                 .add("floor", "the game's")
                                 .add("cheats.zip", text_of(zip))  // the game can mount it by a handle
                                 .title("base")
                                 .write());
    Bytes map = author.sign(BundleMaker().add("wall", "the server's").title("map").write());
    Bytes sounds = author.sign(BundleMaker().add("step", "a step").title("sounds").write());
    PureRules rules;
    // The order of the files does not matter.
    std::string files = scratch.write("sounds.fardel", sounds) + ":" + scratch.write("map.fardel", map) +
                        "::" + scratch.write("base.fardel", base) + ":";
    std::string written_zip = scratch.write("home/game/cheats.zip", zip);
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_CASE("preload, pure: what a game mounts is hidden, whichever way it takes, and the game goes on") {
    const Player player;
    for (const std::string way : {"mount", "add", "io", "memory", "handle", "sane"}) {
        CAPTURE(way);
        const Outcome open = player.play(way, {});
        CAPTURE(open.out);
        CHECK(open.exit_code == 0);
        CHECK(has(open.out, "mounted\n"));
        CHECK(has(open.out, "cheat: wins\n"));  // without pure mode the cheat works

        const Outcome pure = player.play(way, player.pure());
        CAPTURE(pure.out);
        CAPTURE(pure.err);
        CHECK(pure.exit_code == 0);
        CHECK(has(pure.out,
                  "mounted\nwall: the server's\nfloor: the game's\nsounds/step: a step\n"
                  "cheat: nothing\ncheats/cheat: nothing\n"));
        CHECK(has(pure.out, "fardel: stays\nwall: the server's\nend\n"));  // the search path has nothing else
        CHECK(has(pure.out, "writes to ") == (way == "sane"));
        for (const std::string owned : {"io", "memory"})
            CHECK(has(pure.out, "the " + owned + " was ") == (way == owned));
        CHECK(has(pure.err, "fardel: pure mode: only the content of the server is visible\n"));
        CHECK(has(pure.err, " is hidden\n"));
    }
}

TEST_CASE("preload, pure: a game that asks finds its hidden mounts, and can unmount them") {
    const Player player;
    const Outcome outcome = player.play("mount", player.pure());
    CHECK(has(outcome.out, "at cheats/\nunmounted\n"));
}

TEST_CASE("preload, pure: a game whose content is not the server's has no PhysicsFS, and all reasons are reported") {
    Player player;
    std::string expected;
    Variables more;
    SUBCASE("a bundle is missing") {
        player.files = player.path("base.fardel");
        expected = "pure mode: missing: map: ";
    }
    SUBCASE("a bundle is another one") {
        player.scratch.write("map.fardel", player.author.sign(BundleMaker().add("wall", "glass").title("map").write()));
        expected = "pure mode: extra: ";
    }
    SUBCASE("a bundle is cut off") {
        player.scratch.write("map.fardel", Bytes(player.map.begin(), player.map.end() - 100));
        expected = "pure mode: wrong: ";
    }
    SUBCASE("a file is not there") {
        player.files += ":/nowhere/\x1b[31m.fardel";
        expected = "pure mode: wrong: \\u{1b}[31m.fardel: ";
    }
    SUBCASE("there is a folder that the server does not tolerate") {
        player.files += ":" + player.path("home");
        expected = "pure mode: not-allowed: ";
    }
    SUBCASE("the player does not trust the author") {
        player.scratch.write("p.trust", "fardel-trust 1\n");
        expected = "pure mode: unsigned: map.fardel: ";
    }
    SUBCASE("the player trusts nobody") {
        more = {{"FARDEL_TRUST", ""}};
        expected = "pure mode: unsigned: ";
    }
    SUBCASE("the author may bring data only, and a bundle has an archive") {
        player.scratch.write("p.trust", limiting_policy_text(player.author.key()));
        expected = "pure mode: wrong: base.fardel: denied: base.fardel: 'cheats.zip' is a name of code";
    }
    SUBCASE("the player's policy cannot be read") {
        more = {{"FARDEL_TRUST", "/nowhere"}};
        expected = "FARDEL_TRUST: missing: ";
    }
    SUBCASE("the server's policy cannot be read") {
        more = {{"FARDEL_PURE", "/nowhere"}};
        expected = "pure mode: missing: /nowhere";
    }
    SUBCASE("the server's policy is none") {
        more = {{"FARDEL_PURE", player.path("p.trust")}};
        expected = "pure mode: ";
    }
    Variables variables = player.pure();
    for (const auto& [name, value] : more)
        std::ranges::find(variables, name, &std::pair<std::string, std::string>::first)->second = value;
    const Outcome outcome = player.play("mount", std::move(variables));
    CAPTURE(outcome.err);
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.out == "no PhysicsFS\n");
    CHECK(has(outcome.err, expected));
    CHECK_FALSE(has(outcome.err, "\x1b"));
}

TEST_CASE("preload, pure: files that the server tolerates are visible where they do not replace its content") {
    Player player;
    player.rules.loose = {"sounds/**"};
    player.files += ":" + player.path("own");
    player.scratch.write("own/sounds/step", "cheat");
    player.scratch.write("own/sounds/shout", "mine");
    const Outcome outcome = player.play("mount", player.pure());
    CAPTURE(outcome.err);
    CHECK(has(outcome.out, "sounds/step: a step\n"));
    CHECK(has(outcome.out, "sounds/shout: mine\n"));
}

TEST_CASE("preload, pure: a policy that allows unsigned content needs no trust of the player") {
    Player player;
    player.rules.unsigned_allowed = true;
    Variables variables = player.pure();
    variables.erase(variables.begin());
    const Outcome outcome = player.play("mount", std::move(variables));
    CAPTURE(outcome.err);
    CHECK(has(outcome.out, "wall: the server's\n"));
}

}  // namespace fardel::tests::physfs_preload_pure_test
