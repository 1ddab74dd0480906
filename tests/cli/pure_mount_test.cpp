// `fardel mount --pure`: a folder with what a server's policy allows, and nothing else.
#include "channel_owner.h"
#include "mounted_folder.h"
#include "sample.h"

#include <nlohmann/json.hpp>

namespace fardel::tests::pure_mount_test {

using nlohmann::json;

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
        Arguments words = player.joined("two");
        words.push_back("--ids");
        const MountedFolder tree(player.scratch, words);
        CHECK(contents_of(tree.path("wall.tga")) == "the wall of server two");
        CHECK(fs::exists(tree.path("bundles/" + run_well({"id", player.file("two")}).substr(0, 64))));
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

TEST_CASE_FIXTURE(
    OwnerAndPlayer,
    "pure mount: a recall of a channel that the server names and the player follows makes its bundle revoked") {
    const std::string maps = owner.bundle("maps", "1.0");
    owner.release({maps});
    owner.head();
    player.fetch_well();
    const std::string file = owner.scratch.path("maps1.0.fardel");
    const std::string named = owner.scratch.path("named.pure");
    const std::string silent = owner.scratch.path("silent.pure");
    run_well({"pure", "policy", file, "-o", named, "--channel", owner.scratch.path("1.root")});
    run_well({"pure", "policy", file, "-o", silent});
    const Arguments words{"--pure", named, "--trust", owner.scratch.path("authors.trust"), "--store", player.store};
    { const MountedFolder tree(owner.scratch, words, player.surroundings()); }

    owner.release({"--recall-bundle", maps, "--reason", "crashes on the second level"});
    owner.head();
    player.fetch_well();
    Arguments refused{"mount", owner.scratch.path("mnt")};
    refused.insert(refused.end(), words.begin(), words.end());
    const Outcome outcome = run(refused, player.surroundings());
    CAPTURE(outcome.out);
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.out.find("revoked: maps: ") != std::string::npos);
    CHECK(outcome.out.find("crashes on the second level") != std::string::npos);
    // For a player who does not follow the channel, a name in a policy is nothing to believe.
    const ChannelPlayer stranger(owner, "bob");
    Arguments other = words;
    other.insert(other.begin(), file);
    other.back() = owner.scratch.path("bob-store");
    run_well({"store", "add", file, "--store", other.back()});
    const MountedFolder tree(owner.scratch, other, stranger.surroundings());
}

TEST_CASE_FIXTURE(
    OwnerAndPlayer,
    "pure mount: what one server brought expires, and what another one brought or the player added stays") {
    owner.release({owner.bundle("maps", "1.0")});
    owner.head();
    player.fetch_well();
    const std::string own = make_bundle(owner.scratch);
    run_well({"store", "add", own, "--store", player.store});
    const auto collect = [&](const std::string& source) {
        run_well({"store", "gc", "--store", player.store, "--grace", "0s", "--unused", "0s", "--source", source});
        return json::parse(run_well({"store", "ls", "--store", player.store, "--json"}))["bundles"].size();
    };
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // the last use is a second ago
    CHECK(collect("http://another.example") == 2);
    CHECK(collect(owner.nginx.url()) == 1);
    CHECK(run({"store", "gc", "--store", player.store, "--source", "http://a"}).exit_code == 2);
}

TEST_CASE("pure mount: an exception's bundle is there with its name and its signer, by key or by role, and no other") {
    const Player player;
    const std::string friendly = make_key(player.scratch, "friendly"), stranger = make_key(player.scratch, "stranger");
    player.scratch.write("hud/gfx/hud.cfg", "admitted hud");
    player.scratch.write("theirs/gfx/theirs.cfg", "stranger's hud");
    player.scratch.write("elsewhere/gfx/elsewhere.cfg", "of another name");
    const auto pack = [&](const std::string& folder, const std::string& name, const std::string& key) {
        run_well({"pack", player.scratch.path(folder), "-o", player.file(folder), "--name", name, "--key", key});
        return player.file(folder);
    };
    const std::string hud = pack("hud", "huds/mine", friendly);
    const std::string theirs = pack("theirs", "huds/theirs", stranger);
    const std::string elsewhere = pack("elsewhere", "walls/mine", friendly);
    const std::string trust =
        make_policy(player.scratch, "all.trust",
                    {"--author", player.key + ".pub", "--author", friendly + ".pub", "--author", stranger + ".pub"});
    std::string signer = friendly + ".pub";
    SUBCASE("by key") {}
    SUBCASE("by role") { signer = "author=1:" + friendly + ".pub"; }
    run_well({"pure", "policy", player.file("base"), "-o", player.policy("huds"), "--except",
              "huds/*:" + signer + ":gfx/**"});
    const Arguments pure{"--pure", player.policy("huds"), "--trust", trust};
    const auto with = [&](Arguments files) {
        files.insert(files.end(), pure.begin(), pure.end());
        return files;
    };
    {
        const MountedFolder tree(player.scratch, with({player.file("base"), hud}));
        CHECK(contents_of(tree.path("gfx/hud.cfg")) == "admitted hud");
        CHECK(contents_of(tree.path("base.cfg")) == "base");
    }
    CHECK(player.refused(with({player.file("base"), theirs})).find("huds/theirs") != std::string::npos);
    CHECK(player.refused(with({player.file("base"), elsewhere})).find("walls/mine") != std::string::npos);
}

TEST_CASE("pure policy: exceptions may want keys in a role") {
    const Player player;
    const std::string hub = make_key(player.scratch, "hub");
    const auto policy = [&](const std::string& signers) {
        return run({"pure", "policy", player.file("base"), "-o", player.policy("role"), "--except",
                    "huds/*:" + signers + ":gfx/**"});
    };
    CHECK(policy("registry=1:" + hub + ".pub," + player.key + ".pub").exit_code == 0);
    CHECK(read_file(player.policy("role")).find("except huds/* registry=1:") != std::string::npos);
    CHECK(policy("registry=3:" + hub + ".pub," + player.key + ".pub").exit_code != 0);
    CHECK(policy("player=1:" + hub + ".pub").exit_code != 0);
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

}  // namespace fardel::tests::pure_mount_test
