// fardel install, update, remove and list, and mount of a lock file, with a real server and real stores.
#include "channel_owner.h"
#include "mounted_folder.h"

#include "kit/serve_program.h"

#include <unistd.h>

#include <csignal>

namespace fardel::tests::install_test {

using nlohmann::json;

// A channel in which names have several versions, and a player who installs from it.
class ModRegistry {
public:
    std::string bundle(const std::string& name, const std::string& version, const Arguments& requirements = {},
                       const std::string& author = "author") const {
        const std::string folder = "assets-" + name + version;
        owner.scratch.write(folder + "/" + name + ".txt", name + " " + version + "\n");
        const std::string file = owner.scratch.path(name + version + ".fardel");
        Arguments words{"pack", owner.scratch.path(folder), "-o", file, "--name", name, "--version", version};
        for (const std::string& text : requirements)
            words.insert(words.end(), {"--require", text});
        run_well(words);
        sign(file, owner.key(author), "author");
        run_well({"publish", file, owner.tree()});
        return run_well({"id", file}).substr(0, 64);
    }
    void release(Arguments words) const {
        words.emplace_back("--keep-versions");
        owner.release(words);
        owner.head();
    }
    Outcome install(const Arguments& names) const {
        Arguments words{"install", "--channel",       "mygame/stable", "--root",     owner.scratch.path("1.root"),
                        "--from",  owner.nginx.url(), "--store",       player.store, "--lock",
                        lock};
        words.insert(words.end(), names.begin(), names.end());
        return run(words, player.surroundings());
    }
    Outcome verb(Arguments words) const {
        words.insert(words.end(), {"--store", player.store, "--lock", lock});
        if (words.front() == "install" || words.front() == "update")  // the sources of the lock file
            words.insert(words.end(), {"--allow-host", "127.0.0.1"});
        return run(words, player.surroundings());
    }
    // "base 1.0, castle 1.0", in the order of mounting.
    std::string listed() const {
        const json list = json::parse(verb({"list", "--json"}).out);
        std::string text;
        for (const json& one : list["bundles"])
            text +=
                (text.empty() ? "" : ", ") + one["name"].get<std::string>() + " " + one["version"].get<std::string>();
        return text;
    }
    std::string requirements_path() const {
        std::string path = owner.release_path();
        return path.replace(path.rfind("/release/"), 9, "/requirements/");
    }

