// fardel publish --key before it sends a bundle, and what a registry lets bundles publish: an author hears what will be
// refused while nothing has been sent, and what is there already is not sent again.
#include "registry_site.h"

#include <sstream>

namespace fardel::tests::registry_question_test {

using nlohmann::json;
using Reasons = std::vector<std::string>;

struct AskedSite : RegistrySite {
    explicit AskedSite(const Arguments& rules, const Arguments& serving = {}) : RegistrySite(rules) {
        Arguments words{"--access-log", scratch.path("access.log")};
        words.insert(words.end(), serving.begin(), serving.end());
        start(words);
    }

    // A map as its author has it: files beside maps/, and texts at the top.
    std::string castle(const std::string& more = "") const {
        const std::string folder = more.empty() ? "castle" : "castle-with-more";
        scratch.write(folder + "/maps/castle.bsp", "a map\n");
        scratch.write(folder + "/readme.txt", "A castle.\n");
        scratch.write(folder + "/scripts/castle.shader", "textures/castle/gate\n{\n}\n");
        scratch.write(folder + "/textures/castle/wall.tga", "a wall\n");
        scratch.write(folder + "/sound/castle/gate.wav", "a gate\n");
        if (!more.empty())
            scratch.write(folder + "/" + more, "more\n");
        const std::string file = scratch.path(folder + ".fardel");
        run_well({"pack", scratch.path(folder), "-o", file, "--name", "maps/castle", "--version", "1.0", "--key",
                  key("alice")});
        return file;
    }
    Outcome ask(const std::string& file, const std::string& author) const {
        return run({"publish", file, url(), "--key", key(author), "--dry-run", "--json"});
    }
    json answer_to(const Outcome& outcome) const {
        CAPTURE(outcome.err);
        const json whole = json::parse(outcome.out, nullptr, false);
        REQUIRE(whole.is_object());
        return whole["answers"][0]["answer"];
    }
    Reasons asked_reasons(const std::string& file, const std::string& author) const {
        Reasons found;
        const Outcome outcome = ask(file, author);
        const json answer = answer_to(outcome);
        for (const json& one : answer["refusals"])
            found.push_back(one["reason"]);
        CHECK(outcome.exit_code == (found.empty() ? 0 : 1));
        std::ranges::sort(found);
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return found;
    }
    std::string log() const { return read_file(scratch.path("access.log")); }
    // The server notes a request after its answer.
    void forget_uploads(std::ptrdiff_t count) const {
        REQUIRE(wait_until([&] {
            std::istringstream lines(log());
            std::ptrdiff_t uploads = 0;
            for (std::string line; std::getline(lines, line);)
                uploads += line.find("PUT ") != std::string::npos ? 1 : 0;
            return uploads >= count;
        }));
        std::filesystem::resize_file(scratch.path("access.log"), 0);
    }
    bool nothing_was_sent() const { return log().find("PUT ") == std::string::npos; }
};

TEST_CASE("registry: by a game's profile, a map brings what maps bring, and nothing that the game executes") {  // A15
    const AskedSite site({"--open", "maps/*", "--profile", "quake3"});
    CHECK(site.upload(site.castle(), "alice")["outcome"] == "accepted");
    std::filesystem::create_directories(site.scratch.path("castle-with-more"));
    for (const char* executed : {"autoexec.cfg", "vm/cgame.qvm", "ui/menu.txt"})
        CHECK(site.asked_reasons(site.castle(executed), "alice") == Reasons{"name-not-allowed", "version-taken"});
    // Authors read it before they pack: in the rules, and on the first page.
    for (const std::string& text : {read_file(site.hub() + "/registry.rules"), read_file(site.hub() + "/index.html")}) {
        check_has(text, "textures/**");
        check_has(text, "sound/**");
    }
    check_has(read_file(site.scratch.path("1.root")), "publish=textures/**");
    CHECK(site.fsck().exit_code == 0);
}

TEST_CASE("registry: bounds of its own for a pattern; without any, a folder's; what is outside can be mended") {  // A15
    const AskedSite site({"--open", "maps/*:publish=textures/castle/**,scripts/castle.shader", "--open", "mods/*"});
    const Outcome refused = run({"publish", site.castle(), site.url(), "--key", site.key("alice")});
    CHECK(refused.exit_code == 1);
    check_has(refused.out, "refused, and nothing was sent:");
    check_has(refused.out,
              "'readme.txt' is published; the rule maps/* lets it publish maps/** textures/castle/** "
              "scripts/castle.shader");
    check_has(refused.out, "Its author can rename it or leave it out");
    CHECK(refused.out.find("'textures/castle/wall.tga'") == std::string::npos);
    CHECK(site.nothing_was_sent());
    check_has(read_file(site.hub() + "/registry.rules"), "#   mods/*: mods/**\n");
    Arguments init = site.init_words(site.scratch.path("other"), "http://127.0.0.1:1", "hub/other", "other.root");
    init.insert(init.end(), {"--open", "maps/*:publish=a//b"});
    CHECK(is_one_clear_line(run(init), "malformed"));
    init.back() = "maps/*";
    init.insert(init.end(), {"--profile", "gltf"});
    const Outcome none = run(init);
    CHECK(is_one_clear_line(none, "unresolved"));
    check_has(none.err, "does not say what mods publish");
}

TEST_CASE("registry: a dry run says all that an upload would be refused for, and sends nothing of the bundle") {
    const AskedSite site({"--open", "maps/*", "--open", "mods/*", "--bytes-max", "1M", "--raw-bytes-max", "2M",
                          "--key-bytes-max", "1200K", "--versions-max", "2", "--licence", "CC0-1.0"});
    const std::string free = "licence = \"CC0-1.0\"\n";
    const std::string castle = site.bundle("maps/castle", "1.0", "alice", free);
    const json first = site.answer_to(site.ask(castle, "alice"));
    CHECK(first["outcome"] == "acceptable");
    CHECK(first["name"] == "maps/castle");
    CHECK(site.nothing_was_sent());
    CHECK(read_file(site.hub() + "/registry.json").find("maps/castle") == std::string::npos);
    site.upload(castle, "alice");
    site.upload(site.bundle("maps/castle", "1.1", "alice", free), "alice");
    site.forget_uploads(2);
    const std::vector<std::pair<std::string, Reasons>> cases{
        {site.bundle("maps/castle", "1.1", "bob", free, "mine"), {"name-owned", "version-taken", "versions-full"}},
        {site.bundle("maps/castle", "1.2", "alice", free), {"versions-full"}},
        {site.bundle("engine", "1.0", "alice", free), {"name-not-allowed", "name-not-open", "trust-refused"}},
        {site.bundle("maps/well", "1.0", "", free), {"signer-differs", "trust-refused"}},
        {site.bundle("maps/well", "1.0", "alice"), {"licence-missing"}},
        {site.bundle("maps/well", "1.0", "alice", free, std::string(3'000'000, 'x')), {"too-large"}},
    };
    for (const auto& [file, reasons] : cases) {
        const std::string author = &file == &cases[0].first ? "bob" : "alice";
        Reasons asked = site.asked_reasons(file, author);
        std::erase(asked, "name-not-allowed");
        Reasons expected = reasons;
        std::erase(expected, "name-not-allowed");
        CHECK(asked == expected);
        CHECK(site.reasons(file, author).size() >= expected.size());
    }
    std::string noise;
    for (unsigned i = 0, seed = 7; i < 1'100'000; ++i)
        noise += static_cast<char>((seed = seed * 1664525 + 1013904223) >> 24);
    const Outcome large = run(
        {"publish", site.bundle("maps/noise", "1.0", "alice", free, noise), site.url(), "--key", site.key("alice")});
    CHECK(large.exit_code == 1);
    check_has(large.out, "the file has 1.1 MB, and this registry takes at most 1.0 MB");
    CHECK(site.nothing_was_sent());
    CHECK(run({"publish", "--recall", site.id(castle), site.url(), "--key", site.key("alice"), "--reason", "x",
               "--dry-run"})
              .exit_code == 2);
}

TEST_CASE("registry: what is there is neither sent nor verified again, and what was signed again is") {
    const AskedSite site({"--open", "maps/*"});
    const std::string castle = site.bundle("maps/castle", "1.0", "alice");
    site.upload(castle, "alice");
    site.forget_uploads(1);
    CHECK(site.upload(castle, "alice")["outcome"] == "was-there");
    CHECK(site.nothing_was_sent());
    CHECK(site.answer_to(site.ask(castle, "alice"))["outcome"] == "was-there");
    run_well({"sign", castle, "--key", site.key("alice"), "--role", "author", "--epoch", "2"});
    CHECK(site.answer_to(site.ask(castle, "alice"))["outcome"] == "acceptable");
    CHECK(site.upload(castle, "alice")["outcome"] == "accepted");
}

TEST_CASE("registry: the quota that is full is the server's, and its operator may change the rules meanwhile") {
    const AskedSite site({"--open", "maps/*", "--bytes-max", "1M"}, {"--upload-quota", "2K"});
    const Outcome full =
        run({"publish", site.bundle("maps/castle", "1.0", "alice"), site.url(), "--key", site.key("alice")});
    CHECK(is_one_clear_line(full, "no_space"));
    check_has(full.err, "the quota of this server (--upload-quota) is full");
    CHECK(full.err.find("free some disk space") == std::string::npos);
    CHECK(site.nothing_was_sent());
}

}  // namespace fardel::tests::registry_question_test
