// `fardel mount --pure`: a folder with what a server's policy allows, and nothing else.
#include "mounted_folder.h"
#include "sample.h"

#include <algorithm>
#include <string>

using namespace fardel::tests;
namespace fs = std::filesystem;

namespace {

// A player with a base game, and a store with what two servers brought. Both replace a file of the base game.
class Player {
public:
    Player() {
        scratch.write("base/wall.tga", "the player's wall");
        scratch.write("base/base.cfg", "base");
        scratch.write("one/wall.tga", "the wall of server one");
        scratch.write("one/one.map", "one");
        scratch.write("two/wall.tga", "the wall of server two");
        scratch.write("two/two.map", "two");
        key = make_key(scratch, "author");
        trust = make_policy(scratch, "player.trust", {"--author", key + ".pub"});
        for (const std::string name : {"base", "one", "two"})
            run_well({"pack", scratch.path(name), "-o", file(name), "--name", "game/" + name, "--key", key});
        run_well({"store", "add", file("one"), file("two"), "--store", store});
        for (const std::string name : {"one", "two"})
            run_well({"pure", "policy", file("base"), file(name), "-o", policy(name)});
    }

    std::string file(const std::string& name) const { return scratch.path(name + ".fardel"); }
    std::string policy(const std::string& server) const { return scratch.path(server + ".pure"); }
    Arguments joined(const std::string& server) const {
        return {file("base"), "--pure", policy(server), "--trust", trust, "--store", store};
    }
    // Mounting is refused; returns what is printed.
    std::string refused(const Arguments& words, int exit_code = 1) const {
        Arguments arguments{"mount"};
        arguments.insert(arguments.end(), words.begin(), words.end());
        const std::string folder = scratch.path("refused");
        fs::create_directories(folder);
        arguments.insert(arguments.begin() + 1, folder);
        std::rotate(arguments.begin() + 1, arguments.begin() + 2, arguments.begin() + 2 + files_in(words));
        const Outcome outcome = run(arguments);
        CAPTURE(outcome.err);
        CHECK(outcome.exit_code == exit_code);
        CHECK(fs::is_empty(folder));
        return outcome.out;
    }

    ScratchFolder scratch;
    std::string store = scratch.path("store");
    std::string key, trust;

private:
    static std::ptrdiff_t files_in(const Arguments& words) {
        return std::ranges::find_if(words, [](const std::string& word) { return word.starts_with("--"); }) -
               words.begin();
    }
};

}  // namespace

TEST_CASE("pure mount: each server's content is there while its policy is, and neither the other's nor afterwards") {
    const Player player;
    {
        const MountedFolder tree(player.scratch, player.joined("one"));
        CHECK(contents_of(tree.path("wall.tga")) == "the wall of server one");
        CHECK(contents_of(tree.path("one.map")) == "one");
        CHECK(contents_of(tree.path("base.cfg")) == "base");
        CHECK_FALSE(fs::exists(tree.path("two.map")));
    }
    {
        const MountedFolder tree(player.scratch, player.joined("two"));
        CHECK(contents_of(tree.path("wall.tga")) == "the wall of server two");
        CHECK_FALSE(fs::exists(tree.path("one.map")));
        CHECK_FALSE(fs::exists(tree.path("bundles/" + run_well({"id", player.file("one")}).substr(0, 64))));
    }
    const MountedFolder tree(player.scratch, {player.file("base"), "--trust", player.trust, "--store", player.store});
    CHECK(contents_of(tree.path("wall.tga")) == "the player's wall");
    CHECK_FALSE(fs::exists(tree.path("one.map")));
}

TEST_CASE("pure mount: a mount point of the policy counts, and a tolerated loose file loses against every bundle") {
    const Player player;
    player.scratch.write("loose/notes/mine.txt", "mine");
    player.scratch.write("loose/notes/base.cfg", "fake");
    run_well({"pure", "policy", player.file("base"), "-o", player.policy("notes"), "--loose", "notes/*"});
    std::string text = read_file(player.policy("notes"));
    text.replace(text.find(" exact / "), 9, " fold /notes ");
    player.scratch.write("notes.pure", text);
    Arguments words = player.joined("notes");
    words.insert(words.begin(), player.scratch.path("loose"));
    const MountedFolder tree(player.scratch, words);
    CHECK(contents_of(tree.path("notes/base.cfg")) == "base");
    CHECK(contents_of(tree.path("NOTES/BASE.cfg")) == "base");
    CHECK(contents_of(tree.path("notes/mine.txt")) == "mine");
    CHECK(fs::symlink_status(tree.path("notes/mine.txt")).type() == fs::file_type::regular);
    CHECK(list_folder(tree.path("notes")).find("mine.txt") != std::string::npos);
    CHECK_FALSE(fs::exists(tree.path("base.cfg")));
}

TEST_CASE("pure mount: everything that is in the way is listed, and nothing is mounted") {
    const Player player;
    player.scratch.write("loose/cheat.cfg", "cheat");
    const std::string damaged = player.scratch.path("damaged.fardel");
    fs::copy_file(player.file("base"), damaged);
    flip_bit(damaged, 100);
    const std::string said = player.refused({damaged, player.file("two"), player.scratch.path("loose"), "--pure",
                                             player.policy("one"), "--trust", player.trust, "--store", player.store});
    CAPTURE(said);
    CHECK(said.find("wrong: damaged.fardel: ") != std::string::npos);
    CHECK(said.find("missing: game/base ") != std::string::npos);
    CHECK(said.find("extra: game/two ") != std::string::npos);
    CHECK(said.find("not-allowed: loose: ") != std::string::npos);
    CHECK(said.find("game/one") == std::string::npos);
}

TEST_CASE("pure mount: a server that asks for unsigned content does not make a player trust anybody") {
    const Player player;
    const std::string stranger = make_key(player.scratch, "stranger");
    const std::string mine = make_policy(player.scratch, "mine.trust", {"--author", stranger + ".pub"});
    run_well({"pure", "policy", player.file("base"), "-o", player.policy("any"), "--allow-unsigned"});
    const std::string said = player.refused({player.file("base"), "--pure", player.policy("any"), "--trust", mine});
    CAPTURE(said);
    CHECK(said.find("unsigned: base.fardel: ") != std::string::npos);
    // Without a policy of their own, players believe nobody.
    CHECK(player.refused({player.file("base"), "--pure", player.policy("one"), "--store", player.store})
              .find("unsigned: game/base ") != std::string::npos);
}

TEST_CASE("pure mount: a content set does not come from a server or a channel") {
    const Player player;
    for (const Arguments& words : {Arguments{"--from", "http://127.0.0.1:9"}, Arguments{"--channel", "game/stable"},
                                   Arguments{"--require-dependencies"}}) {
        Arguments all = words;
        all.insert(all.end(), {"--pure", player.policy("one")});
        CHECK(player.refused(all, 2).empty());
    }
}
