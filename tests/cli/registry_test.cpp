// fardel registry, serve --registry and publish --key: what authors, the operator, players and thieves of keys get.
#include "registry_site.h"

#include "kit/browser.h"

#include <fardel/base/clock.h>

#include <functional>
#include <map>

namespace fardel::tests::registry_test {

using nlohmann::json;
using Reasons = std::vector<std::string>;

bool is_page(const std::string& path) { return path.ends_with(".html") || path == "registry.json"; }

TEST_CASE("registry: two authors upload, a player gets what they brought, and a recall reaches the player") {
    RegistrySite site;
    site.start();
    const std::string castle = site.bundle("maps/castle", "1.0", "alice");
    const std::string garden = site.bundle("maps/garden", "1.0", "bob");
    CHECK(site.upload(castle, "alice")["outcome"] == "accepted");
    const json second = site.upload(garden, "bob");
    CHECK(second["release"] == 3);
    CHECK(site.upload(castle, "alice")["outcome"] == "was-there");
    const Outcome first = site.fetch();
    CAPTURE(first.err);
    CHECK(first.exit_code == 0);
    CHECK(first.out.find("maps/garden 1.0") != std::string::npos);
    // Versions of one name stand side by side; a lower one never takes the position of a higher one.
    CHECK(site.upload(site.bundle("maps/castle", "2.0", "alice"), "alice")["outcome"] == "accepted");
    CHECK(site.upload(site.bundle("maps/castle", "1.1", "alice"), "alice")["outcome"] == "accepted");
    const std::string status = run_well({"channel", "status", site.hub(), "--channel", "hub/stable"});
    for (const char* version : {"maps/castle 1.0", "maps/castle 1.1", "maps/castle 2.0"})
        CHECK(status.find(version) != std::string::npos);
    // The author's recall, and the operator's.
    const Arguments recall{"publish", "--recall",        site.id(castle), site.url(),
                           "--key",   site.key("alice"), "--reason",      "it crashes"};
    run_well(recall);
    run_well(recall);  // again: nothing changes
    Arguments by_operator{"registry", "recall", site.hub(), site.id(garden), "--reason", "stolen textures"};
    const Arguments keys = site.signing();
    by_operator.insert(by_operator.end(), keys.begin(), keys.end());
    run_well(by_operator);
    const Outcome then = site.fetch();
    CHECK(then.exit_code == 0);
    CHECK(has(then.out, "- " + site.id(garden).substr(0, 16)));
    CHECK((then.out + then.err).find("it crashes") != std::string::npos);
    CHECK((then.out + then.err).find("stolen textures") != std::string::npos);
    CHECK(site.reasons(castle, "alice") == Reasons{"recalled", "trust-refused"});
    const Outcome clean = site.fsck();
    CAPTURE(clean.out);
    CHECK(clean.exit_code == 0);
    CHECK(site.stop().exit_code == 0);
}

TEST_CASE("registry: a refusal is the list of everything that is wrong") {
    RegistrySite site({"--open", "maps/*", "--open", "mods/*", "--bytes-max", "1M", "--raw-bytes-max", "2M",
                       "--versions-max", "2", "--licence", "CC0-1.0", "--licence", "MIT"});
    site.start();
    const std::string free = "licence = \"CC0-1.0\"\n";
    const std::string castle = site.bundle("maps/castle", "1.0", "alice", free);
    site.upload(castle, "alice");
    CHECK(site.reasons(site.bundle("maps/castle", "1.1", "bob", free), "bob") == Reasons{"name-owned"});
    CHECK(site.reasons(site.bundle("core", "1.0", "alice", free), "alice") ==
          Reasons{"name-owned", "trust-refused"});  // A69
    CHECK(site.reasons(site.bundle("Core", "1.0", "alice", free), "alice") == Reasons{"name-form", "trust-refused"});
    CHECK(site.reasons(site.bundle("maps/Castle", "1.0", "bob", free), "bob") == Reasons{"name-form"});
    CHECK(site.reasons(site.bundle("engine", "1.0", "alice", free), "alice") ==
          Reasons{"name-not-open", "trust-refused"});
    CHECK(site.reasons(site.bundle("maps/castle", "1.0", "alice", free, "other content"), "alice") ==
          Reasons{"version-taken"});
    CHECK(site.reasons(site.bundle("maps/well", "1.0", "alice"), "alice") == Reasons{"licence-missing"});
    CHECK(site.reasons(site.bundle("maps/well", "1.0", "alice", "licence = \"all rights reserved\"\n"), "alice") ==
          Reasons{"licence-not-allowed"});
    CHECK(site.reasons(site.bundle("maps/well", "1.0", "alice", free, std::string(3'000'000, 'x')), "alice") ==
          Reasons{"too-large"});
    CHECK(site.reasons(site.bundle("maps/well", "1.0", "", free), "alice") ==
          Reasons{"signer-differs", "trust-refused"});
    site.upload(site.bundle("maps/castle", "1.1", "alice", free), "alice");
    CHECK(site.reasons(site.bundle("maps/castle", "1.2", "alice", free), "alice") == Reasons{"versions-full"});
    // A15: a bundle under maps/* publishes names below maps/ alone.
    site.scratch.write("evil/core/main.cfg", "quit\n");
    run_well({"pack", site.scratch.path("evil"), "-o", site.scratch.path("evil.fardel"), "--name", "maps/evil",
              "--version", "1.0"});
    sign(site.scratch.path("evil.fardel"), site.key("alice"), "author");
    CHECK(site.reasons(site.scratch.path("evil.fardel"), "alice") == Reasons{"licence-missing", "name-not-allowed"});
    // All at once, as text for a person.
    const Outcome text = run({"publish", site.bundle("maps/castle", "1.0", "bob", "licence = \"secret\"\n"), site.url(),
                              "--key", site.key("bob")});
    CHECK(text.exit_code == 1);
    for (const char* reason : {"[name-owned]", "[version-taken]", "[versions-full]", "[licence-not-allowed]"})
        check_has(text.out, reason);
    CHECK(site.fsck().exit_code == 0);
}

TEST_CASE("registry: the command on a page installs a bundle, with what it requires") {
    RegistrySite site;
    site.start();
    site.upload(site.bundle("maps/stones", "2.0", "bob"), "bob");
    site.scratch.write("castle/maps/castle/door.txt", "oak\n");
    const std::string castle = site.scratch.path("castle.fardel");
    run_well({"pack", site.scratch.path("castle"), "-o", castle, "--name", "maps/castle", "--version", "1.0",
              "--require", "maps/stones < 2"});
    sign(castle, site.key("alice"), "author");
    // Nobody could install it yet.
    CHECK(site.reasons(castle, "alice") == Reasons{"requirement-unmet"});
    site.upload(site.bundle("maps/stones", "1.4", "bob"), "bob");
    site.upload(castle, "alice");
    const std::string page = read_file(site.hub() + "/names/maps/castle.html");
    check_has(page, "fardel install maps/castle --channel hub/stable --root 1.root --from " + site.url());
    const std::string lock = site.scratch.path("fardel.lock");
    const Surroundings player{.variables = {{"XDG_STATE_HOME", site.scratch.path("state")}}};
    run_well({"install", "maps/castle", "--channel", "hub/stable", "--root", site.scratch.path("1.root"), "--from",
              site.url(), "--store", site.scratch.path("store"), "--lock", lock},
             player);
    const std::string listed = run_well({"list", "--lock", lock, "--store", site.scratch.path("store")}, player);
    check_has(listed, "maps/castle");
    check_has(listed, "1.4");
    CHECK(listed.find("2.0") == std::string::npos);
}

TEST_CASE("registry: open names bring data only, if the operator says so") {  // A137
    RegistrySite site({"--open", "maps/*", "--classes", "data"});
    site.start();
    site.upload(site.bundle("maps/castle", "1.0", "alice"), "alice");
    site.scratch.write("evil/maps/well/wall.tga", "#!/bin/sh\necho harm\n");
    const std::string evil = site.scratch.path("evil.fardel");
    run_well({"pack", site.scratch.path("evil"), "-o", evil, "--name", "maps/well", "--version", "1.0"});
    sign(evil, site.key("alice"), "author");
    CHECK(site.reasons(evil, "alice") == Reasons{"content-not-allowed"});
    Arguments init = site.init_words(site.scratch.path("other"), "http://127.0.0.1:1", "hub/other", "other.root");
    init.insert(init.end(), {"--classes", "code", "--open", "maps/*"});
    CHECK(run(init).exit_code == 1);
}

TEST_CASE("registry: an author sees at a terminal that a registry takes its time, and gets its answer") {
    RegistrySite site;
    const std::string quick = read_file(site.signer);
    write_file(site.signer, "#!/bin/sh\nsleep 4\n" + quick.substr(quick.find('\n') + 1));
    site.start();
    const std::string castle = site.bundle("maps/castle", "1.0", "alice");
    const Outcome outcome = run_at_terminal({"publish", castle, site.url(), "--key", site.key("alice")});
    CHECK(outcome.exit_code == 0);
    check_has(outcome.out, "all sent; the registry verifies every byte");
    check_has(outcome.out, "accepted, maps/castle 1.0");
}

TEST_CASE("registry: an author who waits gets the decision, though the server is killed and started meanwhile") {
    RegistrySite site;
    const std::string quick = read_file(site.signer);
    const std::string slow = site.scratch.write("slow", "");
    write_file(site.signer,
               "#!/bin/sh\nwhile [ -e '" + slow + "' ]; do sleep 0.1; done\n" + quick.substr(quick.find('\n') + 1));
    std::filesystem::remove(slow);
    site.start({"--access-log", site.scratch.path("log")});
    site.scratch.write("slow", "");
    const std::string castle = site.bundle("maps/castle", "1.0", "alice");
    Running author({"publish", castle, site.url(), "--key", site.key("alice")});
    const auto log_has = [&](const std::string& part) {
        return wait_until([&] { return has(read_file(site.scratch.path("log")), part); });
    };
    CHECK(log_has("\"GET /uploads/"));  // the upload was answered, and its author asks for the decision
    site.server->send(SIGKILL);
    static_cast<void>(site.server->wait());
    std::filesystem::remove(slow);
    site.start({"--access-log", site.scratch.path("log")});
    const Outcome outcome = author.wait();
    CAPTURE(outcome.err);
    CHECK(outcome.exit_code == 0);
    check_has(outcome.out, "accepted, maps/castle 1.0");
    CHECK(site.fsck().exit_code == 0);
}

TEST_CASE("registry: what a stolen key alone gives") {  // A73
    RegistrySite site;
    site.start();
    const std::string castle = site.bundle("maps/castle", "1.0", "alice");
    site.upload(castle, "alice");
    const std::string release = run_well({"channel", "status", site.hub(), "--channel", "hub/stable"});
    // An author's key: names of that author, by uploads that are countersigned, and nothing else.
    CHECK(site.reasons(site.bundle("core", "9.0", "alice"), "alice") == Reasons{"name-owned", "trust-refused"});
    // The registry's key: its countersignature makes nothing a part of the channel.
    const std::string forged = site.bundle("maps/castle", "9.0", "bob");
    sign(forged, site.key("registry"), "registry");
    CHECK(site.reasons(forged, "bob") == Reasons{"foreign-signature", "name-owned"});
    // Even with the folder: a name stays with its author, and core needs the key of the studio.
    run_well({"publish", forged, site.hub()});
    const std::string core = site.bundle("core", "9.0", "bob");
    sign(core, site.key("registry"), "registry");
    run_well({"publish", core, site.hub()});
    site.stop();
    site.start();
    const std::string then = run_well({"channel", "status", site.hub(), "--channel", "hub/stable"});
    CHECK(then.find("9.0") == std::string::npos);
    const Outcome checked = site.fsck();
    CHECK(checked.exit_code == 1);
    check_has(checked.out, "bundles/" + site.id(forged) + ".fardel");
    // The head key and the release key: texts by them are refused or lead to bundles that need both signatures.
    const Outcome other = run({"channel", "head", site.hub(), "--channel", "hub/stable", "--key", site.key("release")});
    CHECK(other.exit_code == 1);
    const std::string unsigned_by_registry = site.bundle("maps/castle", "8.0", "alice");
    run_well({"publish", unsigned_by_registry, site.hub()});
    const Outcome listed = run({"channel", "release", site.id(unsigned_by_registry), site.hub(), "--channel",
                                "hub/stable", "--key", site.key("release")});
    CHECK(listed.exit_code == 1);
    check_has(listed.err, "untrusted");
}

TEST_CASE("registry: the signer program signs what its key is for, and messages of any size") {
    const RegistrySite site;
    const auto ask = [&](const std::string& role, const std::string& message, const Arguments& more = {}) {
        Arguments words{"registry", "sign", role, "--key", site.key(role)};
        words.insert(words.end(), more.begin(), more.end());
        return run(words, {.input_path = site.scratch.write("message", message)});
    };
    const auto field = [](const std::string& text) {
        std::string size(8, '\0');
        for (std::size_t i = 0; i < size.size(); ++i)
            size[i] = static_cast<char>((text.size() >> (8 * i)) & 0xff);
        return size + text;
    };
    const std::string body =
        "fardel-channel-head 1\nchannel hub/stable\nversion 7\ncreated 1700000000\nexpires 1700600000\nroot 1\nrelease "
        "3 "
        "4096 1111111111111111111111111111111111111111111111111111111111111111\n";
    const std::string head = field("fardel") + field("channel head") + field(body);
    const Outcome good = ask("head", head);
    CHECK(good.exit_code == 0);
    CHECK(good.out.size() == 129);
    CHECK(ask("release", head).exit_code == 1);
    CHECK(ask("registry", head).exit_code == 1);
    CHECK(ask("head", head, {"--channel", "other"}).exit_code == 1);
    CHECK(ask("head", "anything").exit_code == 1);
    CHECK(ask("head", "").exit_code == 1);
    CHECK(ask("head", field("fardel") + field("channel root") + field(body)).exit_code == 1);
    CHECK(run({"registry", "sign", "author", "--key", site.key("head")}).exit_code == 2);
    // What is dated ahead would keep out what follows it.
    const auto dated = [&](std::uint64_t ahead_s) {
        std::string text = body;
        text.replace(text.find("1700000000"), 10, std::to_string((system_now() + ahead_s).seconds));
        text.replace(text.find("1700600000"), 10, std::to_string((system_now() + ahead_s + 600'000).seconds));
        return ask("head", field("fardel") + field("channel head") + field(text));
    };
    CHECK(dated(60).exit_code == 0);
    const Outcome ahead = dated(3600);
    CHECK(is_one_clear_line(ahead, "denied"));
    check_has(ahead.err, "head 7 of hub/stable is dated ");
    check_has(ahead.err, "nothing was signed");
}

TEST_CASE("registry: after a kill at any step, the next start goes on") {
    RegistrySite site;
    site.start();
    site.upload(site.bundle("maps/one", "1.0", "alice"), "alice");
    site.stop();
    const std::string channel = site.hub() + "/channels/hub/stable";
    const auto before = files_below(site.hub());
    site.start();
    const std::string two = site.bundle("maps/two", "1.0", "alice");
    site.upload(two, "alice");
    site.stop();
    const auto after = files_below(site.hub());
    const auto restore = [&](auto is_new) {  // of what the upload wrote, what had reached the disk
        for (const auto& [path, bytes] : after)
            if (is_new(path))
                write_file(site.hub() + "/" + path, bytes);
            else if (!before.contains(path))
                std::filesystem::remove(site.hub() + "/" + path);
            else
                write_file(site.hub() + "/" + path, before.at(path));
        for (const auto& [path, bytes] : files_below(site.hub()))
            if (!after.contains(path) && !before.contains(path))
                std::filesystem::remove(site.hub() + "/" + path);
    };
    const auto is_bundle = [&](const std::string& path) { return path.ends_with(".fardel"); };
    const auto is_release = [&](const std::string& path) { return path.find("/release/") != std::string::npos; };
    const auto is_head = [&](const std::string& path) { return path.ends_with("/head"); };
    int step = 0;
    for (const std::function<bool(const std::string&)>& reached :
         {std::function<bool(const std::string&)>(is_bundle),
          std::function<bool(const std::string&)>(
              [&](const auto& path) { return is_bundle(path) || is_release(path); }),
          std::function<bool(const std::string&)>(
              [&](const auto& path) { return is_bundle(path) || is_release(path) || is_head(path); })}) {
        CAPTURE(++step);
        restore(reached);
        site.start();
        CHECK(site.upload(two, "alice")["outcome"] == "was-there");
        site.stop();
        const Outcome checked = site.fsck();
        CAPTURE(checked.out);
        CHECK(checked.exit_code == 0);
        const std::string status = run_well({"channel", "status", site.hub(), "--channel", "hub/stable"});
        CHECK(has(status, "maps/one 1.0"));
        CHECK(has(status, "maps/two 1.0"));
        CHECK(std::filesystem::exists(site.hub() + "/" + "bundles/" + site.id(two) + ".html"));
    }
    // Nothing of it had reached the disk.
    restore([](const std::string&) { return false; });
    CHECK(site.fsck().exit_code == 0);
    CHECK_FALSE(has(run_well({"channel", "status", site.hub(), "--channel", "hub/stable"}), "maps/two"));
}

TEST_CASE("registry fsck: it says everything that is wrong, and pages come back byte for byte") {
    RegistrySite site;
    site.start();
    const std::string one = site.bundle("maps/one", "1.0", "alice", "licence = \"MIT\"\n");
    const std::string two = site.bundle("mods/two", "1.0", "bob");
    site.upload(one, "alice");
    site.upload(two, "bob");
    site.stop();
    const auto before = files_below(site.hub());
    for (const auto& [path, bytes] : before)
        if (is_page(path) || path.ends_with(".tables"))
            std::filesystem::remove(site.hub() + "/" + path);
    CHECK(site.fsck().exit_code == 0);
    CHECK(files_below(site.hub()) == before);
    // A backup is a copy of the folder.
    std::filesystem::copy(site.hub(), site.scratch.path("copy"), std::filesystem::copy_options::recursive);
    CHECK(run({"registry", "fsck", site.scratch.path("copy")}).exit_code == 0);
    const std::string bundle = site.hub() + "/bundles/" + site.id(one) + ".fardel";
    flip_bit(bundle, std::filesystem::file_size(bundle) - 40);  // in the countersignature
    std::filesystem::remove(site.hub() + "/bundles/" + site.id(two) + ".fardel");
    write_file(site.hub() + "/head.key", "secret");
    std::filesystem::create_symlink("/etc/passwd", site.hub() + "/names/passwd.html");
    const Outcome wrong = site.fsck();
    CHECK(wrong.exit_code == 1);
    check_has(wrong.out, "bundles/" + site.id(one) + ".fardel: no key of this registry has countersigned it");
    check_has(wrong.out, "bundles/" + site.id(two) + ".fardel: the newest release names it");
    check_has(wrong.out, "head.key: does not belong to the registry");
    check_has(wrong.out, "names/passwd.html: does not belong to the registry");
    CHECK(is_one_clear_line(run({"registry", "fsck", site.scratch.path("none")}), "missing"));
}

TEST_CASE("registry: mistakes of operators and authors") {
    RegistrySite site;
    CHECK(run({"serve", site.hub(), "--registry"}).exit_code == 2);
    CHECK(run({"serve", site.hub(), "--signer", site.signer}).exit_code == 2);
    const auto serve_with = [&](const std::string& registry, const std::string& release) {
        return run({"serve", site.hub(), "--registry", "--registry-key", site.key(registry), "--release-key",
                    site.key(release), "--head-key", site.key("head"), "--listen", "127.0.0.1:0"});
    };
    CHECK(is_one_clear_line(serve_with("alice", "release"), "untrusted"));
    CHECK(is_one_clear_line(serve_with("registry", "alice"), "untrusted"));
    CHECK(is_one_clear_line(
              run({"publish", site.bundle("maps/a", "1", "alice"), site.hub(), "--key", site.key("alice")}), "") ==
          false);
    site.start();
    const std::string castle = site.bundle("maps/castle", "1.0", "alice");
    // Another address of the same registry: a request that is signed for it would count elsewhere.
    CHECK(is_one_clear_line(
        run({"publish", castle, "http://localhost:" + std::to_string(site.port), "--key", site.key("alice")}),
        "denied"));
    CHECK(run({"publish", "--recall", site.id(castle), site.url(), "--key", site.key("alice")}).exit_code == 2);
    CHECK(run({"publish", "--recall", site.id(castle), site.url(), "--key", site.key("alice"), "--reason", "x"})
              .exit_code == 1);
    CHECK(run({"publish", "--recall", site.id(castle), site.url(), "--key", site.key("alice"), "--reason", "a\nb"})
              .exit_code == 3);
    CHECK(is_one_clear_line(run({"registry", "init", site.hub(), "--url", site.url(), "--channel", "x", "--root",
                                 site.pub("root"), "--registry", site.pub("registry"), "--release", site.pub("release"),
                                 "--head", site.pub("head"), "--open", "**", "-o", site.scratch.path("2.root")}),
                            "conflict"));
}

// ---- Pages ----------------------------------------------------------------------------------------------------------

TEST_CASE("registry: its pages are read in a browser behind nginx, with scripts and without") {
    RegistrySite site;
    site.start();
    const std::string castle = site.bundle("maps/castle", "1.0", "alice", "licence = \"CC0-1.0\"\n");
    site.upload(castle, "alice");
    site.upload(site.bundle("maps/garden", "0.9", "bob"), "bob");
    const auto server = [&](const std::string& more) {
        return Nginx::Site{"server { listen 8080; root " + site.hub() +
                           "; types { text/html html; application/json json; } " + more + " }\n"};
    };
    const Nginx nginx(site.scratch, "front", server(""));
    const Nginx no_scripts(site.scratch, "scriptless",
                           server("add_header Content-Security-Policy \"script-src 'none'\";"));
    for (const std::string& url : {nginx.url(), no_scripts.url(), site.url()}) {
        const bool scripts = url != no_scripts.url();
        const std::string index = browse(site.scratch, url + "/#search=garden");
        CAPTURE(scripts);
        CHECK(has(row_of(index, "maps/garden"), "0.9"));
        CHECK_FALSE(has(row_of(index, "maps/garden"), "hidden"));
        CHECK(has(row_of(index, "maps/castle"), "CC0-1.0"));
        CHECK(has(row_of(index, "maps/castle"), "hidden") == scripts);  // the search has hidden it
    }
    const std::string name = browse(site.scratch, no_scripts.url() + "/names/maps/castle.html");
    for (const std::string& part : {site.id(castle), site.public_key("alice"), site.public_key("registry"),
                                    std::string("CC0-1.0"), "--from " + site.url()})
        check_has(name, part);
    const std::string bundle = browse(site.scratch, nginx.url() + "/bundles/" + site.id(castle) + ".html");
    for (const char* part : {"<svg", "<rect", "maps/castle/", "has no remarks"})
        check_has(bundle, part);
}

TEST_CASE("registry: hostile texts of a bundle stay texts, on pages and on terminals") {  // A133
    RegistrySite site;
    site.start();
    const std::string evil =
        "</td><script>document.title='owned'</script><img src=x onerror=alert(1)>\\u202E\\u009B31m";
    const std::string file = site.bundle(
        "mods/evil", "1.0", "alice", "licence = \"" + evil + "\"\norigin = \"" + evil + "\"\n\"<b>key\" = \"&amp;\"\n");
    site.upload(file, "alice");
    for (const std::string& page :
         {std::string("/index.html"), std::string("/names/mods/evil.html"), "/bundles/" + site.id(file) + ".html"}) {
        CAPTURE(page);
        const std::string text = read_file(site.hub() + page);
        CHECK_FALSE(has(text, "<script>document"));
        CHECK_FALSE(has(text, "<img"));
        CHECK_FALSE(has(text, "<b>key"));
        CHECK_FALSE(has(text, "\u202e"));
        CHECK(has(text, "&lt;script&gt;document"));
        const std::string shown = browse(site.scratch, site.url() + page);
        CHECK_FALSE(has(shown, "<title>owned"));
        CHECK_FALSE(has(shown, "<img"));
    }
    const json list = json::parse(read_file(site.hub() + "/registry.json"));
    CHECK(list["names"].size() == 1);
    const Outcome refused = run({"publish", site.bundle("mods/evil", "1.0", "bob", "licence = \"" + evil + "\"\n"),
                                 site.url(), "--key", site.key("bob")});
    CHECK(refused.exit_code == 1);
    CHECK_FALSE(has(refused.out + refused.err, "\u202e"));
}

TEST_CASE("registry: an author signs a released bundle again, and the registry vouches for it beside the file") {
    RegistrySite site;
    site.start();
    const std::string castle = site.bundle("maps/castle", "1.0", "alice");
    site.upload(castle, "alice");
    const std::string stem = site.hub() + "/bundles/" + site.id(castle);
    const std::string file = read_file(stem + ".fardel");
    CHECK(site.upload(castle, "alice")["outcome"] == "was-there");
    run_well({"sign", castle, "--key", site.key("alice"), "--role", "author", "--epoch", "2"});
    CHECK(site.upload(castle, "alice")["outcome"] == "accepted");
    CHECK(read_file(stem + ".fardel") == file);
    const std::string beside = read_file(stem + ".signatures");
    CHECK(beside.size() > 300);  // a statement and a countersignature
    CHECK(site.upload(castle, "alice")["outcome"] == "was-there");
    CHECK(read_file(stem + ".signatures") == beside);
    CHECK(site.fsck().exit_code == 0);
}

TEST_CASE("registry: one whose head a wrong clock has dated says so, and signs nothing until the keys are replaced") {
    if (!can_move_clock())
        return;
    RegistrySite site;
    site.start();
    const std::string castle = site.bundle("maps/castle", "1.0", "alice");
    site.upload(castle, "alice");
    site.stop();
    Arguments recall{"registry", "recall", site.hub(), site.id(castle), "--reason", "test"};
    const Arguments signing = site.signing();
    recall.insert(recall.end(), signing.begin(), signing.end());
    CHECK(run_with_moved_clock("+40d", recall, {}).exit_code == 0);
    site.start();
    const std::string head = read_file(site.hub() + "/channels/hub/stable/head");
    CHECK(wait_until([&] { return site.server->errors().find("days ahead of the clock here") != std::string::npos; }));
    check_has(site.server->errors(), "--replace LABEL=NEW.key.pub");
    CHECK(site.try_upload(site.bundle("maps/well", "1.0", "alice"), "alice").exit_code != 0);
    CHECK(read_file(site.hub() + "/channels/hub/stable/head") == head);
}

TEST_CASE(
    "registry: a server whose keys a new root has replaced says so, and takes nothing until it has the new ones") {
    RegistrySite site;
    site.start({"--access-log", site.scratch.path("log"), "--metrics-listen", "127.0.0.1:0"});
    const std::string castle = site.bundle("maps/castle", "1.0", "alice");
    site.upload(castle, "alice");
    CHECK(site.server->errors().empty());
    const std::string metrics = word_after(site.server->output(), "metrics at ");
    const auto can_sign = [&] {
        const Outcome outcome = run_program({"curl", "-s", metrics});
        return word_after(outcome.out, "\nfardel_registry_can_sign ");
    };
    CHECK(can_sign() == "1");
    make_key(site.scratch, "new");
    run_well({"channel", "rotate", site.scratch.path("1.root"), "-o", site.scratch.path("2.root"), "--replace",
              "release=" + site.pub("new")});
    run_well({"channel", "sign", site.scratch.path("2.root"), "--key", site.key("root")});
    run_well({"channel", "publish", site.scratch.path("2.root"), site.hub()});
    const Outcome refused = site.try_upload(site.bundle("maps/well", "1.0", "alice"), "alice");
    CHECK(nlohmann::json::parse(refused.out)["code"] == "unreachable");
    CHECK(is_one_clear_line(refused, "unreachable"));
    check_has(refused.err, "the registry cannot sign: its keys were replaced");
    check_has(site.server->errors(),
              "is none of the release keys in the newest root of the channel; this server takes "
              "no uploads and recalls, and lets the head end on ");
    CHECK(can_sign() == "0");
    // Now it is known before anything is sent.
    std::filesystem::resize_file(site.scratch.path("log"), 0);
    CHECK(site.try_upload(site.bundle("maps/well", "1.1", "alice"), "alice").exit_code == 3);
    CHECK(read_file(site.scratch.path("log")).find("PUT") == std::string::npos);
    CHECK(site.stop().exit_code == 0);
    std::filesystem::copy_file(site.key("new"), site.key("release"), std::filesystem::copy_options::overwrite_existing);
    std::filesystem::copy_file(site.pub("new"), site.pub("release"), std::filesystem::copy_options::overwrite_existing);
    site.start();
    CHECK(site.upload(site.bundle("maps/well", "1.0", "alice"), "alice")["outcome"] == "accepted");
}

TEST_CASE("registry: an author hears that a version comes before one that is there") {
    RegistrySite site;
    site.start();
    site.upload(site.bundle("maps/castle", "1.0", "alice"), "alice");
    const auto remarks = [&](const char* version) {
        const auto answer = site.upload(site.bundle("maps/castle", version, "alice"), "alice");
        std::string reasons;
        for (const auto& one : answer["remarks"])
            reasons += one["reason"].get<std::string>() + ": " + one["text"].get<std::string>() + "\n";
        return reasons;
    };
    check_has(remarks("1.0b1"),
              "version-order: maps/castle 1.0b1 comes before maps/castle 1.0, which this registry has");
    CHECK(remarks("v1.1").find("version-order") == std::string::npos);
}

}  // namespace fardel::tests::registry_test
