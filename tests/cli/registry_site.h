// A registry with its keys, which a signer program holds, its server, and nginx in front of it, as docs/registry.md
// sets them up.
#pragma once

#include "sample.h"

#include "kit/nginx.h"

#include <nlohmann/json.hpp>

#include <csignal>

namespace fardel::tests {

class RegistrySite {
public:
    // `rules`: more options of `fardel registry init`.
    explicit RegistrySite(const Arguments& rules = {"--open", "maps/*", "--open", "mods/*"}) {
        for (const char* name : {"root", "registry", "release", "head", "alice", "bob", "studio"})
            make_key(scratch, name);
        signer = scratch.write("signer", "#!/bin/sh\nexec '" FARDEL_PROGRAM "' registry sign \"$1\" --key '" +
                                             scratch.path("") + "'\"$1\".key --channel hub/stable\n");
        std::filesystem::permissions(signer, std::filesystem::perms::owner_all);
        port = find_free_port();
        Arguments words = init_words(hub(), url(), "hub/stable", "1.root");
        words.insert(words.end(), {"--owner", "core=" + pub("studio")});
        words.insert(words.end(), rules.begin(), rules.end());
        run_well(words);
        run_well({"channel", "sign", scratch.path("1.root"), "--key", key("root")});
        run_well({"channel", "publish", scratch.path("1.root"), hub()});
    }

    // What makes a registry with the keys of this one, and writes its first root; without rules.
    Arguments init_words(const std::string& folder, const std::string& at, const std::string& channel,
                         const std::string& root) const {
        return {"registry",
                "init",
                folder,
                "--url",
                at,
                "--channel",
                channel,
                "--root",
                pub("root"),
                "--registry",
                pub("registry"),
                "--release",
                pub("release"),
                "--head",
                pub("head"),
                "-o",
                scratch.path(root)};
    }
    std::string hub() const { return scratch.path("hub"); }
    std::string url() const { return "http://127.0.0.1:" + std::to_string(port); }
    std::string key(const std::string& name) const { return scratch.path(name + ".key"); }
    std::string pub(const std::string& name) const { return key(name) + ".pub"; }
    std::string public_key(const std::string& name) const {
        const std::string text = read_file(pub(name));
        const auto at = text.find_last_of(" \n", text.size() - 2);
        return text.substr(at + 1, 64);
    }
    Arguments signing() const {
        return {"--registry-key", pub("registry"), "--release-key", pub("release"),
                "--head-key",     pub("head"),     "--signer",      signer};
    }

    Outcome try_start() const { return run(serve_words()); }
    void start(const Arguments& more = {}) {
        Arguments words = serve_words();
        words.insert(words.end(), more.begin(), more.end());
        server = std::make_unique<Running>(words);
        wait_until([&] { return server->output().find("serving") != std::string::npos; });
        REQUIRE(server->output().find("serving") != std::string::npos);
    }
    Outcome stop() {
        server->send(SIGTERM);
        const Outcome outcome = server->wait();
        server.reset();
        return outcome;
    }

    // A bundle with one file below `name`, which says the version; `metadata`: lines of TOML. Returns its path.
    std::string bundle(const std::string& name, const std::string& version, const std::string& author,
                       const std::string& metadata = "", const std::string& content = "") const {
        const std::string label = "b" + std::to_string(++bundles_);
        scratch.write(label + "/assets/" + name + "/readme.txt", name + " " + version + "\n" + content);
        scratch.write(label + "/fardel.toml", "name = \"x\"\nsources = [\"assets\"]\n[metadata]\n" + metadata);
        const std::string file = scratch.path(label + ".fardel");
        run_well({"pack", scratch.path(label + "/fardel.toml"), "-o", file, "--name", name, "--version", version});
        if (!author.empty())
            run_well({"sign", file, "--key", key(author), "--role", "author"});
        return file;
    }
    std::string id(const std::string& file) const { return run_well({"id", file}).substr(0, 64); }

    Outcome try_upload(const std::string& file, const std::string& author) const {
        return run({"publish", file, url(), "--key", key(author), "--json"});
    }
    nlohmann::json upload(const std::string& file, const std::string& author) const {
        const Outcome outcome = try_upload(file, author);
        CAPTURE(outcome.err);
        CAPTURE(outcome.out);
        REQUIRE(outcome.exit_code == 0);
        return nlohmann::json::parse(outcome.out)["answers"][0]["answer"];
    }
    // The reasons of a refusal, sorted.
    std::vector<std::string> reasons(const std::string& file, const std::string& author) const {
        const Outcome outcome = try_upload(file, author);
        CAPTURE(outcome.err);
        CHECK(outcome.exit_code == 1);
        const auto json = nlohmann::json::parse(outcome.out, nullptr, false);
        std::vector<std::string> found;
        if (json.is_object())
            for (const auto& one : json["answers"][0]["answer"]["refusals"])
                found.push_back(one["reason"].get<std::string>());
        std::ranges::sort(found);
        return found;
    }

    Outcome fetch(const Arguments& more = {}) const {
        Arguments words{"fetch", "--channel", "hub/stable",         "--root", scratch.path("1.root"), "--from",
                        url(),   "--store",   scratch.path("store")};
        words.insert(words.end(), more.begin(), more.end());
        return run(words, {.variables = {{"XDG_STATE_HOME", scratch.path("state")}}});
    }
    Outcome fsck() const { return run({"registry", "fsck", hub()}); }

    const ScratchFolder scratch;
    std::string signer;
    int port = 0;
    std::unique_ptr<Running> server;

private:
    Arguments serve_words() const {
        Arguments words{"serve", hub(), "--registry", "--listen", "127.0.0.1:" + std::to_string(port)};
        const Arguments keys = signing();
        words.insert(words.end(), keys.begin(), keys.end());
        return words;
    }
    mutable int bundles_ = 0;
};

}  // namespace fardel::tests
