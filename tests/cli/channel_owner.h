// A channel with its owner and its players, as the program serves them: keys, a tree behind nginx, and stores.
#pragma once

#include "sample.h"

#include "kit/nginx.h"

#include <fardel/base/clock.h>

#include <nlohmann/json.hpp>

namespace fardel::tests {

inline constexpr std::uint64_t kDayOfSeconds = 24 * 3600;

class ChannelOwner {
public:
    // Root 1 of mygame/stable, which two of the keys ra, rb, rc sign; the keys rel and head; bundles by `author`.
    // `age_s`: everything was made so many seconds ago.
    explicit ChannelOwner(std::uint64_t age_s = 0) : now_(system_now() - age_s) {
        for (const char* name : {"ra", "rb", "rc", "rel", "head", "author", "thief"})
            make_key(scratch, name);
        make_policy(scratch, "authors.trust", {"--author", pub("author")});
        owner({"channel", "init", "mygame/stable", "--root", pub("ra"), "--root", pub("rb"), "--root", pub("rc"),
               "--root-threshold", "2", "--release", pub("rel"), "--head", pub("head"), "--trust",
               scratch.path("authors.trust"), "-o", scratch.path("1.root")});
        sign_text("1.root", {"ra", "rb"});
        owner({"channel", "publish", scratch.path("1.root"), tree()});
    }

    std::string key(const std::string& name) const { return scratch.path(name + ".key"); }
    std::string pub(const std::string& name) const { return key(name) + ".pub"; }
    const std::string& tree() const { return nginx.tree(); }
    std::string channel_path(const std::string& name) const { return tree() + "/channels/mygame/stable/" + name; }

    // Runs the program at the owner's time.
    Outcome try_owner(const Arguments& words) const {
        return run(words, {.variables = {{"SOURCE_DATE_EPOCH", std::to_string(now_.seconds)}}});
    }
    std::string owner(const Arguments& words) const {
        const Outcome outcome = try_owner(words);
        CAPTURE(outcome.err);
        REQUIRE(outcome.exit_code == 0);
        return outcome.out;
    }
    void sign_text(const std::string& file, const std::vector<std::string>& keys) const {
        for (const std::string& name : keys)
            owner({"channel", "sign", scratch.path(file), "--key", key(name)});
    }

    // A published bundle `name` with one file, which says the version. Returns its id.
    std::string bundle(const std::string& name, const std::string& version,
                       const std::string& author = "author") const {
        const std::string folder = "assets-" + name + version;
        scratch.write(folder + "/" + name + ".txt", name + " " + version + "\n");
        const std::string file = scratch.path(name + version + ".fardel");
        run_well({"pack", scratch.path(folder), "-o", file, "--name", name, "--version", version});
        sign(file, key(author), "author");
        run_well({"publish", file, tree()});
        return run_well({"id", file}).substr(0, 64);
    }
    Outcome try_release(Arguments words, const std::string& with = "rel") const {
        words.insert(words.begin(), {"channel", "release"});
        words.insert(words.end(), {tree(), "--channel", "mygame/stable", "--key", key(with)});
        return try_owner(words);
    }
    void release(const Arguments& words) const {
        const Outcome outcome = try_release(words);
        CAPTURE(outcome.err);
        REQUIRE(outcome.exit_code == 0);
    }
    void head(const Arguments& more = {}, const std::string& with = "head") const {
        Arguments words{"channel", "head", tree(), "--channel", "mygame/stable", "--key", key(with)};
        words.insert(words.end(), more.begin(), more.end());
        owner(words);
    }
    // What whoever holds a key could write: the text of the tree without its signatures, changed, and signed.
    std::string forge(const std::string& path, const std::string& from, const std::string& to,
                      const std::vector<std::string>& keys) const {
        std::string body = read_file(path);
        body.resize(body.find("signature "));
        const auto at = body.find(from);
        REQUIRE(at != std::string::npos);
        body.replace(at, from.size(), to);
        scratch.write("forged", body);
        sign_text("forged", keys);
        return scratch.read("forged");
    }
    std::string head_file() const { return read_file(channel_path("head")); }
    std::string release_path() const {
        const std::string head = head_file();
        const auto at = head.find("\nrelease ");
        const std::string line = head.substr(at + 1, head.find('\n', at + 1) - at - 1);
        return channel_path("release/" + line.substr(line.rfind(' ') + 1));
    }
    // What a server does, whatever its owner wants.
    void serve(const std::string& path, const std::string& content) const {
        std::filesystem::remove(path);
        write_file(path, content);
    }

    const ScratchFolder scratch;
    const Nginx nginx{scratch, "nginx", "delivery.md", "/srv/www/mygame"};

private:
    UnixTime now_;
};

// Somebody who follows the channel.
class ChannelPlayer {
public:
    ChannelPlayer(const ChannelOwner& owner, const std::string& name)
        : owner_(owner), store(owner.scratch.path(name + "-store")), state(owner.scratch.path(name + "-state")) {}

    Surroundings surroundings() const { return {.variables = {{"XDG_STATE_HOME", state}}}; }
    Arguments fetch_words(const Arguments& more = {}) const {
        Arguments words{"fetch",  "--channel",        "mygame/stable", "--root", owner_.scratch.path("1.root"),
                        "--from", owner_.nginx.url(), "--store",       store};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    Outcome fetch(const Arguments& more = {}) const { return run(fetch_words(more), surroundings()); }
    nlohmann::json fetch_well(Arguments more = {}) const {
        more.push_back("--json");
        const Outcome outcome = fetch(more);
        CAPTURE(outcome.err);
        REQUIRE(outcome.exit_code == 0);
        return nlohmann::json::parse(outcome.out);
    }
    // The error code of an update that must fail; the exit status is not 0.
    std::string refusal() const { return refusal_of(fetch()); }
    static std::string refusal_of(const Outcome& outcome) {
        CHECK(outcome.exit_code != 0);
        const auto at = outcome.err.rfind('[');
        return at == std::string::npos ? outcome.err : outcome.err.substr(at + 1, outcome.err.rfind(']') - at - 1);
    }
    bool has(const std::string& bundle) const {
        const Outcome listed = run({"store", "ls", "--store", store, "--json"});
        return listed.out.find(bundle) != std::string::npos;
    }

private:
    const ChannelOwner& owner_;

public:
    const std::string store;
    const std::string state;
};

// For TEST_CASE_FIXTURE.
struct OwnerAndPlayer {
    const ChannelOwner owner;
    const ChannelPlayer player{owner, "ann"};
};

}  // namespace fardel::tests