    const ChannelOwner owner;
    const ChannelPlayer player{owner, "ann"};
    const std::string lock = owner.scratch.path("mods.lock");
};

void check_well(const Outcome& outcome) {
    CAPTURE(outcome.err);
    CAPTURE(outcome.out);
    CHECK(outcome.exit_code == 0);
}

TEST_CASE("install: two mods that need two versions of one base are installed and mounted, offline") {
    const ModRegistry mods;
    const std::string old_base = mods.bundle("base", "1.0");
    const std::string new_base = mods.bundle("base", "2.0");
    const std::string castle = mods.bundle("castle", "1.0", {"base >= 1.0, < 2"});
    const std::string forest = mods.bundle("forest", "1.0", {"base >= 2"});
    mods.release({old_base, new_base, castle, forest});
    check_well(mods.install({"castle", "forest"}));
    CHECK(mods.listed() == "base 1.0, base 2.0, castle 1.0, forest 1.0");
    const std::string lock = read_file(mods.lock);
    CHECK(lock.find("requires " + old_base + " base >= 1.0, < 2\n") != std::string::npos);
    CHECK(lock.find("requires " + new_base + " base >= 2\n") != std::string::npos);
    CHECK(mods.verb({"list"}).exit_code == 0);

    const MountedFolder mounted(mods.owner.scratch, {"--lock", mods.lock, "--store", mods.player.store, "--ids"},
                                mods.player.surroundings());
    CHECK(read_file(mounted.path("castle.txt")) == "castle 1.0\n");
    CHECK(read_file(mounted.path("base.txt")) == "base 2.0\n");  // the newer one wins
    CHECK(read_file(mounted.path("bundles/" + old_base + "/base.txt")) == "base 1.0\n");
}

// What a player with a server has after each release.
TEST_CASE("install: from nginx and from fardel serve, install, update and fetch --channel give the same") {
    const ModRegistry mods;
    const ServeProgram serve({mods.owner.tree()});
    struct Site {
        std::string name;
        std::string url;
    };
    const std::vector<Site> sites{{"nginx", mods.owner.nginx.url()}, {"serve", serve.url()}};
    const auto path = [&](const Site& site, const std::string& what) {
        return mods.owner.scratch.path(site.name + "-" + what);
    };
    const auto play = [&](const Site& site, const Arguments& words) {
        CAPTURE(site.name);
        const Outcome outcome = run(words, {.variables = {{"XDG_STATE_HOME", path(site, "state")}}});
        check_well(outcome);
        return outcome.out;
    };
    const auto installed = [&](const Site& site) {
        const Arguments words{"list", "--json", "--lock", path(site, "lock"), "--store", path(site, "mods")};
        std::string text;
        const json list = json::parse(play(site, words));
        for (const json& one : list["bundles"])
            text += one["name"].get<std::string>() + " " + one["version"].get<std::string>() + "; ";
        return text;
    };
    const auto follow = [&](const Site& site) {
        play(site, {"fetch", "--channel", "mygame/stable", "--root", mods.owner.scratch.path("1.root"), "--from",
                    site.url, "--store", path(site, "followed")});
    };

    const std::string base = mods.bundle("base", "1.0");
    const std::string castle = mods.bundle("castle", "1.0", {"base"});
    mods.release({base, castle});
    for (const Site& site : sites) {
        play(site, {"install", "castle", "--channel", "mygame/stable", "--root", mods.owner.scratch.path("1.root"),
                    "--from", site.url, "--store", path(site, "mods"), "--lock", path(site, "lock")});
        CHECK(installed(site) == "base 1.0; castle 1.0; ");
        follow(site);
    }
    const std::string newer = mods.bundle("base", "1.1");
    mods.release({newer});
    for (const Site& site : sites) {
        play(site,
             {"update", "--lock", path(site, "lock"), "--store", path(site, "mods"), "--allow-host", "127.0.0.1"});
        CHECK(installed(site) == "base 1.1; castle 1.0; ");
        follow(site);
        CHECK(run({"store", "export", newer, "--store", path(site, "followed"), "-o", path(site, "base")}).exit_code ==
              0);
        CHECK(read_file(path(site, "base")) == mods.owner.scratch.read("base1.1.fardel"));
    }
    // Both were asked: each by its players only.
    CHECK(serve.metric("fardel_requests_total{status=\"206\"}") > 4);
    CHECK(read_file(path(sites[0], "lock")).find(sites[0].url) != std::string::npos);
    CHECK(read_file(path(sites[1], "lock")).find(sites[0].url) == std::string::npos);
}

TEST_CASE("install: what is installed stays until update, and remove takes only what nothing else needs") {
    const ModRegistry mods;
    const std::string base = mods.bundle("base", "1.0");
    const std::string castle = mods.bundle("castle", "1.0", {"base"});
    mods.release({base, castle});
    check_well(mods.install({"castle"}));
    const std::string newer = mods.bundle("base", "1.1");
    const std::string forest = mods.bundle("forest", "1.0", {"base"});
    mods.release({newer, forest});
    check_well(mods.verb({"install", "forest"}));  // channel and source are those of the lock file
    CHECK(mods.listed() == "base 1.0, castle 1.0, forest 1.0");
    const Outcome planned = mods.verb({"update", "--plan"});
    check_well(planned);
    CHECK(planned.out.find("base 1.1") != std::string::npos);
    CHECK(mods.listed() == "base 1.0, castle 1.0, forest 1.0");
    check_well(mods.verb({"update", "base"}));
    CHECK(mods.listed() == "base 1.1, castle 1.0, forest 1.0");
    check_well(mods.verb({"remove", "castle"}));
    CHECK(mods.listed() == "base 1.1, forest 1.0");
    CHECK(mods.verb({"remove", "castle"}).exit_code == 3);
    check_well(mods.verb({"remove", "forest"}));
    CHECK(mods.listed() == "");
}

TEST_CASE("install and update: at a terminal they ask after the plan, and without a yes nothing changes") {
    const ModRegistry mods;
    const std::string base = mods.bundle("base", "1.0");
    mods.release({base});
    const auto at_terminal = [&](Arguments words, const std::string& answer) {
        words.insert(words.end(), {"--channel", "mygame/stable", "--root", mods.owner.scratch.path("1.root"), "--from",
                                   mods.owner.nginx.url(), "--store", mods.player.store, "--lock", mods.lock});
        return run_at_terminal(words, {{"? [Y/n] ", answer}}, mods.player.surroundings());
    };
    const Outcome refused = at_terminal({"install", "base"}, "n\n");
    CHECK(refused.exit_code == 1);
    CHECK(refused.out.find("base 1.0") < refused.out.find("Fetch "));
    CHECK(refused.out.find("the plan was refused; nothing was fetched [cancelled]") != std::string::npos);
    CHECK_FALSE(fs::exists(mods.lock));
    CHECK_FALSE(mods.player.has(base));
    const Outcome agreed = at_terminal({"install", "base"}, "\n");
    CHECK(agreed.exit_code == 0);
    CHECK(agreed.out.find("  + ") == agreed.out.rfind("  + "));  // the plan is shown once

    const std::string newer = mods.bundle("base", "1.1");
    mods.release({newer});
    CHECK(at_terminal({"update"}, "\x03").signal == SIGINT);
    CHECK(mods.listed() == "base 1.0");
    CHECK(at_terminal({"update"}, "y\n").exit_code == 0);
    CHECK(mods.listed() == "base 1.1");
    const Outcome nothing = at_terminal({"update"}, "n\n");
    CHECK(nothing.exit_code == 0);
    CHECK(nothing.out.find("[Y/n]") == std::string::npos);
}

TEST_CASE("install: the sources of a lock file are public servers, or --allow-host names their hosts") {  // A152
    const ModRegistry mods;
    mods.release({mods.bundle("base", "1.0")});
    check_well(mods.install({"base"}));
    const Arguments update{"update", "--store", mods.player.store, "--lock", mods.lock};
    const Outcome refused = run(update, mods.player.surroundings());
    CHECK(is_one_clear_line(refused, "denied"));
    CHECK(refused.err.find("--allow-host") != std::string::npos);
    check_well(mods.verb({"update"}));
}

TEST_CASE("install: what a lock file names survives collections, and what it has released does not") {
    const ModRegistry mods;
    const std::string base = mods.bundle("base", "1.0");
    const std::string castle = mods.bundle("castle", "1.0", {"base"});
    mods.release({base, castle});
    check_well(mods.install({"castle"}));
    const Arguments collect{"store", "gc", "--size", "0", "--grace", "0s", "--store", mods.player.store};
    run_well(collect);
    CHECK(mods.player.has(base));
    CHECK(mods.player.has(castle));
    const std::string newer = mods.bundle("base", "1.1");
    mods.release({newer});
    check_well(mods.verb({"update"}));
    run_well(collect);
    CHECK_FALSE(mods.player.has(base));
    CHECK(mods.player.has(newer));
    check_well(mods.verb({"remove", "castle"}));
    run_well(collect);
    CHECK_FALSE(mods.player.has(castle));
    CHECK_FALSE(mods.player.has(newer));
}

TEST_CASE("install: plain gc takes what was removed or replaced, says what stays and why, and takes nothing else") {
    const ModRegistry mods;
    const std::string base = mods.bundle("base", "1.0");
    const std::string castle = mods.bundle("castle", "1.0", {"base"});
    const std::string forest = mods.bundle("forest", "1.0");
    mods.release({base, castle, forest});
    check_well(mods.install({"castle", "forest"}));
    run_well({"store", "add", mods.owner.scratch.path("base1.0.fardel"), "--store", mods.player.store});
    const auto gc = [&](const Arguments& more = {}) {
        Arguments words{"store", "gc", "--store", mods.player.store};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    };
    const std::string before = run_well(gc());
    check_has(before, "3 bundles with ");
    check_has(before, "stay: installed; 'fardel remove NAME' ends that");
    const Outcome removed = mods.verb({"remove", "castle"});
    check_well(removed);
    check_has(removed.out, "'fardel store gc --grace 0' at once");
    // For a day, it can be taken back.
    check_has(run_well(gc()), "no longer installed, goes after ");
    CHECK(mods.player.has(castle));
    if (can_move_clock()) {
        CHECK(run_with_moved_clock("+2d", gc({"--dry-run"}), {}).out.find("no longer installed, would remove") !=
              std::string::npos);
    }
    const json collected = json::parse(run_well(gc({"--grace", "0", "--json"})));
    CHECK(collected["bundles"].size() == 2);  // castle, and base, which nothing else needs
    CHECK_FALSE(mods.player.has(castle));
    CHECK(mods.player.has(forest));
    REQUIRE(collected["kept"].size() == 1);
    CHECK(collected["kept"][0]["bundle"] == forest);
    CHECK(collected["kept"][0]["reason"] == "pinned");
    // Another lock file keeps what this one releases, and what was added by itself has a word of its own.
    const std::string other = mods.owner.scratch.path("other.lock");
    run_well({"store", "add", mods.owner.scratch.path("castle1.0.fardel"), mods.owner.scratch.path("base1.0.fardel"),
              "--store", mods.player.store});
    Arguments again{"install",   "forest",
                    "--channel", "mygame/stable",
                    "--root",    mods.owner.scratch.path("1.root"),
                    "--from",    mods.owner.nginx.url(),
                    "--store",   mods.player.store,
                    "--lock",    other};
    run_well(again, mods.player.surroundings());
    check_well(mods.verb({"remove", "forest"}));
    const std::string kept = run_well(gc({"--grace", "0"}));
    CHECK(mods.player.has(forest));
    CHECK(mods.player.has(castle));
    check_has(kept, "2 bundles with ");
    check_has(kept, "added or fetched by id; 'fardel store rm ID' removes one");
    // An update releases what it replaces.
    const std::string newer = mods.bundle("forest", "1.1");
    mods.release({newer});
    run_well({"update", "--store", mods.player.store, "--lock", other, "--allow-host", "127.0.0.1"},
             mods.player.surroundings());
    run_well(gc({"--grace", "0"}));
    CHECK_FALSE(mods.player.has(forest));
    CHECK(mods.player.has(newer));
}

TEST_CASE("install: from a store that a player may only read, what is there is installed without writing to it") {
    if (::geteuid() != 0) {
        MESSAGE("SKIPPED: no permission to work as another user");
        return;
    }
    const ModRegistry mods;
    const std::string base = mods.bundle("base", "1.0");
    mods.release({base});
    check_well(mods.install({"base"}));
    const std::string id = base;
    for (const fs::path& path : {mods.owner.scratch.root(), fs::path(mods.player.store)})
        fs::permissions(path, fs::perms(0755));
    REQUIRE(run_program({"chmod", "-R", "a+rX,go-w", mods.player.store}).exit_code == 0);
    constexpr unsigned kEve = 41002;
    const std::string home = mods.owner.scratch.path("eve");
    fs::create_directory(home);
    REQUIRE(::chown(home.c_str(), kEve, kEve) == 0);
    const Surroundings eve{.variables = {{"HOME", home}, {"XDG_STATE_HOME", home + "/state"}}, .user = kEve};
    const std::string lock = home + "/mods.lock";
    const auto verb = [&](Arguments words) {
        words.insert(words.end(), {"--store", mods.player.store});
        return run(words, eve);
    };
    const Arguments from{"--channel", "mygame/stable",       "--root", mods.owner.scratch.path("1.root"),
                         "--from",    mods.owner.nginx.url()};
    const auto with = [&](Arguments words, const Arguments& more) {
        words.insert(words.end(), more.begin(), more.end());
        return words;
    };
    check_well(verb(with({"install", "base", "--lock", lock}, from)));
    check_well(verb({"list", "--lock", lock}));
    check_well(verb({"update", "--lock", lock, "--allow-host", "127.0.0.1"}));
    check_well(verb(with({"fetch"}, from)));
    check_well(verb({"fetch", mods.owner.nginx.url(), id}));
    check_well(verb({"remove", "base", "--lock", lock}));
    // What is not there cannot come, and the player's own copy of the channel goes on.
    const std::string newer = mods.bundle("base", "1.1");
    mods.release({newer});
    CHECK(is_one_clear_line(verb(with({"install", "base", "--lock", lock, "--yes"}, from)), "denied"));
    CHECK(mods.player.has(base));
    CHECK_FALSE(mods.player.has(newer));
}

TEST_CASE("install: all conflicts are said at once, and nothing changes") {
    const ModRegistry mods;
    const std::string base = mods.bundle("base", "1.0");
    const std::string castle = mods.bundle("castle", "1.0", {"base >= 2", "ghosts"});
    mods.release({base, castle});
    const Outcome outcome = mods.install({"castle"});
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err.find("'base >= 2': the release has 1.0") != std::string::npos);
    CHECK(outcome.err.find("'ghosts': the release has no bundle") != std::string::npos);
    CHECK_FALSE(fs::exists(mods.lock));
    CHECK_FALSE(mods.player.has(castle));
    const json report = json::parse(mods.install({"castle", "--json"}).out);
    CHECK(report["conflicts"].size() == 2);
}

