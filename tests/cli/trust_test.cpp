#include "sample.h"

#include "kit/class_samples.h"
#include "kit/nginx.h"
#include "kit/openarena.h"

#include <nlohmann/json.hpp>

namespace fardel::tests::trust_test {

using nlohmann::json;

TEST_CASE("trust init: writes a policy that trust show and readers accept, and never overwrites a file") {
    const ScratchFolder scratch;
    fs::create_directory(scratch.path("other"));
    const std::string a = make_key(scratch, "author");
    const std::string b = make_key(scratch, "other/author");
    const std::string c = make_key(scratch, "h u+b");
    const std::string policy = make_policy(scratch, "p.trust",
                                           {"--author", a + ".pub", "--author", b + ".pub", "--registry", c + ".pub",
                                            "--registry", a + ".pub", "--pattern", "mods/**"});
    const json rules = json::parse(run_well({"trust", "show", policy, "--json"}));
    CHECK(rules["keys"].size() == 3);
    REQUIRE(rules["allow"].size() == 1);
    CHECK(rules["allow"][0]["pattern"] == "mods/**");
    CHECK(rules["allow"][0]["roles"][0]["labels"] == json({"author", "author-2"}));
    CHECK(rules["allow"][0]["roles"][1]["labels"] == json({"h-u-b", "author"}));
    CHECK(rules["unsigned_allowed"] == false);
    CHECK(run_well({"trust", "show", policy})
              .starts_with("bundles named mods/**\n  author: 1 of author, author-2\n  registry: 1 of h-u-b, author\n  "
                           "may publish: mods/**\n"
                           "  may bring: data,script,code\n"
                           "  may override names of other rules: none\nkey "));
    const std::string wide = make_policy(scratch, "wide.trust",
                                         {"--author", a + ".pub", "--pattern", "hud/*", "--publish", "hud/**",
                                          "--publish", "fonts/**", "--override", "hud/**"});
    CHECK(read_file(wide).ends_with("allow hud/* author=1:author publish=hud/** publish=fonts/** override=hud/**\n"));
    CHECK(run_well({"trust", "show", make_policy(scratch, "all.trust", {"--author", a + ".pub"})})
              .find("\n  may publish: everything\n  may bring: data,script,code\n  may override names of other rules: "
                    "all\n") != std::string::npos);

    const std::string before = read_file(policy);
    const Outcome again = run({"trust", "init", policy, "--author", a + ".pub"});
    CHECK(again.exit_code == 1);
    CHECK(is_one_clear_line(again, "conflict"));
    CHECK(read_file(policy) == before);
    for (const Arguments& options : {Arguments{"--author", scratch.path("absent.pub")}, Arguments{"--author", a},
                                     Arguments{"--author", a + ".pub", "--pattern", "a//b"}}) {
        Arguments arguments{"trust", "init", scratch.path("q.trust")};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const Outcome outcome = run(arguments);
        CHECK(outcome.exit_code != 0);
        CHECK(outcome.err.starts_with("fardel: "));
        CHECK_FALSE(fs::exists(scratch.path("q.trust")));
    }
}

TEST_CASE("trust show: a file that is not a policy is refused") {
    const ScratchFolder scratch;
    CHECK(is_one_clear_line(run({"trust", "show", scratch.path("absent")}), "missing"));
    CHECK(is_one_clear_line(run({"trust", "show", scratch.write("x", "hello\n")}), "malformed"));
    CHECK(is_one_clear_line(run({"trust", "show", scratch.root()}), "malformed"));
    CHECK(is_one_clear_line(run({"trust", "show", "/dev/zero"}), "malformed"));
}

// ---- add, remove, revoke, test --------------------------------------------------------------------------------------

// The rules of a policy file, in their order: "mods/** ** ".
std::string patterns_in(const std::string& policy) {
    std::string patterns;
    const json rules = json::parse(run_well({"trust", "show", policy, "--json"}));
    for (const json& rule : rules["allow"])
        patterns += rule["pattern"].get<std::string>() + " ";
    return patterns;
}

std::string make_named_bundle(const ScratchFolder& scratch, const std::string& name, const std::string& key) {
    const std::string file = scratch.path(fs::path(name).filename().string() + ".fardel");
    fs::create_directory(scratch.path("content"));
    scratch.write("content/a.txt", "text");
    run_well({"pack", scratch.path("content"), "-o", file, "--name", name, "--key", key});
    return file;
}

TEST_CASE("trust add: a rule goes in front of the others, keys into the rule that there is, and comments stay") {
    const ScratchFolder scratch;
    const std::string a = make_key(scratch, "alice"), b = make_key(scratch, "bob");
    const std::string policy = make_policy(scratch, "p.trust", {"--author", a + ".pub"});
    std::string text = read_file(policy);
    text.insert(text.find('\n') + 1, "# whom we know\n\n");
    scratch.write("p.trust", text + "# the end\n");

    run_well({"trust", "add", policy, "--author", b + ".pub", "--pattern", "mods/**"});
    CHECK(patterns_in(policy) == "mods/** ** ");
    run_well({"trust", "add", policy, "--author", a + ".pub", "--pattern", "mods/**", "--threshold", "2"});
    CHECK(patterns_in(policy) == "mods/** ** ");
    const json rules = json::parse(run_well({"trust", "show", policy, "--json"}));
    CHECK(rules["allow"][0]["roles"][0]["threshold"] == 2);
    CHECK(rules["allow"][0]["roles"][0]["labels"] == json({"bob", "alice"}));
    CHECK(rules["keys"].size() == 2);
    CHECK(read_file(policy).starts_with("fardel-trust 1\n# whom we know\n\nkey alice "));
    CHECK(read_file(policy).ends_with("\n# the end\n"));

    // A rule that would never be asked is accepted, with a warning.
    const Outcome hidden = run({"trust", "add", policy, "--author", b + ".pub", "--pattern", "zz/*", "--last"});
    CHECK(hidden.exit_code == 0);
    CHECK(hidden.err.find("zz/*") != std::string::npos);
    CHECK(patterns_in(policy) == "mods/** ** zz/* ");
}

TEST_CASE("trust remove: a rule or a key goes; a key that a rule cannot do without stays") {
    const ScratchFolder scratch;
    const std::string a = make_key(scratch, "alice"), b = make_key(scratch, "bob");
    const std::string policy = make_policy(scratch, "p.trust", {"--author", a + ".pub"});
    run_well({"trust", "add", policy, "--author", b + ".pub", "--author", a + ".pub", "--pattern", "mods/**"});
    run_well({"trust", "add", policy, "--author", b + ".pub", "--pattern", "core"});
    const std::string before = read_file(policy);
    const Outcome needed = run({"trust", "remove", policy, "--key", "bob"});
    CHECK(needed.exit_code == 1);
    CHECK(needed.err.find("core") != std::string::npos);
    CHECK(read_file(policy) == before);
    run_well({"trust", "remove", policy, "--pattern", "core"});
    run_well({"trust", "remove", policy, "--key", "bob"});
    CHECK(patterns_in(policy) == "mods/** ** ");
    CHECK(read_file(policy).find("bob") == std::string::npos);
    const Outcome unknown = run({"trust", "remove", policy, "--key", "bob"});
    CHECK(is_one_clear_line(unknown, "missing"));
    CHECK(unknown.err.find("no key has the label bob; 'fardel trust show' lists them") != std::string::npos);
    CHECK(is_one_clear_line(run({"trust", "remove", policy, "--pattern", "core"}), "missing"));
}

TEST_CASE("trust revoke, trust test: what is withdrawn is refused, and the reason is shown") {
    const ScratchFolder scratch;
    const std::string a = make_key(scratch, "alice"), b = make_key(scratch, "bob");
    const std::string policy = make_policy(scratch, "p.trust", {"--author", a + ".pub"});
    run_well({"trust", "add", policy, "--author", b + ".pub", "--pattern", "mods/**"});
    const std::string map = make_named_bundle(scratch, "maps/dm01", a), mod = make_named_bundle(scratch, "mods/hud", b);
    json all = json::parse(run_well({"trust", "test", policy, map, mod, "--json"}));
    CHECK(all["accepted"] == true);
    CHECK(all["bundles"][0]["rule"] == "**");
    CHECK(all["bundles"][1]["rule"] == "mods/**");
    CHECK(all["bundles"][1]["signers"][0]["label"] == "bob");

    run_well({"trust", "revoke", policy, "--key", "bob", "--reason", "stolen laptop"});
    run_well({"trust", "revoke", policy, "--bundle", all["bundles"][0]["bundle"]});
    const Outcome refused = run({"trust", "test", policy, map, mod});
    CHECK(refused.exit_code == 1);
    CHECK(refused.out.find("dm01.fardel: REFUSED, revoked") != std::string::npos);
    CHECK(refused.out.find("stolen laptop") != std::string::npos);
    all = json::parse(run({"trust", "test", policy, map, mod, "--json"}).out);
    CHECK(all["accepted"] == false);
    CHECK(all["bundles"][1]["refusal"]["code"] == "revoked");
    // An unknown author.
    const std::string stranger = make_named_bundle(scratch, "maps/dm02", b);
    CHECK(run({"trust", "test", policy, stranger}).out.find("REFUSED") != std::string::npos);
}

TEST_CASE("trust: a change that is wrong leaves the file as it was") {
    const ScratchFolder scratch;
    const Outcome damaged = run({"trust", "remove", scratch.write("x", "hello\n"), "--key", "a"});
    CHECK(is_one_clear_line(damaged, "malformed"));
    CHECK(damaged.err.find(scratch.path("x")) != std::string::npos);
    const std::string a = make_key(scratch, "alice");
    const std::string policy = make_policy(scratch, "p.trust", {"--author", a + ".pub"});
    const std::string before = read_file(policy);
    for (const Arguments& words :
         {Arguments{"add", policy}, Arguments{"remove", policy}, Arguments{"revoke", policy},
          Arguments{"add", policy, "--author", a + ".pub", "--pattern", "a b"},
          Arguments{"add", policy, "--author", a + ".pub", "--threshold", "2"},
          Arguments{"add", policy, "--author", scratch.path("absent.pub")},
          Arguments{"revoke", policy, "--key", "nobody"}, Arguments{"revoke", policy, "--bundle", "abc"},
          Arguments{"revoke", policy, "--key", "alice", "--reason", "two\nlines"},
          Arguments{"revoke", policy, "--key", "alice", "--bundle", std::string(64, 'a')}}) {
        Arguments arguments{"trust"};
        arguments.insert(arguments.end(), words.begin(), words.end());
        const Outcome outcome = run(arguments);
        CAPTURE(outcome.err);
        CHECK(outcome.exit_code != 0);
        CHECK(outcome.err.starts_with("fardel: "));
        CHECK(read_file(policy) == before);
    }
}

// ---- Classes of content ---------------------------------------------------------------------------------------------

TEST_CASE("trust: a rule that lets bring data only is written, shown, changed and asked") {  // A137
    const ScratchFolder scratch;
    const std::string key = make_key(scratch, "painter");
    const std::string policy =
        make_policy(scratch, "p.trust", {"--author", key + ".pub", "--pattern", "skins/*", "--classes", "data"});
    CHECK(read_file(policy).ends_with("allow skins/* author=1:painter classes=data\n"));
    CHECK(run_well({"trust", "show", policy}).find("  may bring: data\n") != std::string::npos);
    const json rule = json::parse(run_well({"trust", "show", policy, "--json"}))["allow"][0];
    CHECK(rule["classes"] == json({"data"}));

    const Outcome wrong = run({"trust", "add", policy, "--author", key + ".pub", "--classes", "code"});
    CHECK(wrong.exit_code == 1);
    CHECK(is_one_clear_line(wrong, "malformed"));
    const std::string hub = make_key(scratch, "hub");
    run_well({"trust", "add", policy, "--registry", hub + ".pub", "--pattern", "skins/*"});
    CHECK(read_file(policy).find(" classes=data\n") != std::string::npos);  // what is not named stays
}

TEST_CASE(
    "content classes: pack, sign, verify, trust test and mount refuse code from who may bring data only") {  // A137
    const ScratchFolder scratch;
    const std::string key = make_key(scratch, "painter");
    const std::string policy =
        make_policy(scratch, "p.trust", {"--author", key + ".pub", "--pattern", "skins/*", "--classes", "data"});
    fs::create_directories(scratch.path("art/skins"));
    scratch.write("art/skins/notes.txt", "a skin\n");
    fs::copy_file("/bin/ls", scratch.path("art/skins/skull.tga"));
    const auto pack = [&](const Arguments& more) {
        Arguments arguments{"pack", scratch.path("art"), "-o", scratch.path("s.fardel"), "--name", "skins/s"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    };

    const Outcome packed = pack({"--key", key, "--trust", policy});
    CHECK(packed.exit_code == 3);
    CHECK(is_one_clear_line(packed, "denied"));
    CHECK(packed.err.find("skins/skull.tga' is an ELF program") != std::string::npos);
    CHECK_FALSE(fs::exists(scratch.path("s.fardel")));

    const std::string bundle = scratch.path("s.fardel");
    REQUIRE(pack({}).exit_code == 0);
    const std::string unsigned_bytes = read_file(bundle);
    const Outcome refused = run({"sign", bundle, "--key", key, "--role", "author", "--trust", policy});
    CHECK(refused.exit_code == 3);
    CHECK(is_one_clear_line(refused, "denied"));
    CHECK(read_file(bundle) == unsigned_bytes);

    sign(bundle, key, "author");  // a hostile signer does not ask the policy
    const Outcome verified = run({"verify", bundle, "--trust", policy, "--json"});
    CHECK(verified.exit_code == 1);
    CHECK(verified.out.find("content-not-allowed") != std::string::npos);
    CHECK(verified.out.find("skins/skull.tga") != std::string::npos);
    CHECK(verified.out.find("notes.txt") == std::string::npos);
    CHECK(run({"verify", bundle}).exit_code == 0);

    fs::remove(scratch.path("art/skins/skull.tga"));
    scratch.write("art/skins/run.lua", "x = 1\n");
    REQUIRE(pack({"--key", key}).exit_code == 0);
    const Outcome tested = run({"trust", "test", policy, bundle});
    CHECK(tested.exit_code == 1);
    CHECK(tested.out.find("skins/run.lua' is a name of a script") != std::string::npos);
    const Outcome listed = run({"which", "--mount", bundle, "--trust", policy, "/skins/run.lua"});
    CHECK(listed.exit_code == 3);
    CHECK(is_one_clear_line(listed, "denied"));

    fs::remove(scratch.path("art/skins/run.lua"));
    CHECK(pack({"--key", key, "--trust", policy}).exit_code == 0);
    CHECK(run({"verify", bundle, "--trust", policy}).exit_code == 0);
    CHECK(run({"trust", "test", policy, bundle}).exit_code == 0);
}

TEST_CASE("content classes: a QVM that the unmodified engine runs is refused under the name of a picture") {  // A137
    const ScratchFolder scratch;
    const std::string qvm = scratch.write("game/baseoa/vm/qagame.qvm", make_running_qvm());
    const std::string unpack = "unzip -qo '" + openarena_archive("pak1-maps.pk3") + "' maps/oa_dm1.bsp -d '" +
                               scratch.path("game/baseoa") + "' && unzip -qo '" + openarena_archive("pak0.pk3") +
                               "' default.cfg -d '" + scratch.path("game/baseoa") + "'";
    REQUIRE(run_shell(unpack).exit_code == 0);
    Arguments engine{"timeout", "120", "/usr/lib/ioquake3/ioq3ded"};
    for (const auto& [name, value] :
         std::vector<std::pair<std::string, std::string>>{{"fs_basepath", scratch.path("game")},
                                                          {"fs_homepath", scratch.path("home")},
                                                          {"com_basegame", "baseoa"},
                                                          {"com_standalone", "1"},
                                                          {"dedicated", "1"},
                                                          {"net_enabled", "0"},
                                                          {"sv_pure", "0"},
                                                          {"vm_game", "1"},  // interpreted
                                                          {"com_hunkmegs", "128"}}) {
        for (const std::string& word : {std::string("+set"), name, value})
            engine.push_back(word);
    }
    for (const char* const word : {"+map", "oa_dm1", "+quit"})
        engine.push_back(word);
    const Outcome played = run_program(engine);
    const std::string said = played.out + played.err;
    REQUIRE_MESSAGE(said.find(kQvmPrints) != std::string::npos, said);

    const std::string key = make_key(scratch, "painter");
    const std::string policy = make_policy(scratch, "p.trust", {"--author", key + ".pub", "--classes", "data"});
    fs::create_directories(scratch.path("skins"));
    fs::rename(qvm, scratch.path("skins/skull.tga"));
    const Outcome packed = run({"pack", scratch.path("skins"), "-o", scratch.path("s.fardel"), "--name", "skins",
                                "--key", key, "--trust", policy});
    CHECK(packed.exit_code == 3);
    CHECK(is_one_clear_line(packed, "denied"));
    CHECK(packed.err.find("skull.tga' is a QVM") != std::string::npos);
}

TEST_CASE("content classes: a fetch keeps nothing of a bundle that brings what its signer may not") {  // A137
    const ScratchFolder scratch;
    const Nginx nginx(scratch, "nginx", "delivery.md", "/srv/www/mygame");
    const std::string key = make_key(scratch, "painter");
    const std::string policy = make_policy(scratch, "p.trust", {"--author", key + ".pub", "--classes", "data"});
    const std::string store = scratch.path("store");
    const auto published = [&](const std::string& name, const std::string& file) {
        fs::create_directories(scratch.path(name));
        fs::copy_file(file, scratch.path(name + "/skull.tga"));
        scratch.write(name + "/notes.txt", name);
        const std::string bundle = scratch.path(name + ".fardel");
        run_well({"pack", scratch.path(name), "-o", bundle, "--name", name, "--key", key});
        run_well({"publish", bundle, nginx.tree()});
        return run_well({"id", bundle}).substr(0, 64);
    };
    const std::string bad = published("bad", "/bin/ls");
    const Outcome refused = run({"fetch", nginx.url(), bad, "--store", store, "--trust", policy});
    CHECK(refused.exit_code != 0);
    CHECK(refused.err.find("ELF program") != std::string::npos);
    CHECK(run({"store", "ls", "--store", store}).out.find(bad.substr(0, 8)) == std::string::npos);
    const std::string picture = std::string("\0\0\2\0\0\0\0\0\0\0\0\0\x40\0\x40\0\x18\0", 18) + "pixels";
    const std::string good = published("good", scratch.write("picture", picture));
    run_well({"fetch", nginx.url(), good, "--store", store, "--trust", policy});
}

TEST_CASE("content classes: OpenArena's data passes as data, and its programs and settings do not") {  // A137
    const ScratchFolder scratch;
    const std::string key = make_key(scratch, "mapper");
    const std::string policy = make_policy(scratch, "p.trust", {"--author", key + ".pub", "--classes", "data"});
    const auto pack = [&](const Arguments& excludes) {
        Arguments arguments{"pack",    openarena_archive("pak6-patch088.pk3"),
                            "-o",      scratch.path("oa.fardel"),
                            "--key",   key,
                            "--name",  "oa",
                            "--trust", policy,
                            "--level", "1"};
        for (const std::string& glob : excludes) {
            arguments.push_back("--exclude");
            arguments.push_back(glob);
        }
        return run(arguments);
    };
    const Outcome whole = pack({});
    CHECK(whole.exit_code == 3);
    CHECK(is_one_clear_line(whole, "denied"));
    // Recordings of games, and texts whose names do not say that they are texts.
    const Outcome data = pack({"vm/*.qvm", "demos/**", "*.org", "**/credit"});
    CAPTURE(data.err);
    CHECK(data.exit_code == 0);
    CHECK(run({"verify", scratch.path("oa.fardel"), "--trust", policy}).exit_code == 0);
}

// What players and publishers say about a signed bundle that a policy has something to say about.
struct JudgedBundle {
    std::string what;
    std::string file;  // beside maps/x.bsp
    std::string content;
    Arguments rule;        // of the policy, besides the author
    std::string metadata;  // lines of the project
    std::string refusal;   // a part of its text; empty: accepted
};

// Where all of them ask.
class JudgedTree {
public:
    explicit JudgedTree(const JudgedBundle& judged) {
        for (const char* name : {"root", "release", "author"})
            make_key(scratch, name);
        Arguments rule{"--author", pub("author"), "--pattern", "maps/*"};
        rule.insert(rule.end(), judged.rule.begin(), judged.rule.end());
        policy = make_policy(scratch, "p.trust", rule);
        scratch.write("game/assets/maps/x.txt", make_text(1'000'000));
        scratch.write("game/assets/" + judged.file, judged.content);
        scratch.write("game/fardel.toml",
                      "name = \"maps/x\"\nversion = \"1\"\nsources = [\"assets\"]\n[metadata]\n" + judged.metadata);
        run_well({"pack", scratch.path("game/fardel.toml"), "-o", bundle});
        sign(bundle, scratch.path("author.key"), "author");
        run_well({"publish", bundle, nginx.tree()});
        id = run_well({"id", bundle}).substr(0, 64);
        run_well({"channel", "init", "n/all", "--root", pub("root"), "--release", pub("release"), "--head",
                  pub("release"), "--trust", policy, "-o", scratch.path("1.root")});
        run_well({"channel", "sign", scratch.path("1.root"), "--key", scratch.path("root.key")});
        run_well({"channel", "publish", scratch.path("1.root"), nginx.tree()});
    }
    Outcome release() const {
        return run(
            {"channel", "release", bundle, nginx.tree(), "--channel", "n/all", "--key", scratch.path("release.key")});
    }
    Outcome fetch() const {
        return run({"fetch", nginx.url(), id, "--store", scratch.path("store"), "--trust", policy});
    }
    std::uintmax_t stored_bytes() const {
        std::uintmax_t bytes = 0;
        for (const auto& entry : fs::recursive_directory_iterator(scratch.path("store")))
            bytes += entry.is_regular_file() ? entry.file_size() : 0;
        return bytes;
    }
    Outcome which() const { return run({"which", "--mount", bundle, "--trust", policy, "/maps/x.txt"}); }

    const ScratchFolder scratch;
    const Nginx nginx{scratch, "nginx", "delivery.md", "/srv/www/mygame"};
    const std::string bundle = scratch.path("x.fardel");
    std::string policy, id;

private:
    std::string pub(const std::string& name) const { return scratch.path(name + ".key.pub"); }
    // Text that no codec makes small.
    static std::string make_text(std::size_t bytes) {
        std::string text;
        for (std::uint64_t state = 7; text.size() < bytes; state = state * 6364136223846793005u + 1442695040888963407u)
            text += static_cast<char>('a' + state / (std::uint64_t{1} << 60));
        return text;
    }
};

TEST_CASE("one judge: mount, trust test, fetch and release say the same, and fetch says it before content") {
    const std::vector<JudgedBundle> all{
        {"nothing to say", "maps/x.cfg", "set a 1\n", {}, "", ""},
        {"a name outside of the rule", "readme.txt", "hi\n", {}, "", ""},
        {"a name of a class that the rule does not allow",
         "maps/x.lua",
         "x = 1\n",
         {"--classes", "data"},
         "",
         "maps/x.lua' is a name of a script"},
        {"content that has expired", "maps/y.txt", "y\n", {}, "expires = 981158400\n", "expired"},
    };
    for (const JudgedBundle& judged : all) {
        CAPTURE(judged.what);
        const JudgedTree tree(judged);
        const bool is_accepted = judged.refusal.empty();
        const auto check = [&](const char* who, const Outcome& outcome) {
            CAPTURE(who);
            CAPTURE(outcome.out);
            CAPTURE(outcome.err);
            CHECK((outcome.exit_code == 0) == is_accepted);
            if (!is_accepted)
                CHECK((outcome.out + outcome.err).find(judged.refusal) != std::string::npos);
        };
        check("mount", tree.which());
        check("trust test", run({"trust", "test", tree.policy, tree.bundle}));
        check("release", tree.release());
        for (int start = 0; start < 2; ++start) {
            check("fetch", tree.fetch());
            CHECK((tree.stored_bytes() > 400'000) == is_accepted);  // no content of what is refused
        }
    }
}

TEST_CASE("one judge: who tests, signs and releases hears of names that no player will see") {
    const JudgedTree tree({"names outside", "docs/a.txt", "a\n", {}, "", ""});
    const std::string remark = "1 name that it publishes is not visible: 'docs/a.txt'; the rule maps/* lets it publish";
    CHECK(run_well({"trust", "test", tree.policy, tree.bundle}).find(remark) != std::string::npos);
    CHECK(json::parse(run_well({"trust", "test", tree.policy, tree.bundle, "--json"}))["bundles"][0]["hidden_names"] ==
          1);
    CHECK(tree.release().err.find(remark) != std::string::npos);
    CHECK(
        run({"sign", tree.bundle, "--key", tree.scratch.path("author.key"), "--role", "author", "--trust", tree.policy})
            .err.find(remark) != std::string::npos);
}

TEST_CASE("one judge: bytes of a class that the signers may not bring are refused by release and trust test, too") {
    const JudgedTree tree({"bytes", "maps/y.tga", "#!/bin/sh\necho harm\n", {"--classes", "data"}, "", ""});
    for (const Outcome& refused : {tree.release(), run({"trust", "test", tree.policy, tree.bundle}), tree.fetch()}) {
        CHECK(refused.exit_code != 0);
        CHECK((refused.out + refused.err).find("denied") != std::string::npos);
    }
}

}  // namespace fardel::tests::trust_test
