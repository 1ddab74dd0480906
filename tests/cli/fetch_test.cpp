// The program fetches bundles and mends what is damaged, through nginx.
#include "sample.h"

#include "kit/nginx.h"

#include <nlohmann/json.hpp>

#include <csignal>

namespace fardel::tests::fetch_test {

using nlohmann::json;

void change_stored_byte(const std::string& path) {
    fs::permissions(path, fs::perms::owner_write, fs::perm_options::add);
    std::string content = read_file(path);
    REQUIRE(content.size() > 20'000);
    content[10'000] = static_cast<char>(content[10'000] ^ 1);
    write_file(path, content);
}

// A bundle of 600 kB behind a server, and who fetches it at a terminal into a new store each time.
struct ServedGame {
    ServedGame() {
        scratch.write("game/sound.ogg", noise_text(600'000, 1));
        run_well({"pack", scratch.path("game"), "-o", scratch.path("game.fardel"), "--name", "game"});
        id = run_well({"id", scratch.path("game.fardel")}).substr(0, 64);
        run_well({"publish", scratch.path("game.fardel"), nginx.tree()});
    }
    Arguments words(const Arguments& more = {}) {
        store = scratch.path("store" + std::to_string(++stores));
        Arguments all{"fetch", nginx.url(), id, "--store", store};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    bool has_it() const { return run({"store", "ls", "--store", store, "--json"}).out.find(id) != std::string::npos; }

    const ScratchFolder scratch;
    const Nginx nginx{scratch, "nginx", "delivery.md", "/srv/www/mygame"};
    std::string id;
    std::string store;
    int stores = 0;
};

TEST_CASE("fetch: at a terminal it asks after the plan, and without a yes nothing is fetched") {
    ServedGame game;
    for (const char* const answer : {"\n", "y\n", "YES\n"}) {
        CAPTURE(answer);
        const Outcome agreed = run_at_terminal(game.words(), {{"Fetch 6", answer}});
        CHECK(agreed.exit_code == 0);
        CHECK(agreed.out.find("to fetch: ") < agreed.out.find(" kB? [Y/n] "));
        CHECK(agreed.out.find(" kB? [Y/n] ") < agreed.out.find("fetched "));
        CHECK(game.has_it());
    }
    for (const char* const answer : {"n\n", "no\n", "yes please, and more of it\n", " \n", "\x04"}) {
        CAPTURE(answer);
        const Outcome refused = run_at_terminal(game.words(), {{"? [Y/n] ", answer}});
        CHECK(refused.exit_code == 1);
        CHECK(refused.out.find("\nfardel: the plan was refused; nothing was fetched [cancelled]") != std::string::npos);
        CHECK_FALSE(game.has_it());
    }
    const Outcome interrupted = run_at_terminal(game.words(), {{"? [Y/n] ", "\x03"}});
    CHECK(interrupted.signal == SIGINT);
    CHECK(interrupted.out.find("[cancelled]") != std::string::npos);
    CHECK_FALSE(game.has_it());
}

TEST_CASE("fetch: nothing is asked with --yes or --json, without a terminal, and if nothing is to be fetched") {
    ServedGame game;
    const auto asks = [](const Outcome& outcome) {
        CAPTURE(outcome.out);
        CHECK(outcome.exit_code == 0);
        return outcome.out.find("[Y/n]") != std::string::npos;
    };
    CHECK_FALSE(asks(run(game.words())));
    CHECK(game.has_it());
    CHECK_FALSE(asks(run_at_terminal(game.words({"--json"}))));
    CHECK_FALSE(asks(run_at_terminal(game.words({"--plan"}))));
    const Arguments words = game.words({"--yes"});
    CHECK_FALSE(asks(run_at_terminal(words)));
    CHECK_FALSE(asks(run_at_terminal(Arguments(words.begin(), words.end() - 1))));  // everything is here
}

TEST_CASE("fetch: the word that is not an id is named, and nothing is asked") {
    const ScratchFolder scratch;
    for (const char* const word : {"", "775ed5a3", "game.fardel"}) {
        CAPTURE(word);
        const Outcome refused = run({"fetch", "http://127.0.0.1:1", word, "--store", scratch.path("store")});
        CHECK(is_one_clear_line(refused, "malformed"));
        CHECK(refused.err.find("\"" + std::string(word) + "\": bundle id: expected 64") != std::string::npos);
    }
}

TEST_CASE("fetch: --max-bytes refuses a plan that is larger, before anything comes") {
    ServedGame game;
    for (const char* const size : {"0", "500000", "500K"}) {
        CAPTURE(size);
        const Outcome refused = run(game.words({"--max-bytes", size}));
        CHECK(refused.exit_code != 0);
        CHECK(refused.out == "");
        CHECK(is_one_clear_line(refused, "limit"));
        CHECK_FALSE(game.has_it());
    }
    run_well(game.words({"--max-bytes", "1M"}));
    CHECK(game.has_it());
}

TEST_CASE("fetch: if it becomes more than was agreed to, it is shown and asked again, and what has come stays") {
    ServedGame game;
    // The first server's blocks are damaged, and the mirror has a larger layout of the bundle.
    const Nginx mirror(game.scratch, "mirror", "delivery.md", "/srv/www/mygame");
    std::string text;
    for (std::uint64_t i = 0; i < 40'000; ++i)
        text += std::to_string(i * i * 7919) + '\n';
    game.scratch.write("long/a.txt", text);
    const auto publish = [&](const std::string& level, const std::string& tree) {
        const std::string file = game.scratch.path("long" + level + ".fardel");
        run_well({"pack", game.scratch.path("long"), "-o", file, "--name", "long", "--level", level});
        run_well({"publish", file, tree});
        return run_well({"id", file}).substr(0, 64);
    };
    game.id = publish("19", game.nginx.tree());
    REQUIRE(publish("1", mirror.tree()) == game.id);
    change_stored_byte(game.nginx.tree() + "/bundles/" + game.id + ".fardel");

    const Arguments words = game.words({"--mirror", mirror.url()});
    const Outcome refused =
        run_at_terminal(words, {{"? [Y/n] ", "y\n"}, {"it has become more", ""}, {"? [Y/n] ", "n\n"}});
    CAPTURE(refused.out);
    CHECK(refused.exit_code == 1);
    CHECK(refused.out.find("the plan was refused; what has come stays in the store [cancelled]") != std::string::npos);
    CHECK_FALSE(game.has_it());
    const Outcome agreed =
        run_at_terminal(words, {{"? [Y/n] ", "y\n"}, {"it has become more", ""}, {"? [Y/n] ", "y\n"}});
    CHECK(agreed.exit_code == 0);
    CHECK(game.has_it());
}

TEST_CASE_FIXTURE(PackedGame,
                  "fetch: --repair mends the store, --repair-file a file, and what is right is not fetched") {
    const std::string id = run_well({"id", bundle}).substr(0, 64);
    const std::string published = read_file(bundle);
    const Nginx nginx(scratch, "nginx", "delivery.md", "/srv/www/mygame");
    run_well({"publish", bundle, nginx.tree()});
    const std::string store = scratch.path("store");
    const auto fetch = [&](std::vector<std::string> more) {
        std::vector<std::string> words{"fetch", nginx.url(), id, "--store", store, "--json"};
        words.insert(words.end(), more.begin(), more.end());
        return json::parse(run_well(words));
    };
    const auto exported = [&] {
        fs::remove(scratch.path("exported.fardel"));
        run_well({"store", "export", id, "-o", scratch.path("exported.fardel"), "--store", store});
        return read_file(scratch.path("exported.fardel"));
    };
    CHECK(fetch({})["received_bytes"] > 0);
    CHECK(exported() == published);
    CHECK(fetch({"--repair"})["plan"]["bundles"].empty());

    for (const auto& pack : fs::directory_iterator(store + "/packs"))
        change_stored_byte(pack.path());
    const json planned = fetch({"--repair", "--plan"});
    CHECK(planned["plan"]["fetch_bytes"] > 0);
    CHECK(planned["plan"]["fetch_bytes"] < published.size() / 2);
    fetch({"--repair"});
    CHECK(exported() == published);

    change_stored_byte(bundle);
    fs::remove_all(store);
    const json mended = fetch({"--repair-file", bundle});
    CHECK(mended["received_bytes"] < published.size() / 2);
    CHECK(read_file(bundle) == published);
    CHECK(exported() == published);

    const auto refused = run({"fetch", nginx.url(), id, id, "--store", store, "--repair-file", bundle});
    CHECK(refused.exit_code != 0);
    CHECK(refused.err.find("one bundle") != std::string::npos);
}

TEST_CASE("fetch: it shows the plan, and at a terminal how much came, how fast, and how long it will take") {
    const ScratchFolder scratch;
    scratch.write("game/sound.ogg", noise_text(600'000, 1));
    const std::string bundle = scratch.path("game.fardel");
    run_well({"pack", scratch.path("game"), "-o", bundle, "--name", "game"});
    const std::string id = run_well({"id", bundle}).substr(0, 64);
    const Nginx nginx(scratch, "nginx", "delivery.md", "/srv/www/mygame");
    run_well({"publish", bundle, nginx.tree()});
    const auto words = [&](const std::string& store) {
        return Arguments{"fetch", nginx.url(), id, "--store", scratch.path(store), "--rate", "200000"};
    };
    const Outcome watched = run_at_terminal(words("watched"), {{"? [Y/n] ", "\n"}});
    CHECK(watched.exit_code == 0);
    CHECK(watched.out.find("fetching [") != std::string::npos);
    CHECK(watched.out.find("/s, ") != std::string::npos);
    CHECK(watched.out.find(" s left") != std::string::npos);
    CHECK(watched.out.find("to fetch: ") < watched.out.find("fetching ["));  // the plan comes before any content
    CHECK(watched.out.find("fetched ") > watched.out.rfind("fetching ["));
    CHECK(run(words("unwatched")).err == "");
}

// maps/c by the key "author", in a file of its own and published, and players with policies.
struct SignedMap {
    SignedMap() {
        for (const char* name : {"author", "author-2", "hub", "thief"})
            make_key(scratch, name);
        scratch.write("c/maps/a.txt", "hi\n" + noise_text(100'000, 3));
        run_well({"pack", scratch.path("c"), "-o", bundle, "--name", "maps/c", "--version", "1", "--key",
                  scratch.path("author.key")});
        id = run_well({"id", bundle}).substr(0, 64);
        first_bytes = read_file(bundle);
    }
    std::string pub(const std::string& name) const { return scratch.path(name + ".key.pub"); }
    std::string policy(const Arguments& signers) const {
        Arguments words{"--pattern", "maps/*"};
        words.insert(words.end(), signers.begin(), signers.end());
        return make_policy(scratch, "p" + std::to_string(++policies) + ".trust", words);
    }
    Outcome fetch(const std::string& player, const std::string& trust) const {
        return run({"fetch", nginx.url(), id, "--store", scratch.path(player), "--trust", trust});
    }
    bool can_mount(const std::string& player, const std::string& trust) const {
        return run({"which", "--mount", id, "--store", scratch.path(player), "--trust", trust, "/maps/a.txt"})
                   .exit_code == 0;
    }
    void store_first(const std::string& player) const {
        scratch.write("first.fardel", first_bytes);
        run_well({"store", "add", scratch.path("first.fardel"), "--store", scratch.path(player)});
    }
    // What the published file lacks of one that has more signatures.
    std::string later_part(const std::string& file) const { return read_file(file).substr(first_bytes.size()); }
    std::string beside() const { return nginx.tree() + "/bundles/" + id + ".signatures"; }
    std::string published() const { return read_file(nginx.tree() + "/bundles/" + id + ".fardel"); }
    std::size_t signatures_in(const std::string& player) const {
        const std::string file = scratch.path(player + ".fardel");
        run_well({"store", "export", id, "-o", file, "--store", scratch.path(player)});
        return json::parse(facts_of(file))["signatures"].size();
    }

    const ScratchFolder scratch;
    const Nginx nginx{scratch, "nginx", "delivery.md", "/srv/www/mygame"};
    const std::string bundle = scratch.path("c.fardel");
    std::string id, first_bytes;
    mutable int policies = 0;
};

TEST_CASE_FIXTURE(SignedMap,
                  "fetch: a stored bundle gets the signatures that the policy wants and a server's file has") {
    const std::string trust = policy({"--author", pub("author"), "--registry", pub("hub")});
    store_first("old");
    sign(bundle, scratch.path("hub.key"), "registry");
    run_well({"publish", bundle, nginx.tree()});
    CHECK_FALSE(can_mount("old", trust));
    const Outcome fetched = fetch("old", trust);
    CAPTURE(fetched.err);
    CHECK(fetched.exit_code == 0);
    CHECK(fetched.out.find("signatures were added that the store lacked") != std::string::npos);
    CHECK(can_mount("old", trust));
    CHECK(signatures_in("old") == 2);
    const Outcome again = fetch("old", trust);
    CHECK(again.exit_code == 0);
    CHECK(again.out == "everything is here\n");
    // Who wants what nobody has hears so, and is not told that everything is here.
    const Outcome refused = fetch("old", policy({"--author", pub("author-2")}));
    CHECK(refused.exit_code != 0);
    CHECK(is_one_clear_line(refused, "untrusted"));
    CHECK(refused.err.find(id) != std::string::npos);
}

TEST_CASE_FIXTURE(SignedMap,
                  "fetch: after a stolen key, players new and old get the bundle that is signed and published again") {
    run_well({"publish", bundle, nginx.tree()});
    const std::string trust = policy({"--author", pub("author")});
    store_first("old");
    run_well({"trust", "revoke", trust, "--key", "author", "--reason", "stolen laptop"});
    CHECK(is_one_clear_line(fetch("early", trust), "revoked"));
    sign(bundle, scratch.path("author-2.key"), "author");
    run_well({"trust", "add", trust, "--author", pub("author-2"), "--pattern", "maps/*"});
    const auto added = [&](const Arguments& more) {
        Arguments words{"publish", bundle, nginx.tree(), "--json"};
        words.insert(words.end(), more.begin(), more.end());
        const json published = json::parse(run_well(words))["published"][0];
        CHECK(published["was_there"] == true);
        return published["added_signatures"].get<int>();
    };
    CHECK(added({"--dry-run"}) == 1);
    CHECK_FALSE(fs::exists(beside()));
    CHECK(added({}) == 1);
    CHECK(added({"--dry-run"}) == 0);
    CHECK(added({}) == 0);
    CHECK(published() == first_bytes);  // caches were told that it never changes
    CHECK(read_file(beside()) == later_part(bundle));
    for (const char* const player : {"new", "old", "early"}) {
        CAPTURE(player);
        const Outcome fetched = fetch(player, trust);
        CAPTURE(fetched.err);
        CHECK(fetched.exit_code == 0);
        CHECK(can_mount(player, trust));
        CHECK(signatures_in(player) == 2);
    }
    // The file of before adds nothing, and takes nothing away.
    scratch.write("first.fardel", first_bytes);
    CHECK(run({"publish", scratch.path("first.fardel"), nginx.tree()}).exit_code == 0);
    CHECK(read_file(beside()) == later_part(bundle));
}

TEST_CASE_FIXTURE(SignedMap,
                  "fetch: signatures that a server offers beside a bundle count one by one, and fill nothing") {
    run_well({"publish", bundle, nginx.tree()});
    const std::string trust = policy({"--author", pub("author-2")});
    const std::string thief = scratch.path("thief.fardel");
    const std::string both = scratch.path("both.fardel");
    fs::copy_file(bundle, thief);
    sign(thief, scratch.path("thief.key"), "author");
    fs::copy_file(thief, both);
    sign(both, scratch.path("author-2.key"), "author");
    std::string wrong = later_part(both);
    wrong.back() = static_cast<char>(wrong.back() ^ 1);
    for (const std::string& offered :
         {std::string(), noise_text(5000, 9), std::string(2'000'000, '\0'), later_part(thief), wrong}) {
        CAPTURE(offered.size());
        write_file(beside(), offered);
        CHECK(is_one_clear_line(fetch("new", trust), "untrusted"));
    }
    fs::remove(beside());
    write_file(beside(), later_part(both));
    store_first("old");
    for (const char* const player : {"new", "old"}) {
        CAPTURE(player);
        CHECK(fetch(player, trust).exit_code == 0);
        CHECK(can_mount(player, trust));
        CHECK(signatures_in(player) == 2);  // that of the file, and the one that was wanted
    }
}

}  // namespace fardel::tests::fetch_test