TEST_CASE("install: a server that lies about what bundles need is refused, and chooses nothing (A66, A68)") {
    const ModRegistry mods;
    const std::string base = mods.bundle("base", "1.0");
    const std::string newer = mods.bundle("base", "1.1");
    const std::string evil = mods.bundle("evil", "1.0");
    const std::string castle = mods.bundle("castle", "1.0", {"base"});
    mods.release({base, newer, castle, evil});
    const std::string path = mods.requirements_path();
    const std::string good = read_file(path);
    const std::string line = "bundle " + castle + "\n";
    const auto lie = [&](const std::string& more, const std::string& from, const std::string& to) {
        std::string text = good;
        text.insert(text.find(line) + line.size(), more);
        if (!from.empty())
            text.replace(text.find(from), from.size(), to);
        mods.owner.serve(path, text);
        const Outcome outcome = mods.install({"castle"});
        CAPTURE(outcome.err);
        CHECK(outcome.exit_code == 1);
        CHECK(outcome.err.find("[conflict]") != std::string::npos);
        CHECK_FALSE(fs::exists(mods.lock));
    };
    lie("", "requires base\n", "requires base < 1.1\n");           // an older one
    lie("", "requires base\n", "requires base\nrequires evil\n");  // one more by name
    lie("needs " + evil + "\n", "", "");                           // one more by id
    lie("", "requires base\n", "");                                // one fewer
    mods.owner.serve(path, good.substr(0, good.size() / 2));
    CHECK(mods.install({"castle"}).exit_code == 1);
    mods.owner.serve(path, good);
    check_well(mods.install({"castle"}));
    CHECK(mods.listed() == "base 1.1, castle 1.0");
}

