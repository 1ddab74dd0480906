// fardel channel, and fetch and mount of a channel, as an owner, players and thieves use them.
#include "channel_owner.h"
#include "mounted_folder.h"

#include <csignal>

namespace fardel::tests::channel_test {

using nlohmann::json;

std::string names_in(const json& list) {
    std::string names;
    for (const json& one : list)
        names += (names.empty() ? "" : " ") + one["name"].get<std::string>() + " " + one["version"].get<std::string>();
    return names;
}

json status_of(const ChannelOwner& owner) {
    return json::parse(run({"channel", "status", owner.tree(), "--channel", "mygame/stable", "--json"}).out);
}

TEST_CASE_FIXTURE(OwnerAndPlayer,
                  "channel: from init to a player who has what is current, and again for the next release") {
    CHECK(player.refusal() == "missing");  // no head yet
    const std::string base = owner.bundle("base", "1.0");
    const std::string maps = owner.bundle("maps", "1.0");
    owner.release({base, maps});
    CHECK(player.refusal() == "missing");  // no head names it
    owner.head();
    const json first = player.fetch_well();
    CHECK(names_in(first["channel"]["added"]) == "base 1.0 maps 1.0");
    CHECK(first["channel"]["stale"] == false);
    CHECK(player.has(base));
    CHECK(player.has(maps));

    const std::string newer = owner.bundle("maps", "1.1");
    owner.release({newer});
    owner.head();
    const json second = player.fetch_well({"maps"});
    CHECK(second["channel"]["release"] == 2);
    CHECK(names_in(second["channel"]["added"]) == "maps 1.1");
    CHECK(names_in(second["channel"]["removed"]) == "maps 1.0");
    CHECK(names_in(second["channel"]["bundles"]) == "base 1.0 maps 1.1");
    CHECK(player.has(newer));
    const Outcome unknown = player.fetch({"mods"});
    CHECK(unknown.exit_code == 3);
    CHECK(unknown.err.find("has no bundle named mods") != std::string::npos);
    // The channel was followed all the same, and its texts are kept as they came.
    owner.head();
    const std::string newest = owner.head_file();
    CHECK(player.fetch({"mods"}).exit_code == 3);
    const std::string id = word_after(owner.scratch.read("1.root"), "\nid");
    for (const std::string& folder : {player.store, player.state + "/fardel"})
        CHECK(read_file(folder + "/channels/" + id + ".channel").find(newest) != std::string::npos);
    // The root is not needed again.
    run_well({"fetch", "--channel", "mygame/stable", "--from", owner.nginx.url(), "--store", player.store},
             player.surroundings());
    owner.release({"--remove", "base"});
    owner.head();
    CHECK(names_in(player.fetch_well()["channel"]["removed"]) == "base 1.0");
}

TEST_CASE("channel: an owner is kept from what players would refuse") {
    const ChannelOwner owner;
    const std::string base = owner.bundle("base", "1.0");
    const std::string stranger = owner.bundle("mods", "1.0", "thief");
    CHECK(is_one_clear_line(owner.try_release({stranger}), "untrusted"));
    CHECK(is_one_clear_line(owner.try_release({base}, "head"), "untrusted"));
    CHECK(is_one_clear_line(owner.try_release({std::string(64, 'a')}), "missing"));
    CHECK(is_one_clear_line(owner.try_release({"--remove", "base"}), "missing"));
    owner.release({base});
    CHECK(is_one_clear_line(
        owner.try_owner({"channel", "head", owner.tree(), "--channel", "mygame/stable", "--key", owner.key("rel")}),
        "untrusted"));
    CHECK(
        run({"channel", "release", owner.tree(), "--channel", "mygame/stable", "--key", owner.key("rel")}).exit_code ==
        2);
    CHECK(owner.try_release({"--recall-bundle", base}).exit_code == 2);  // without a reason
    owner.release({"--recall-bundle", base, "--reason", "crashes"});
    CHECK(is_one_clear_line(owner.try_release({base}), "revoked"));
    CHECK(is_one_clear_line(owner.try_release({"--take-back", base}), "rollback"));
    owner.release({"--take-back", base, "--epoch", "1"});
    owner.release({base});
    CHECK(is_one_clear_line(owner.try_owner({"channel", "publish", owner.key("rel"), owner.tree()}), "malformed"));
    CHECK(is_one_clear_line(
        owner.try_owner({"channel", "sign", owner.scratch.path("1.root"), "--key", owner.key("ra")}), "conflict"));
    CHECK(is_one_clear_line(run({"channel", "status", owner.tree(), "--channel", "mygame/beta"}), "missing"));
}

TEST_CASE("channel: the status says who has signed, how long it lasts, and what is wrong") {
    const ChannelOwner owner(10 * kDayOfSeconds);
    const std::string base = owner.bundle("base", "1.0");
    owner.release({base});
    CHECK(status_of(owner)["notes"].size() == 1);
    owner.head();
    const json status = status_of(owner);
    CHECK(status["root"]["signers"] == json::array({"ra", "rb"}));
    CHECK(status["release"]["signers"] == json::array({"rel"}));
    CHECK(status["head"]["signers"] == json::array({"head"}));
    REQUIRE(status["wrong"].size() == 1);  // its head had seven days
    CHECK(status["wrong"][0]["code"] == "expired");
    owner.head({"--days", "11"});
    CHECK(status_of(owner)["wrong"].empty());
    CHECK(status_of(owner)["notes"].size() == 1);  // a day is left
    const Outcome asked = run(
        {"channel", "status", owner.nginx.url(), "--channel", "mygame/stable", "--root", owner.scratch.path("1.root")});
    CHECK(asked.exit_code == 0);
    CHECK(asked.out.find("base 1.0") != std::string::npos);
    fs::remove(owner.tree() + "/bundles/" + base + ".fardel");
    const Outcome broken = run({"channel", "status", owner.tree(), "--channel", "mygame/stable"});
    CHECK(broken.exit_code == 1);
    CHECK(broken.out.find("lacks bundle " + base) != std::string::npos);
}

TEST_CASE_FIXTURE(
    OwnerAndPlayer,
    "channel: old texts, two truths, mixed texts and those of another channel have each their own error") {
    const std::string base = owner.bundle("base", "1.0");
    owner.release({base});
    owner.head();
    const std::string first_head = owner.head_file();
    const std::string first_release = read_file(owner.release_path());
    owner.release({owner.bundle("base", "1.1")});
    owner.head({"--days", "5"});
    const std::string good = owner.head_file();
    const std::string release_path = owner.release_path();
    player.fetch_well();

    owner.serve(owner.channel_path("head"), first_head);  // A62
    CHECK(player.refusal() == "rollback");
    owner.serve(owner.channel_path("head"),
                owner.forge(owner.channel_path("head"), "version 1", "version 3", {"head"}));
    CHECK(player.refusal() == "rollback");  // a new head that names an old release

    owner.serve(owner.channel_path("head"), good);
    const std::string created = "created ";
    const auto digit = good.find(created) + created.size() + 9;  // another second
    std::string other = good.substr(digit - 9, 10);
    other.back() = other.back() == '0' ? '1' : '0';
    const std::string second_truth =
        owner.forge(owner.channel_path("head"), created + good.substr(digit - 9, 10), created + other, {"head"});
    owner.serve(owner.channel_path("head"), second_truth);  // A63
    CHECK(player.refusal() == "rollback");
    bool kept = false;
    for (const auto& file : fs::directory_iterator(player.store + "/channels"))
        kept = kept || (file.path().extension() == ".refused" && read_file(file.path().string()) == second_truth);
    CHECK(kept);

    owner.serve(owner.channel_path("head"), good);
    owner.release({owner.bundle("base", "1.2")});
    owner.head();
    const std::string newest = owner.head_file();
    owner.serve(owner.release_path(), first_release);  // A66
    CHECK(player.refusal() == "conflict");
    owner.serve(owner.channel_path("head"), good);
    player.fetch_well();

    owner.serve(owner.channel_path("head"),
                owner.forge(owner.channel_path("head"), "mygame/stable", "mygame/beta", {"head"}));  // A67
    CHECK(player.refusal() == "untrusted");
    owner.serve(owner.channel_path("head"), good.substr(0, good.size() / 2) + "\n");
    CHECK(player.refusal() == "malformed");
    owner.serve(owner.channel_path("head"), good);
    CHECK(player.fetch_well()["channel"]["release"] == 2);
}

TEST_CASE("channel: an expired head stops updates; what is here goes on, and the message says since when it is stale") {
    const ChannelOwner owner(10 * kDayOfSeconds);
    const ChannelPlayer player(owner, "ann");
    const std::string base = owner.bundle("base", "1.0");
    owner.release({base});
    owner.head();
    CHECK(player.refusal() == "expired");  // A64
    CHECK_FALSE(player.has(base));

    // A player who followed the channel when the head was fresh.
    run_well({"store", "add", owner.scratch.path("base1.0.fardel"), "--store", player.store});
    const std::string root = owner.scratch.read("1.root"), release = read_file(owner.release_path());
    std::string kept = "fardel-channel-kept 1 " + std::to_string(root.size()) + " " + std::to_string(release.size()) +
                       " " + std::to_string(owner.head_file().size()) + "\n" + root + release + owner.head_file();
    kept += b3sum(owner.scratch.write("kept", kept)) + "\n";
    const std::string id = word_after(root, "\nid");
    owner.scratch.write("ann-store/channels/" + id + ".channel", kept);
    owner.scratch.write("ann-state/fardel/channels/" + id + ".channel", kept);
    const Outcome stale = player.fetch();
    CHECK(stale.exit_code == 1);
    CHECK(stale.err.find("stale since ") != std::string::npos);
    CHECK(stale.err.find("what is installed stays") != std::string::npos);
    const json status = json::parse(player.fetch({"--json"}).out);
    CHECK(status["channel"]["stale"] == true);
    CHECK(status["channel"]["failure"]["code"] == "expired");
    const MountedFolder mount(owner.scratch, {"--channel", "mygame/stable", "--store", player.store},
                              player.surroundings());
    CHECK(contents_of(mount.path("base.txt")) == "base 1.0\n");
    CHECK(mount.said().find("stale since ") != std::string::npos);
}

TEST_CASE("channel: a player without a network mounts what was accepted; the policies of both sides judge it") {
    ChannelOwner owner;
    const ChannelPlayer player(owner, "ann");
    const std::string base = owner.bundle("base", "1.0");
    owner.release({base});
    owner.head();
    const Outcome before =
        run({"mount", owner.scratch.path("mnt"), "--channel", "mygame/stable", "--store", player.store},
            player.surroundings());
    CHECK(before.exit_code != 0);
    player.fetch_well();
    {
        const MountedFolder mount(owner.scratch, {"--channel", "mygame/stable", "--store", player.store},
                                  player.surroundings());
        CHECK(contents_of(mount.path("base.txt")) == "base 1.0\n");
        CHECK(mount.said() == "");
    }
    // A player's own policy may demand more.
    const std::string strict = make_policy(owner.scratch, "strict.trust", {"--author", owner.pub("thief")});
    const Outcome refused = player.fetch({"--trust", strict});
    CHECK(is_one_clear_line({.exit_code = refused.exit_code, .signal = 0, .out = "", .err = refused.err}, "untrusted"));
    fs::create_directories(owner.scratch.path("mnt2"));
    CHECK(run({"mount", owner.scratch.path("mnt2"), "--channel", "mygame/stable", "--store", player.store, "--trust",
               strict},
              player.surroundings())
              .exit_code == 1);
}

TEST_CASE_FIXTURE(
    OwnerAndPlayer,
    "channel: a recalled bundle is neither fetched nor mounted, and leaves a mount that follows") {  // A72
    const ChannelPlayer late(owner, "bob");
    const std::string base = owner.bundle("base", "1.0");
    const std::string maps = owner.bundle("maps", "1.0");
    owner.release({base, maps});
    owner.head();
    player.fetch_well();
    fs::create_directories(owner.scratch.path("live"));
    Running mounted({"mount", owner.scratch.path("live"), "--channel", "mygame/stable", "--store", player.store,
                     "--from", owner.nginx.url(), "--every", "1", "--foreground"},
                    player.surroundings());
    const std::string path = owner.scratch.path("live/maps.txt");
    wait_until([&] { return !contents_of(path).empty(); });
    CHECK(contents_of(path) == "maps 1.0\n");
    std::ifstream reader(path, std::ios::binary);

    owner.release({"--recall-bundle", maps, "--reason", "crashes on the second level"});
    owner.head();
    wait_until([&] { return contents_of(path).empty(); });
    CHECK(contents_of(path).empty());
    std::string line;
    std::getline(reader, line);
    CHECK(line == "maps 1.0");  // an open file stays open
    CHECK(contents_of(owner.scratch.path("live/base.txt")) == "base 1.0\n");
    reader.close();
    mounted.send(SIGTERM);
    CHECK(mounted.wait().err.find("crashes on the second level") != std::string::npos);

    late.fetch_well();
    CHECK_FALSE(late.has(maps));
    const Outcome named = late.fetch({"maps"});
    CHECK(named.exit_code != 0);
    // A recall that disappears is a rollback.
    const std::string body = read_file(owner.release_path());
    CHECK(body.find("recall bundle " + maps) != std::string::npos);
    CHECK(is_one_clear_line(owner.try_release({"--take-back", maps}), "rollback"));
    // What a recalled key has signed does not count any more, wherever it is.
    owner.release({"--recall-key", owner.pub("author"), "--reason", "stolen laptop"});
    owner.head();
    CHECK(player.refusal() == "revoked");
    fs::create_directories(owner.scratch.path("mnt"));
    CHECK(run({"mount", owner.scratch.path("mnt"), "--channel", "mygame/stable", "--store", player.store},
              player.surroundings())
              .err.find("[revoked]") != std::string::npos);
}

TEST_CASE_FIXTURE(
    OwnerAndPlayer,
    "channel: a recall that another program has taken reaches a mount that follows a server without it") {  // A72
    const std::string maps = owner.bundle("maps", "1.0");
    owner.release({owner.bundle("base", "1.0"), maps});
    owner.head();
    player.fetch_well();
    const Nginx behind(owner.scratch, "behind", "delivery.md", "/srv/www/mygame");
    fs::copy(owner.tree(), behind.tree(), fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    fs::create_directories(owner.scratch.path("live"));
    Running mounted({"mount", owner.scratch.path("live"), "--channel", "mygame/stable", "--store", player.store,
                     "--from", behind.url(), "--every", "1", "--foreground"},
                    player.surroundings());
    const std::string path = owner.scratch.path("live/maps.txt");
    wait_until([&] { return !contents_of(path).empty(); });
    CHECK(contents_of(path) == "maps 1.0\n");

    owner.release({"--recall-bundle", maps, "--reason", "crashes on the second level"});
    owner.head();
    static_cast<void>(player.fetch());
    wait_until([&] { return contents_of(path).empty(); });
    CHECK(contents_of(path).empty());
    CHECK(contents_of(owner.scratch.path("live/base.txt")) == "base 1.0\n");
    mounted.send(SIGTERM);
    const std::string said = mounted.wait().err;
    const auto at = said.find("crashes on the second level");
    CHECK(at != std::string::npos);
    CHECK(said.find("crashes on the second level", at + 1) == std::string::npos);  // once
}

TEST_CASE_FIXTURE(OwnerAndPlayer, "channel: with one root key lost, the others rotate it away, and players go on") {
    owner.release({owner.bundle("base", "1.0")});
    owner.head();
    player.fetch_well();
    make_key(owner.scratch, "rd");
    // The key rc is lost: ra and rb replace it.
    owner.owner({"channel", "rotate", owner.scratch.path("1.root"), "-o", owner.scratch.path("2.root"), "--replace",
                 "rc=" + owner.pub("rd")});
    owner.sign_text("2.root", {"ra"});
    CHECK(is_one_clear_line(owner.try_owner({"channel", "publish", owner.scratch.path("2.root"), owner.tree()}),
                            "untrusted"));
    owner.sign_text("2.root", {"rb"});
    owner.owner({"channel", "publish", owner.scratch.path("2.root"), owner.tree()});
    CHECK(player.fetch_well()["channel"]["root"] == 2);
    CHECK(status_of(owner)["root"]["roles"]["root"]["labels"] == json::array({"ra", "rb", "rd"}));
    // Another head key and threshold; the old head does not count any more.
    make_key(owner.scratch, "head2");
    owner.owner({"channel", "rotate", owner.scratch.path("2.root"), "-o", owner.scratch.path("3.root"), "--add",
                 "head=" + owner.pub("head2"), "--remove", "head=head", "--threshold", "root=1"});
    owner.sign_text("3.root", {"rb", "rd"});
    owner.owner({"channel", "publish", owner.scratch.path("3.root"), owner.tree()});
    CHECK(player.refusal() == "untrusted");
    owner.head({}, "head2");
    CHECK(player.fetch_well()["channel"]["root"] == 3);
    // What was accepted under an earlier root's rules is judged by those of the newest one.
    const std::string strict = make_policy(owner.scratch, "strict.trust", {"--author", owner.pub("thief")});
    owner.owner(
        {"channel", "rotate", owner.scratch.path("3.root"), "-o", owner.scratch.path("4.root"), "--trust", strict});
    owner.sign_text("4.root", {"rb"});
    owner.owner({"channel", "publish", owner.scratch.path("4.root"), owner.tree()});
    CHECK(player.refusal() == "untrusted");
    CHECK(is_one_clear_line(owner.try_owner({"channel", "rotate", owner.scratch.path("3.root"), "-o",
                                             owner.scratch.path("5.root"), "--remove", "head=nobody"}),
                            "missing"));
    CHECK(is_one_clear_line(owner.try_owner({"channel", "rotate", owner.scratch.path("3.root"), "-o",
                                             owner.scratch.path("5.root"), "--threshold", "root=9"}),
                            "malformed"));
}

// docs/channels.md, "Lost and stolen keys": one case per row.
TEST_CASE_FIXTURE(OwnerAndPlayer,
                  "channel: who has stolen a head key chooses no content, and a rotation ends it") {  // A65, A73
    owner.release({owner.bundle("base", "1.0")});
    owner.head();
    player.fetch_well();
    const std::string head = owner.channel_path("head");
    const std::string good = owner.head_file();
    // A release that the thief has signed.
    const std::string forged = owner.forge(owner.release_path(), "version 1\n", "version 2\n", {"thief"});
    const std::string hash = b3sum(owner.scratch.write("forged-release", forged));
    owner.serve(owner.channel_path("release/" + hash), forged);
    std::string line = good.substr(good.find("\nrelease ") + 1);
    line.resize(line.find('\n'));
    owner.serve(head, owner.forge(head, line, "release 2 " + std::to_string(forged.size()) + " " + hash, {"head"}));
    owner.serve(head, owner.forge(head, "version 1\n", "version 2\n", {"head"}));
    CHECK(player.refusal() == "untrusted");
    // The highest version that there is: those who follow refuse it; updates of others stop, until the root is rotated.
    owner.serve(head, good);
    owner.serve(head, owner.forge(head, "version 1\n", "version 9007199254740991\n", {"head"}));
    CHECK(player.refusal() == "limit");
    const ChannelPlayer newcomer(owner, "bob");
    newcomer.fetch_well();
    CHECK(is_one_clear_line(
        owner.try_owner({"channel", "head", owner.tree(), "--channel", "mygame/stable", "--key", owner.key("head")}),
        "limit"));
    CHECK(status_of(owner)["wrong"][0]["code"] == "limit");
    owner.serve(head, good);
    player.fetch_well();
    CHECK(newcomer.refusal() == "rollback");
    make_key(owner.scratch, "head2");
    owner.owner({"channel", "rotate", owner.scratch.path("1.root"), "-o", owner.scratch.path("2.root"), "--replace",
                 "head=" + owner.pub("head2")});
    owner.sign_text("2.root", {"ra", "rc"});
    owner.owner({"channel", "publish", owner.scratch.path("2.root"), owner.tree()});
    fs::remove(owner.channel_path("release/" + hash));
    owner.head({}, "head2");
    CHECK(player.fetch_well()["channel"]["head"] == 1);
    CHECK(newcomer.fetch_well()["channel"]["head"] == 1);
}

TEST_CASE_FIXTURE(OwnerAndPlayer, "channel: who has stolen a release key alone reaches nobody") {  // A73
    owner.release({owner.bundle("base", "1.0")});
    owner.head();
    const std::string forged = owner.forge(owner.release_path(), "version 1\n", "version 2\n", {"rel"});
    owner.serve(owner.channel_path("release/" + b3sum(owner.scratch.write("forged-release", forged))), forged);
    CHECK(player.fetch_well()["channel"]["release"] == 1);
}

TEST_CASE_FIXTURE(
    OwnerAndPlayer,
    "channel: who has stolen release and head keys still needs the signatures that the root requires") {  // A73
    const std::string base = owner.bundle("base", "1.0");
    owner.release({base});
    owner.head();
    const std::string evil = owner.bundle("base", "6.6", "thief");
    const std::string body = owner.forge(owner.release_path(), "bundle " + base, "bundle " + evil, {"rel"});
    const std::string hash = b3sum(owner.scratch.write("forged-release", body));
    owner.serve(owner.channel_path("release/" + hash), body);
    std::string line = owner.head_file().substr(owner.head_file().find("\nrelease ") + 1);
    line.resize(line.find('\n'));
    owner.serve(owner.channel_path("head"),
                owner.forge(owner.channel_path("head"), line, "release 1 " + std::to_string(body.size()) + " " + hash,
                            {"head"}));
    CHECK(player.refusal() == "untrusted");
    CHECK_FALSE(player.has(evil));
}

TEST_CASE_FIXTURE(OwnerAndPlayer, "channel: who has stolen an author's key is in no release") {  // A73
    owner.release({owner.bundle("base", "1.0")});
    owner.head();
    const std::string evil = owner.bundle("base", "6.6");  // by the author's key, and in the tree
    player.fetch_well();
    CHECK_FALSE(player.has(evil));
}

TEST_CASE_FIXTURE(OwnerAndPlayer,
                  "channel: who has stolen fewer root keys than the threshold changes nothing") {  // A73
    owner.release({owner.bundle("base", "1.0")});
    owner.head();
    player.fetch_well();
    owner.owner({"channel", "rotate", owner.scratch.path("1.root"), "-o", owner.scratch.path("2.root"), "--replace",
                 "rel=" + owner.pub("thief"), "--threshold", "root=1"});
    owner.sign_text("2.root", {"ra", "thief"});
    owner.serve(owner.channel_path("root/2"), owner.scratch.read("2.root"));
    CHECK(player.refusal() == "untrusted");
    fs::remove(owner.channel_path("root/2"));
    CHECK(player.fetch_well()["channel"]["root"] == 1);
}

TEST_CASE_FIXTURE(OwnerAndPlayer, "channel: what was accepted survives the loss or the rollback of a store") {  // A77
    owner.release({owner.bundle("base", "1.0")});
    owner.head();
    const std::string old_head = owner.head_file();
    player.fetch_well();
    fs::copy(player.store, owner.scratch.path("backup"), fs::copy_options::recursive);
    owner.head();
    player.fetch_well();
    owner.serve(owner.channel_path("head"), old_head);
    fs::remove_all(player.store);
    CHECK(player.refusal() == "rollback");
    fs::remove_all(player.store);
    fs::rename(owner.scratch.path("backup"), player.store);
    CHECK(player.refusal() == "rollback");
    fs::remove_all(player.store);
    fs::remove_all(player.state);  // both are lost: the root that the player has counts
    player.fetch_well();
}

TEST_CASE_FIXTURE(OwnerAndPlayer,
                  "channel: a bundle whose signatures came after it was published is released, and players get them") {
    const std::string base = owner.bundle("base", "1.0", "thief");
    CHECK(is_one_clear_line(owner.try_release({base}), "untrusted"));
    const std::string file = owner.scratch.path("base1.0.fardel");
    run_well({"store", "add", file, "--store", player.store});  // with the thief's signature alone
    sign(file, owner.key("author"), "author");
    run_well({"publish", file, owner.tree()});
    owner.release({base});
    owner.head();
    const ChannelPlayer newcomer(owner, "bob");
    for (const ChannelPlayer* const one : {&player, &newcomer}) {
        one->fetch_well();
        CHECK(run({"which", "--mount", base, "--store", one->store, "--trust", owner.scratch.path("authors.trust"),
                   "base.txt"})
                  .exit_code == 0);
    }
}

TEST_CASE("channel: a bundle that is signed for another channel is not released") {
    const ChannelOwner owner;
    const auto signed_for = [&](const char* channel) {
        const std::string file = owner.scratch.path(std::string(channel == nullptr ? "any" : "one") + ".fardel");
        owner.scratch.write("content/a.txt", channel == nullptr ? "any" : channel);
        fs::remove(file);
        run_well({"pack", owner.scratch.path("content"), "-o", file, "--name", "base", "--version", "1"});
        Arguments words{"sign", file, "--key", owner.key("author"), "--role", "author"};
        if (channel != nullptr)
            words.insert(words.end(), {"--channel", channel});
        run_well(words);
        run_well({"publish", file, owner.tree()});
        return run_well({"id", file}).substr(0, 64);
    };
    const Outcome refused = owner.try_release({signed_for("mygame/beta")});
    CHECK(is_one_clear_line(refused, "untrusted"));
    CHECK(refused.err.find("signed for the channel mygame/beta, and not for mygame/stable") != std::string::npos);
    owner.release({signed_for("mygame/stable")});
    owner.release({signed_for(nullptr)});
}

TEST_CASE("channel: a version that comes before one that is there is remarked by pack, publish and release") {
    const ChannelOwner owner;
    owner.release({owner.bundle("base", "1.0"), "--keep-versions"});
    owner.head();
    const std::string older = "base 1.0rc1 comes before base 1.0, which ";
    const std::string id = owner.bundle("base", "1.0rc1");
    check_has(owner.try_release({id, "--keep-versions"}).err, "fardel: " + older + "release 1 has");
    const std::string file = owner.scratch.path("base1.0rc1.fardel");
    check_has(run({"publish", file, owner.tree()}).err, older + "channel mygame/stable has");
    const std::string out = owner.scratch.path("out.fardel");
    for (const char* const version : {"1.0", "1.0rc1", "1.0+build9", "v1.1"}) {
        CAPTURE(version);
        const Outcome packed =
            run({"pack", owner.scratch.path("assets-base1.0"), "-o", out, "--name", "base", "--version", version});
        CHECK(packed.exit_code == 0);
        CHECK((packed.err.find("comes before") != std::string::npos) == (version == std::string_view("1.0rc1")));
    }
    const std::string newer = owner.bundle("base", "V1.10");
    const Outcome released = owner.try_release({newer, "--keep-versions"});
    CHECK(released.exit_code == 0);
    CHECK(released.err.empty());
    check_has(owner.try_release({owner.bundle("base", "1.10.0"), "--keep-versions"}).err,
              "counts as the same version as base V1.10");
}

}  // namespace fardel::tests::channel_test
