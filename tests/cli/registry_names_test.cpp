// A name in a registry keeps its author: what a stranger gets when its bundles are recalled and pruned, what the
// operator transfers, and what players are asked.
#include "registry_site.h"

namespace fardel::tests::registry_names_test {

using nlohmann::json;
using Reasons = std::vector<std::string>;

// A registry with maps/castle 1.0 by alice, which a player has installed.
struct CastleSite : RegistrySite {
    CastleSite() {
        start();
        upload(castle, "alice");
        const Outcome installed = install({"maps/castle"});
        CAPTURE(installed.err);
        REQUIRE(installed.exit_code == 0);
        check_has(installed.out, "by " + public_key("alice").substr(0, 16));
        check_has(read_file(lock), "author " + public_key("alice") + "\n");
    }

    Outcome install(const Arguments& words) const {
        return play("install", words, {"--channel", "hub/stable", "--root", scratch.path("1.root"), "--from", url()});
    }
    // From the sources of the lock file.
    Outcome update(const Arguments& words) const { return play("update", words, {"--allow-host", "127.0.0.1"}); }
    Outcome play(const std::string& verb, const Arguments& words, const Arguments& more = {}) const {
        Arguments all{verb};
        all.insert(all.end(), words.begin(), words.end());
        all.insert(all.end(), {"--store", scratch.path("store"), "--lock", lock});
        all.insert(all.end(), more.begin(), more.end());
        return run(all, surroundings());
    }
    Surroundings surroundings() const { return {.variables = {{"XDG_STATE_HOME", scratch.path("state")}}}; }

    void recall(const std::string& file) const {
        run_well({"publish", "--recall", id(file), url(), "--key", key("alice"), "--reason", "it crashes"});
    }
    // What a prune does, a month later.
    void prune(const std::string& file) const {
        if (can_move_clock()) {
            run_well({"publish", "--prune", hub()});
            CHECK(run_with_moved_clock("+40d", {"publish", "--prune", hub()}, {}).exit_code == 0);
        } else {
            for (const auto& [path, bytes] : files_below(hub()))
                if (has(path, "bundles/" + id(file)))
                    std::filesystem::remove(hub() + "/" + path);
        }
        CHECK_FALSE(std::filesystem::exists(hub() + "/bundles/" + id(file) + ".fardel"));
    }
    void restart() {
        stop();
        start();
    }
    std::string transfer(const Arguments& more = {}) const {
        Arguments words{"registry", "transfer", hub(), "maps/castle", pub("bob")};
        words.insert(words.end(), more.begin(), more.end());
        return run_well(words);
    }
    void check_refused(const Outcome& outcome, const std::string& author) const {
        CAPTURE(outcome.err);
        CAPTURE(outcome.out);
        CHECK(outcome.exit_code == 1);
        check_has(outcome.err, "maps/castle was by the key " + public_key("alice"));
        check_has(outcome.err, "is now by the key " + public_key(author));
        check_has(outcome.err, "--accept-author maps/castle=" + public_key(author));
        check_has(outcome.err, "[conflict]");
        check_has(read_file(lock), "author " + public_key("alice") + "\n");
    }