TEST_CASE("install: where no server has the text about what bundles need, they are read by range") {
    const ModRegistry mods;
    const std::string older = mods.bundle("base", "1.9", {"tool"});
    const std::string newer = mods.bundle("base", "2.0", {"base < 2"});  // considered, and not chosen
    const std::string tool = mods.bundle("tool", "1.0", {"base < 2"});
    const std::string other = mods.bundle("other", "1.0");
    mods.release({older, newer, tool, other, mods.bundle("castle", "1.0", {"base"}), mods.bundle("bad", "1.0", {"x"})});
    fs::remove(mods.requirements_path());
    // What nobody needs is not even looked at.
    fs::remove(mods.owner.tree() + "/bundles/" + other + ".fardel");
    check_well(mods.install({"castle"}));
    CHECK(mods.listed() == "base 1.9, tool 1.0, castle 1.0");
    CHECK_FALSE(mods.player.has(newer));
    // Conflicts are found as before, and what no server has is one of them.
    const json report = json::parse(mods.install({"bad", "other", "--json"}).out);
    CHECK(report["conflicts"].size() == 2);
    // A text that is there and lacks a bundle is completed in the same way.
    mods.owner.serve(mods.requirements_path(), "fardel-requirements 1\n");
    check_well(mods.verb({"update"}));
    CHECK(mods.listed() == "base 1.9, tool 1.0, castle 1.0");
}

