// A registry on the wire, and bundles for it.
#pragma once

#include "delivery/served_bundle.h"

#include "kit/bundles.h"
#include "kit/bytes.h"
#include "kit/disks.h"
#include "kit/files.h"
#include "kit/raw_connection.h"

#include <fardel/format/bundle.h>
#include <fardel/format/channel.h>
#include <fardel/hosting/channel_tree.h>
#include <fardel/hosting/publish.h>
#include <fardel/hosting/registry.h>
#include <fardel/hosting/registry_request.h>
#include <fardel/hosting/server.h>
#include <fardel/verifier/verify_bundle.h>

#include <array>

namespace fardel::tests {

inline constexpr UnixTime kNow{1'800'000'000};
inline const std::string kUrl = "http://hub.test";

// The signed root of a channel whose bundles need a registry's signature.
inline std::string root_text(Signer& root, const Signer& registry, const Signer& release, const Signer& head) {
    ChannelRoot made;
    made.channel = "hub/stable";
    made.created = kNow - 10;
    made.expires = kNow + 1'000'000;
    made.trust.keys = {{"head", head.public_key()},
                       {"registry", registry.public_key()},
                       {"release", release.public_key()},
                       {"root", root.public_key()}};
    made.root.labels = {"root"};
    made.release.labels = {"release"};
    made.head.labels = {"head"};
    AllowRule rule;
    rule.pattern = "**";
    rule.roles = {{.role = SignerRole::registry, .threshold = 1, .labels = {"registry"}}};
    rule.publish = {"**"};
    made.trust.allow = {rule};
    SignedText text{.body = value_of(format_channel_root(made)), .signatures = {}};
    require_good(sign_text(ChannelText::root, text, root));
    return format_signed_text(text);
}

// The folder of a registry, with its keys, whose names are open to everybody.
struct FolderRegistry {
    FolderRegistry() {
        const auto root = make_key_signer(SecretKey::generate());
        const RegistrySigners signers = new_signers();
        std::filesystem::create_directories(tree);
        RegistryRules rules{.urls = {kUrl}, .channel = "hub/stable"};
        rules.open = {"**"};
        write_file(tree + "/registry.rules", format_registry_rules(rules));
        const auto target = make_folder_target(tree);
        require_good(
            publish_channel_root(*target, root_text(*root, *signers.registry, *signers.release, *signers.head), kNow));
        open();
    }

    RegistrySigners new_signers() const {
        RegistrySigners signers;
        signers.registry = make_key_signer(SecretKey::from_seed(keys[0].seed()));
        signers.release = make_key_signer(SecretKey::from_seed(keys[1].seed()));
        signers.head = make_key_signer(SecretKey::from_seed(keys[2].seed()));
        return signers;
    }

    void open() { open_with(new_signers()); }
    void open_with(RegistrySigners signers) {
        registry =
            value_of(Registry::open({.folder = tree, .signers = std::move(signers), .now = [] { return kNow; }}));
    }

    const ScratchFolder scratch;
    const SmallDisk disk{scratch, "256m"};  // syncing is quick there; any other disk will do
    const std::string tree = disk.path("tree");
    const std::array<SecretKey, 3> keys{SecretKey::generate(), SecretKey::generate(), SecretKey::generate()};
    std::unique_ptr<Registry> registry;
};

// The same with a server on loopback, in this process.
struct WireRegistry : FolderRegistry {
    WireRegistry() { serve(); }

    void restart() {
        server.reset();
        open();
        serve();
    }

    void serve() {
        ServerOptions served;
        served.tree = tree;
        served.registry = registry.get();
        served.addresses = {value_of(parse_listen_address("127.0.0.1:0"))};
        server = value_of(Server::start(std::move(served)));
    }

    std::string http_url() const { return "http://127.0.0.1:" + std::to_string(port()); }
    int port() const { return server->addresses().front().port; }

    RawConnection::Answer ask(const std::string& method, const std::string& target, const std::string& authorization,
                              const std::string& body = {}, const std::string& more_headers = {}) const {
        RawConnection client(port());
        static_cast<void>(client.send(method + " " + target + " HTTP/1.1\r\nHost: h\r\n" + more_headers +
                                      (authorization.empty() ? "" : "Authorization: " + authorization + "\r\n") +
                                      "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body));
        return client.read_answer(method != "HEAD");
    }
    // What it came to, also if that takes long.
    int send(const std::string& method, const std::string& target, const std::string& authorization,
             const std::string& body) const {
        RawConnection::Answer answer = ask(method, target, authorization, body);
        const std::string location = answer.field("location");
        wait_until(
            [&] {
                if (answer.status == 202)
                    answer = ask("GET", location, authorization);
                return answer.status != 202;
            },
            std::chrono::seconds(100));
        return answer.status;
    }

    std::string authorize(RegistryAction action, const BundleId& bundle, Signer& signer,
                          const std::string& reason = "") const {
        return value_of(sign_registry_request(
            {.action = action, .url = kUrl, .channel = "hub/stable", .bundle = bundle, .reason = reason}, kNow,
            signer));
    }

    std::size_t bundles() const {
        std::size_t count = 0;
        if (std::filesystem::exists(tree + "/bundles"))
            for (const auto& entry : std::filesystem::directory_iterator(tree + "/bundles"))
                count += entry.is_regular_file() ? 1 : 0;
        return count;
    }

    std::unique_ptr<Server> server;
};

// A bundle with one map, of that name and version.
inline Bytes map_named(const std::string& name, std::string_view version) {
    BundlePlan plan;
    add(plan, "readme.txt", version);
    add(plan, "maps/dm.bsp", random_text(1, 300'000), "application/octet-stream");
    plan.metadata = {{"name", name}, {"version", std::string(version)}};
    return written(plan);
}
inline Bytes map_version(std::string_view version) { return map_named("maps/dm", version); }

// The bundle with its author's statement.
inline std::string signed_by(Signer& author, const Bytes& bytes) {
    const auto source = make_memory_source(bytes);
    const auto bundle = value_of(Bundle::open(source, {}));
    Statement statement;
    statement.bundle = bundle->id();
    statement.layouts = {bundle->layout_id()};
    const VerifyReport report = value_of(verify_bundle(source, {}));
    statement.manifest_bytes = report.sizes.manifest_bytes;
    statement.raw_bytes = report.sizes.raw_bytes;
    statement.stored_bytes = report.sizes.stored_bytes;
    statement.name = std::string(value_of(bundle->find_bundle_text("name")).value_or(""));
    statement.version = std::string(value_of(bundle->find_bundle_text("version")).value_or(""));
    statement.created = kNow;
    const Bytes end = value_of(encode_envelope(value_of(sign_statement(statement, author))));
    return text_of(bytes) + text_of(end);
}

}  // namespace fardel::tests