    const std::string castle = bundle("maps/castle", "1.0", "alice");
    const std::string lock = scratch.path("mods.lock");
};

TEST_CASE("registry names: a recalled and pruned name is still its author's, and a stranger does not get it") {  // A146
    CastleSite site;
    site.recall(site.castle);
    site.prune(site.castle);
    CHECK(site.reasons(site.bundle("maps/castle", "2.0", "bob"), "bob") == Reasons{"name-owned"});
    site.restart();
    CHECK(site.reasons(site.bundle("maps/castle", "2.1", "bob"), "bob") == Reasons{"name-owned"});
    const Outcome checked = site.fsck();
    CAPTURE(checked.out);
    CHECK(checked.exit_code == 0);
    CHECK(site.reasons(site.bundle("maps/castle", "2.2", "bob"), "bob") == Reasons{"name-owned"});
    const std::string page = read_file(site.hub() + "/names/maps/castle.html");
    check_has(page, site.public_key("alice"));
    check_has(page, "No version of it is here any more");
    site.upload(site.bundle("maps/castle", "1.1", "alice"), "alice");
    const Outcome updated = site.update({});
    CAPTURE(updated.err);
    CHECK(updated.exit_code == 0);
    check_has(site.play("list", {}).out, "maps/castle 1.1");
}

TEST_CASE("registry names: an older registry records its names when it starts, recalled ones too") {  // A146
    CastleSite site;
    site.recall(site.castle);
    site.stop();
    const std::string record = site.hub() + "/registry.names";
    const std::string before = read_file(record);
    check_has(before, "fardel-names 1\nmaps/castle " + site.public_key("alice") + " ");
    std::filesystem::remove(record);
    check_has(site.fsck().out, "registry.names: it lacks names");
    site.start();
    CHECK(read_file(record) == before);
    site.prune(site.castle);
    CHECK(site.reasons(site.bundle("maps/castle", "2.0", "bob"), "bob") == Reasons{"name-owned"});
    // A record that is damaged gives no name away.
    site.stop();
    write_file(record, before.substr(0, before.size() - 5));
    CHECK(is_one_clear_line(site.try_start(), "malformed"));
}

TEST_CASE("registry names: a refused upload reserves no name") {  // A146
    RegistrySite site;
    site.start();
    CHECK(site.reasons(site.bundle("maps/well", "1.0", ""), "alice") == Reasons{"signer-differs", "trust-refused"});
    CHECK(site.upload(site.bundle("maps/well", "1.0", "bob"), "bob")["outcome"] == "accepted");
    CHECK(site.reasons(site.bundle("maps/well", "1.1", "alice"), "alice") == Reasons{"name-owned"});
}

TEST_CASE("registry transfer: the operator gives a name to another author, the pages say it, and players are asked") {
    CastleSite site;  // A146
    CHECK(run({"registry", "transfer", site.hub(), "maps/none", site.pub("bob")}).exit_code == 3);
    CHECK(is_one_clear_line(run({"registry", "transfer", site.hub(), "core", site.pub("bob")}), "conflict"));
    CHECK(is_one_clear_line(run({"registry", "transfer", site.hub(), "maps/castle", site.pub("alice")}), "conflict"));
    const json done = json::parse(site.transfer({"--json"}));
    CHECK(done["from"] == site.public_key("alice"));
    CHECK(done["to"] == site.public_key("bob"));
    for (const std::string& page :
         {site.hub() + "/names/maps/castle.html", site.hub() + "/bundles/" + site.id(site.castle) + ".html"}) {
        CAPTURE(page);
        check_has(read_file(page), "The operator has transferred the name from <code>" + site.public_key("alice") +
                                       "</code> to <code>" + site.public_key("bob") + "</code> on 20");
    }
    const json listed = json::parse(read_file(site.hub() + "/registry.json"))["names"][0]["transfers"];
    REQUIRE(listed.size() == 1);
    CHECK(listed[0]["from"] == site.public_key("alice"));
    CHECK(listed[0]["to"] == site.public_key("bob"));
    // The server, which runs meanwhile, and later ones believe it.
    CHECK(site.reasons(site.bundle("maps/castle", "1.1", "alice"), "alice") == Reasons{"name-owned"});
    site.upload(site.bundle("maps/castle", "2.0", "bob"), "bob");
    site.restart();
    CHECK(site.reasons(site.bundle("maps/castle", "1.2", "alice"), "alice") == Reasons{"name-owned"});
    CHECK(site.fsck().exit_code == 0);
    // A player has alice's. Consent to bytes is no consent to another author.
    site.check_refused(site.update({}), "bob");
    site.check_refused(site.update({"--yes"}), "bob");
    site.check_refused(site.update({"--yes", "--accept-author", "maps/other=" + site.public_key("bob")}), "bob");
    site.check_refused(site.update({"--yes", "--accept-author", "maps/castle=" + site.public_key("studio")}), "bob");
    site.check_refused(site.install({"maps/castle >= 2", "--yes"}), "bob");
    const Outcome as_json = site.update({"--json"});
    CHECK(as_json.exit_code == 1);
    const json change = json::parse(as_json.out)["author_changes"][0];
    CHECK(change["name"] == "maps/castle");
    CHECK(change["before"]["key"] == site.public_key("alice"));
    CHECK(change["after"]["key"] == site.public_key("bob"));
    const Outcome planned = site.update({"--plan"});
    CHECK(planned.exit_code == 0);
    check_has(planned.out, "ANOTHER AUTHOR: maps/castle was by the key " + site.public_key("alice"));
    CHECK(site.update({"--accept-author", "maps/castle=alice"}).exit_code == 1);
    Arguments words{"update", "--store", site.scratch.path("store"), "--lock", site.lock, "--allow-host", "127.0.0.1"};
    const std::string question = "Trust the other author with the name? [y/N] ";
    for (const char* const no : {"\n", "n\n", "whatever\n"}) {
        const Outcome refused = run_at_terminal(words, {{question, no}}, site.surroundings());
        CHECK(refused.exit_code == 1);
        check_has(refused.out, site.public_key("bob"));
        check_has(read_file(site.lock), "author " + site.public_key("alice") + "\n");
    }
    const Outcome accepted = run_at_terminal(words, {{question, "y\n"}, {"Fetch", "y\n"}}, site.surroundings());
    CAPTURE(accepted.out);
    CHECK(accepted.exit_code == 0);
    check_has(read_file(site.lock), "author " + site.public_key("bob") + "\n");
    // And back: the option names the one key that is accepted.
    site.play("remove", {"maps/castle"});
    CHECK(site.install({"maps/castle < 2", "--yes"}).exit_code == 0);
    CHECK(site.install({"maps/castle >= 2", "--accept-author", "maps/castle=" + site.public_key("bob")}).exit_code ==
          0);
    check_has(site.play("list", {}).out, "maps/castle 2.0  by " + site.public_key("bob").substr(0, 16));
}

TEST_CASE("update: whatever a registry says, a name whose author is another one is not installed unasked") {  // A146
    CastleSite site;
    site.recall(site.castle);
    // A registry that gives names away: its record is gone, and the bundles are.
    site.stop();
    site.prune(site.castle);
    std::filesystem::remove(site.hub() + "/registry.names");
    site.start();
    site.upload(site.bundle("maps/castle", "2.0", "bob"), "bob");
    site.check_refused(site.update({"--yes"}), "bob");
    site.check_refused(site.update({"--yes", "maps/castle"}), "bob");
    site.check_refused(site.install({"maps/castle", "--yes"}), "bob");
    // Also of what the store has already.
    const std::string bob = "maps/castle=" + site.public_key("bob");
    CHECK(site.fetch({"--yes", "--accept-author", bob}).exit_code == 0);
    site.check_refused(site.update({"--yes"}), "bob");
    // A lock file of before authors were written: the bundle in the store says it, although it is recalled.
    std::string lock = read_file(site.lock);
    const auto at = lock.find("author ");
    lock.erase(at, lock.find('\n', at) + 1 - at);
    write_file(site.lock, lock);
    const Outcome refused = site.update({"--yes"});
    CHECK(refused.exit_code == 1);
    check_has(refused.err, "maps/castle was by the key " + site.public_key("alice"));
    CHECK(read_file(site.lock) == lock);
}

TEST_CASE("update: a mod by a name that others require is pinned, too, and a lock that names another author is wrong") {
    CastleSite site;  // A146
    site.scratch.write("keep/maps/keep/door.txt", "oak\n");
    const std::string keep = site.scratch.path("keep.fardel");
    run_well({"pack", site.scratch.path("keep"), "-o", keep, "--name", "maps/keep", "--version", "1.0", "--require",
              "maps/castle"});
    sign(keep, site.key("studio"), "author");
    site.upload(keep, "studio");
    CHECK(site.play("remove", {"maps/castle"}).exit_code == 0);
    CHECK(site.install({"maps/keep", "--yes"}).exit_code == 0);
    site.transfer();
    site.upload(site.bundle("maps/castle", "2.0", "bob"), "bob");
    site.check_refused(site.update({"--yes"}), "bob");
    const std::string good = read_file(site.lock);
    std::string wrong = good;
    wrong.replace(wrong.find(site.public_key("alice")), 64, site.public_key("bob"));
    write_file(site.lock, wrong);
    const Outcome mounted = site.play("mount", {site.scratch.path("mnt")});
    CHECK(mounted.exit_code == 1);
    check_has(mounted.err, "another author");
}

TEST_CASE("fetch --channel: a name of which the store has a bundle by another author is not fetched unasked") {  // A146
    CastleSite site;
    site.upload(site.bundle("mods/two", "1.0", "studio"), "studio");
    CHECK(site.fetch({"--yes"}).exit_code == 0);
    site.recall(site.castle);
    CHECK(site.fetch({"--yes"}).exit_code == 0);  // the follower has seen a release without the name
    site.transfer();
    site.upload(site.bundle("maps/castle", "2.0", "bob"), "bob");
    for (int attempt = 0; attempt < 2; ++attempt)
        site.check_refused(site.fetch({"--yes"}), "bob");
    const json refused = json::parse(site.fetch({"--json"}).out);
    CHECK(refused["author_changes"][0]["before"]["key"] == site.public_key("alice"));
    check_has(site.fetch({"--plan"}).out, "ANOTHER AUTHOR: maps/castle was by the key " + site.public_key("alice"));
    CHECK(site.fetch({"mods/two", "--yes"}).exit_code == 0);
    const std::string bob = "maps/castle=" + site.public_key("bob");
    CHECK(site.fetch({"--yes", "--accept-author", bob}).exit_code == 0);
    CHECK(site.fetch({"--yes"}).exit_code == 0);
}

TEST_CASE("fetch: consent shows who made a bundle, and not only who has signed it") {  // A146
    const CastleSite site;
    const auto fetch = [&](const std::string& more) {
        return run({"fetch", "--channel", "hub/stable", "--root", site.scratch.path("1.root"), "--from", site.url(),
                    "--store", site.scratch.path("other"), "--plan", more},
                   {.variables = {{"XDG_STATE_HOME", site.scratch.path("other-state")}}});
    };
    const Outcome shown = fetch("--yes");
    CHECK(shown.exit_code == 0);
    check_has(shown.out, ", by " + site.public_key("alice").substr(0, 16) + ", signed by registry");
    const json author = json::parse(fetch("--json").out)["plan"]["bundles"][0]["author"];
    CHECK(author["key"] == site.public_key("alice"));
    CHECK(author["label"].is_null());
}

}  // namespace fardel::tests::registry_names_test