TEST_CASE("install: a lie about a bundle that is then not chosen is found, too (A66)") {
    const ModRegistry mods;
    const std::string older = mods.bundle("base", "1.9", {"tool"});
    const std::string newer = mods.bundle("base", "2.0");
    const std::string tool = mods.bundle("tool", "1.0", {"base < 2"});
    const std::string castle = mods.bundle("castle", "1.0", {"base"});
    mods.release({older, newer, tool, castle});
    const std::string path = mods.requirements_path();
    const std::string good = read_file(path);
    // By it, base 2.0 rules itself out, and all that is then chosen states what the text says.
    const std::string line = "bundle " + newer + "\n";
    std::string text = good;
    text.insert(text.find(line) + line.size(), "requires base < 2\n");
    mods.owner.serve(path, text);
    const Outcome refused = mods.install({"castle"});
    CAPTURE(refused.err);
    CHECK(refused.exit_code == 1);
    CHECK(refused.err.find(newer + ": it states other requirements") != std::string::npos);
    CHECK_FALSE(fs::exists(mods.lock));
    mods.owner.serve(path, good);
    check_well(mods.install({"castle"}));
    CHECK(mods.listed() == "base 2.0, castle 1.0");
}

TEST_CASE("install: a bundle that is required of one author is not taken from another") {
    const ModRegistry mods;
    const std::string base = mods.bundle("base", "1.0");
    const std::string key_text =
        json::parse(facts_of(mods.owner.scratch.path("base1.0.fardel")))["signatures"][0]["key"];
    const std::string good = mods.bundle("castle", "1.0", {"base by " + key_text});
    const std::string bad = mods.bundle("forest", "1.0", {"base by " + std::string(64, 'a')});
    mods.release({base, good, bad});
    const Outcome refused = mods.install({"forest"});
    CHECK(refused.exit_code == 1);
    CHECK(refused.err.find("has not signed") != std::string::npos);
    CHECK_FALSE(fs::exists(mods.lock));
    check_well(mods.install({"castle"}));
}

TEST_CASE("install: a recalled bundle is said, not mounted, and replaced by update") {
    const ModRegistry mods;
    const std::string base = mods.bundle("base", "1.0");
    const std::string bad = mods.bundle("base", "1.1");
    const std::string castle = mods.bundle("castle", "1.0", {"base"});
    mods.release({base, bad, castle});
    check_well(mods.install({"castle"}));
    CHECK(mods.listed() == "base 1.1, castle 1.0");
    mods.owner.release({"--recall-bundle", bad, "--reason", "crashes"});
    mods.owner.head();
    const Outcome planned = mods.verb({"update", "--plan"});
    CHECK(planned.err.find("base 1.1 is installed and has been recalled: crashes") != std::string::npos);
    const Outcome listed = mods.verb({"list"});
    CHECK(listed.exit_code == 1);
    CHECK(listed.out.find("RECALLED: crashes") != std::string::npos);
    fs::create_directory(mods.owner.scratch.path("empty"));
    const Outcome refused = mods.verb({"mount", mods.owner.scratch.path("empty")});
    CHECK(is_one_clear_line(refused, "revoked"));
    CHECK(refused.err.find("base 1.1: bundle " + bad) != std::string::npos);
    CHECK(refused.err.find("crashes; 'fardel update' replaces it [revoked]") != std::string::npos);
    check_well(mods.verb({"update"}));
    CHECK(mods.listed() == "base 1.0, castle 1.0");
    CHECK(mods.verb({"list"}).exit_code == 0);
}

TEST_CASE("install: a recalled mod is left out of a mount, is listed, and is removed") {  // A171
    const ModRegistry mods;
    const std::string base = mods.bundle("base", "1.0");
    const std::string castle = mods.bundle("castle", "1.0", {"base"});
    mods.release({base, castle, mods.bundle("forest", "1.0", {"base"})});
    check_well(mods.install({"castle", "forest"}));
    mods.owner.release({"--recall-bundle", castle, "--reason", "crashes"});
    mods.owner.head();
    const Outcome update = mods.verb({"update"});
    CHECK(update.exit_code == 1);
    check_has(update.err, "castle 1.0: 'fardel remove castle' takes it out");
    const Arguments options{"--lock", mods.lock, "--store", mods.player.store};
    const auto with = [&](const Arguments& more) {
        Arguments words = options;
        words.insert(words.end(), more.begin(), more.end());
        return words;
    };
    {
        const MountedFolder mounted(mods.owner.scratch, options, mods.player.surroundings());
        CHECK(read_file(mounted.path("base.txt")) == "base 1.0\n");
        CHECK(read_file(mounted.path("forest.txt")) == "forest 1.0\n");
        CHECK_FALSE(fs::exists(mounted.path("castle.txt")));
        CHECK(mounted.said().find("fardel: castle 1.0 is left out: castle 1.0: ") == 0);
        check_has(mounted.said(), "crashes; 'fardel remove castle' takes it out\n");
    }
    const Outcome listed = mods.verb({"list"});
    CHECK(listed.exit_code == 1);
    check_has(listed.out, "castle 1.0");
    check_has(listed.out, "RECALLED: crashes; 'fardel remove castle' takes it out  LEFT OUT by 'fardel mount'\n");
    const json facts = json::parse(mods.verb({"list", "--json"}).out);
    CHECK(facts["bundles"][1]["left_out"] == true);
    CHECK(facts["bundles"][2]["left_out"] == false);
    fs::create_directory(mods.owner.scratch.path("empty"));
    for (const Arguments& strict : {Arguments{"--strict"}, Arguments{"--need", "castle"}}) {
        Arguments words = with(strict);
        words.insert(words.begin(), {"mount", mods.owner.scratch.path("empty")});
        const Outcome refused = run(words, mods.player.surroundings());
        CHECK(is_one_clear_line(refused, "revoked"));
        check_has(refused.err, "crashes; 'fardel remove castle' takes it out [revoked]");
    }
    check_well(mods.verb({"remove", "castle"}));
    CHECK(mods.verb({"list"}).exit_code == 0);
    check_well(mods.verb({"update"}));
}

// Installs with the address alone.
struct Stranger {
    const ModRegistry mods;
    const std::string root = mods.owner.tree() + "/channels/mygame/stable/root/1";

    Stranger() { mods.release({mods.bundle("base", "1.0")}); }
    Arguments words(const Arguments& more = {}) const {
        Arguments words{"install",         "base",   "--from", mods.owner.nginx.url(), "--store",
                        mods.player.store, "--lock", mods.lock};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    Outcome at_terminal(const std::string& answer) const {
        return run_at_terminal(words(), {{"? [y/N] ", answer}, {"? [Y/n] ", "\n"}}, mods.player.surroundings());
    }
    Outcome install(const Arguments& more = {}) const { return run(words(more), mods.player.surroundings()); }
};

TEST_CASE_FIXTURE(Stranger, "install: with the address alone, the root's fingerprint is asked about, once") {  // A172
    const std::string fingerprint = b3sum(root);
    const Outcome nobody = install();
    CHECK(is_one_clear_line(nobody, "untrusted"));
    check_has(nobody.err, "never followed here; its root there has the fingerprint " + fingerprint);
    check_has(nobody.err, "--fingerprint");
    CHECK(is_one_clear_line(install({"--yes"}), "untrusted"));
    const Outcome refused = at_terminal("\n");
    CHECK(refused.exit_code == 1);
    check_has(refused.out, fingerprint);
    check_has(refused.out, "the channel was refused; nothing was accepted");
    CHECK_FALSE(fs::exists(mods.lock));
    const Outcome agreed = at_terminal("y\n");
    CHECK(agreed.exit_code == 0);
    check_has(agreed.out, "mygame/stable");
    CHECK(mods.listed() == "base 1.0");
    fs::remove(mods.lock);
    check_well(install());
}

TEST_CASE_FIXTURE(Stranger, "install: a root is what a fingerprint says, and no other one is accepted later") {  // A172
    CHECK(is_one_clear_line(install({"--fingerprint", std::string(64, 'a')}), "untrusted"));
    check_well(install({"--fingerprint", b3sum(root)}));
    // Another owner takes the server over, with a channel of the same name.
    const ModRegistry thief;
    thief.release({thief.bundle("base", "9.0")});
    fs::remove_all(mods.owner.tree());
    fs::copy(thief.owner.tree(), mods.owner.tree(), fs::copy_options::recursive);
    for (const bool has_lock : {true, false}) {
        if (!has_lock)
            fs::remove(mods.lock);
        const Outcome outcome = install();
        CAPTURE(outcome.err);
        CHECK(outcome.exit_code == 1);
        check_has(outcome.err, "[untrusted]");
    }
}

TEST_CASE_FIXTURE(Stranger, "install: a tree with several channels, or without a list of them, says what to do") {
    const std::string list = mods.owner.tree() + "/channels.txt";
    CHECK(read_file(list) == "mygame/stable\n");
    mods.owner.serve(list, "mygame/beta\nmygame/stable\n");
    const Outcome several = install();
    CHECK(is_one_clear_line(several, "conflict"));
    check_has(several.err, "2 channels: mygame/beta, mygame/stable; name one with --channel");
    mods.owner.serve(list, "b\na\n");
    CHECK(is_one_clear_line(install(), "malformed"));
    fs::remove(list);
    const Outcome none = install();
    CHECK(is_one_clear_line(none, "missing"));
    check_has(none.err, "name one with --channel");
    check_well(install({"--channel", "mygame/stable", "--fingerprint", b3sum(root)}));
}

TEST_CASE("install: names that are misspelt, or have a version as other programs write it, are suggested") {
    const ModRegistry mods;
    mods.release({mods.bundle("castle", "1.0")});
    const auto said = [&](const std::string& name) {
        const Outcome outcome = mods.install({name});
        CHECK(outcome.exit_code != 0);
        return outcome.err;
    };
    check_has(said("castel"), "did you mean 'castle'?");
    check_has(said("castle@1.0"), "did you mean 'castle = 1.0'?");
    check_well(mods.install({"castle"}));
    check_has(mods.verb({"remove", "castel"}).err, "did you mean 'castle'?");
    check_has(mods.player.fetch({"castel"}).err, "did you mean 'castle'?");
}

TEST_CASE("install: what a lock file has mounted takes recalls while it is mounted, and the rest goes on") {  // A72
    const ModRegistry mods;
    const std::string base = mods.bundle("base", "1.0");
    mods.release({base, mods.bundle("castle", "1.0")});
    check_well(mods.install({"base", "castle"}));
    fs::create_directories(mods.owner.scratch.path("live"));
    Running mounted({"mount", mods.owner.scratch.path("live"), "--lock", mods.lock, "--store", mods.player.store,
                     "--from", mods.owner.nginx.url(), "--every", "1", "--foreground"},
                    mods.player.surroundings());
    const std::string path = mods.owner.scratch.path("live/base.txt");
    wait_until([&] { return !contents_of(path).empty(); });
    CHECK(contents_of(path) == "base 1.0\n");
    mods.owner.release({"--recall-bundle", base, "--reason", "crashes"});
    mods.owner.head();
    wait_until([&] { return contents_of(path).empty(); });
    CHECK(contents_of(path).empty());
    CHECK(contents_of(mods.owner.scratch.path("live/castle.txt")) == "castle 1.0\n");
    mounted.send(SIGTERM);
    const std::string said = mounted.wait().err;
    CHECK(said.find("crashes; its files are not opened any more") != std::string::npos);
    CHECK(said.find("release 2 is there; 'fardel update --plan'") != std::string::npos);
}

TEST_CASE("install: an update that fails leaves the lock file and a set that can be mounted") {
    const ModRegistry mods;
    const std::string castle = mods.bundle("castle", "1.0");
    mods.release({castle});
    check_well(mods.install({"castle"}));
    const std::string before = read_file(mods.lock);
    const std::string newer = mods.bundle("castle", "1.1");
    mods.release({newer});
    const std::string file = mods.owner.tree() + "/bundles/" + newer + ".fardel";
    const std::string bytes = read_file(file);
    mods.owner.serve(file, bytes.substr(0, bytes.size() / 2));
    const Outcome failed = mods.verb({"update"});
    CHECK(failed.exit_code != 0);
    CHECK(read_file(mods.lock) == before);
    CHECK(run_well({"store", "gc", "--size", "0", "--grace", "0s", "--store", mods.player.store}) != "?");
    CHECK(mods.verb({"list"}).exit_code == 0);
    mods.owner.serve(file, bytes);
    check_well(mods.verb({"update"}));
    CHECK(mods.listed() == "castle 1.1");
}

TEST_CASE("install: a lock file of somebody else cannot make a bundle mean another one") {
    const ModRegistry mods;
    const std::string base = mods.bundle("base", "1.0");
    const std::string newer = mods.bundle("base", "2.0");
    const std::string castle = mods.bundle("castle", "1.0", {"base < 2"});
    const std::string forest = mods.bundle("forest", "1.0", {"base >= 2"});
    mods.release({base, newer, castle, forest});
    check_well(mods.install({"castle", "forest"}));
    std::string text = read_file(mods.lock);
    const std::string honest = "requires " + base + " base < 2";
    text.replace(text.find(honest), honest.size(), "requires " + newer + " base < 2");
    // The older base is then needed by nothing, so its lines go, too.
    const std::string lines = "bundle " + base + "\nname base\nversion 1.0\n";
    const std::size_t author_line = std::string_view("author \n").size() + 64;
    text.erase(text.find(lines), lines.size() + author_line);
    fs::remove(mods.lock);
    write_file(mods.lock, text);
    fs::create_directory(mods.owner.scratch.path("empty"));
    CHECK(is_one_clear_line(mods.verb({"mount", mods.owner.scratch.path("empty")}), "unresolved"));
}

TEST_CASE("install: mistakes on the command line are said") {
    const ScratchFolder scratch;
    CHECK(run({"install", "castle", "--lock", scratch.path("x.lock"), "--store", scratch.path("s")}).exit_code == 2);
    CHECK(
        run({"install", "castle >", "--lock", scratch.path("x.lock"), "--channel", "a", "--from", "http://127.0.0.1:1"})
            .exit_code == 1);
    CHECK(run({"update", "--lock", scratch.path("x.lock"), "--store", scratch.path("s")}).exit_code == 3);
    CHECK(run({"mount", "a.fardel", scratch.path("m"), "--lock", scratch.path("x.lock")}).exit_code == 2);
}

}  // namespace fardel::tests::install_test
