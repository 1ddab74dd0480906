// A registry on the wire: what is sent without a key, with another key, damaged, or under another bundle's path.
#include "served_bundle.h"

#include "kit/files.h"
#include "kit/opened_bundle.h"
#include "kit/raw_connection.h"
#include "kit/text.h"
#include "registry/pages.h"

#include <fardel/delivery/channel_tree.h>
#include <fardel/delivery/publish.h>
#include <fardel/delivery/registry.h>
#include <fardel/delivery/registry_request.h>
#include <fardel/delivery/server.h>
#include <fardel/format/bundle.h>
#include <fardel/format/channel.h>
#include <fardel/verifier/verify_bundle.h>

#include <doctest/doctest.h>

#include <array>
#include <filesystem>

namespace fardel {
namespace {

using namespace fardel::tests;

constexpr std::uint64_t kNow = 1'800'000'000;
const std::string kUrl = "http://hub.test";

void require_good(const Status& status) { REQUIRE_MESSAGE(status, (status ? "" : status.error().text())); }

// The signed root of a channel whose bundles need a registry's signature.
std::string root_text(Signer& root, const Signer& registry, const Signer& release, const Signer& head) {
    ChannelRoot made;
    made.channel = "hub/stable";
    made.created_s = kNow - 10;
    made.expires_s = kNow + 1'000'000;
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

struct WireSite {
    WireSite() {
        const auto root = make_key_signer(SecretKey::generate());
        const RegistrySigners signers = new_signers();
        std::filesystem::create_directories(tree);
        RegistryRules rules{.urls = {kUrl}, .channel = "hub/stable"};
        rules.open = {"**"};
        write_file(tree + "/registry.rules", format_registry_rules(rules));
        const auto target = make_folder_target(tree);
        require_good(
            publish_channel_root(*target, root_text(*root, *signers.registry, *signers.release, *signers.head), kNow));
        restart();
    }

    RegistrySigners new_signers() const {
        RegistrySigners signers;
        signers.registry = make_key_signer(SecretKey::from_seed(keys[0].seed()));
        signers.release = make_key_signer(SecretKey::from_seed(keys[1].seed()));
        signers.head = make_key_signer(SecretKey::from_seed(keys[2].seed()));
        return signers;
    }

    void restart() {
        server.reset();
        registry = value_of(Registry::open({.folder = tree, .signers = new_signers(), .now_s = [] { return kNow; }}));
        ServerOptions served;
        served.tree = tree;
        served.registry = registry.get();
        served.addresses = {value_of(parse_listen_address("127.0.0.1:0"))};
        server = value_of(Server::start(std::move(served)));
    }

    int port() const { return server->addresses().front().port; }

    int send(const std::string& method, const std::string& target, const std::string& authorization,
             const std::string& body) const {
        RawConnection client(port());
        static_cast<void>(client.send(method + " " + target + " HTTP/1.1\r\nHost: h\r\n" +
                                      (authorization.empty() ? "" : "Authorization: " + authorization + "\r\n") +
                                      "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body));
        return client.read_answer().status;
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

    const ScratchFolder scratch;
    const std::string tree = scratch.path("tree");
    const std::array<SecretKey, 3> keys{SecretKey::generate(), SecretKey::generate(), SecretKey::generate()};
    std::unique_ptr<Registry> registry;
    std::unique_ptr<Server> server;
};

// A bundle "maps/dm" with one asset, of that version.
Bytes map_version(std::string_view version) {
    BundlePlan plan;
    add(plan, "readme.txt", version);
    add(plan, "maps/dm.bsp", random_text(1, 300'000), "application/octet-stream");
    plan.metadata = {{"name", std::string("maps/dm")}, {"version", std::string(version)}};
    return written(plan);
}

std::string text_in(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// The bundle with its author's statement.
std::string signed_by(Signer& author, const Bytes& bytes) {
    const auto source = make_memory_source(bytes);
    const auto bundle = value_of(Bundle::open(source, {}));
    Statement statement;
    statement.bundle = bundle->id();
    statement.layouts = {bundle->layout_id()};
    const VerifyReport report = value_of(verify_bundle(source, {}));
    statement.manifest_bytes = report.manifest_bytes;
    statement.raw_bytes = report.raw_bytes;
    statement.stored_bytes = report.stored_bytes;
    statement.name = std::string(value_of(bundle->find_bundle_text("name")).value_or(""));
    statement.version = std::string(value_of(bundle->find_bundle_text("version")).value_or(""));
    statement.created_s = kNow;
    const Bytes end = value_of(encode_envelope(value_of(sign_statement(statement, author))));
    return text_in(bytes) + text_in(end);
}

TEST_CASE("registry: without the author's signature of this very request, nothing is received") {  // A79
    const WireSite site;
    const auto author = make_key_signer(SecretKey::generate());
    const Bytes bytes = map_version("1");
    const BundleId id = bundle_id_of(bytes);
    const std::string file = signed_by(*author, bytes);
    const std::string path = "/" + tree_path_of(id);
    const std::string good = site.authorize(RegistryAction::upload, id, *author);
    CHECK(site.send("PUT", path, "", file) == 401);
    CHECK(site.send("PUT", path, "Bearer correct-horse-battery-staple", file) == 401);
    CHECK(site.send("PUT", path, site.authorize(RegistryAction::recall, id, *author), file) == 401);
    const BundleId other = bundle_id_of(map_version("2"));
    CHECK(site.send("PUT", "/" + tree_path_of(other), good, file) == 401);  // another bundle's path
    CHECK(site.send("PUT", "/" + tree_path_of(other), site.authorize(RegistryAction::upload, other, *author), file) ==
          422);
    CHECK(site.send("PUT", "/registry.rules", good, file) == 401);
    CHECK(site.send("PUT", "/index.html", good, file) == 401);
    CHECK(site.send("DELETE", path, good, "") == 405);
    CHECK(site.bundles() == 0);
    CHECK(site.send("PUT", path, good, file) == 201);
    CHECK(site.send("PUT", path, good, file) == 200);  // recorded, and sent again: nothing changes
    const std::string recall = "/registry/recalls/" + id.hex();
    const auto thief = make_key_signer(SecretKey::generate());
    CHECK(site.send("POST", recall, "", "no") == 401);
    CHECK(site.send("POST", recall, good, "no") == 401);
    CHECK(site.send("POST", recall, site.authorize(RegistryAction::recall, id, *author, "yes"), "no") == 401);
    CHECK(site.send("POST", recall, site.authorize(RegistryAction::recall, id, *thief, "no"), "no") == 422);
    CHECK(site.send("POST", recall, site.authorize(RegistryAction::recall, id, *author, std::string(129, 'x')),
                    std::string(129, 'x')) == 413);
    CHECK(site.send("POST", recall, site.authorize(RegistryAction::recall, id, *author, "no"), "no") == 200);
    CHECK(site.send("PUT", path, good, file) == 422);  // recalled
}

TEST_CASE("registry: a wrong block list, layout or byte is refused, and leaves nothing") {  // A58
    const WireSite site;
    const auto author = make_key_signer(SecretKey::generate());
    const Bytes bytes = map_version("1");
    const BundleId id = bundle_id_of(bytes);
    const std::string file = signed_by(*author, bytes);
    const std::string path = "/" + tree_path_of(id);
    const std::string header = site.authorize(RegistryAction::upload, id, *author);
    // In the layout head (another layout), in the tables, in blocks, in the statement.
    for (std::size_t at :
         {std::size_t{4096 + 200}, std::size_t{8192 + 1}, bytes.size() / 2, bytes.size() - 1, file.size() - 20}) {
        CAPTURE(at);
        std::string wrong = file;
        wrong[at] = static_cast<char>(wrong[at] ^ 1);
        CHECK(site.send("PUT", path, header, wrong) == 422);
    }
    CHECK(site.send("PUT", path, header, text_in(bytes)) == 422);  // unsigned
    CHECK(site.send("PUT", path, header, file.substr(0, file.size() - 8)) == 422);
    CHECK(site.send("PUT", path, header, file + std::string(8, '\0')) == 422);
    CHECK(site.bundles() == 0);
    CHECK(site.send("PUT", path, header, file) == 201);
}

TEST_CASE("registry: paths of pages are spelled in one way, and lead nowhere else") {
    const WireSite site;
    write_file(site.tree + "/secret.html", "secret");
    write_file(site.tree + "/head.key", "secret");
    std::filesystem::create_symlink("/etc/passwd", site.tree + "/names.html");
    for (const char* const found : {"/", "/index.html", "/registry.json", "/registry.rules"})
        CHECK(site.send("GET", found, "", "") == 200);
    for (const char* const hidden : {"/secret.html", "/head.key", "/names.html", "/names/../secret.html",
                                     "/names/%2e%2e/secret.html", "//index.html", "/INDEX.html",
                                     "/.fardel-registry.lock", "/names/", "/bundles/../secret.html", "/index.html?x"})
        CHECK(site.send("GET", hidden, "", "") == 404);
}

TEST_CASE("registry: a bundle whose tables repeat one text too often is accepted, and keeps nobody else out") {  // A127
    WireSite site;
    const auto author = make_key_signer(SecretKey::generate());
    BundlePlan plan;
    add(plan, "maps/dm/0.txt", "0");
    for (unsigned i = 1; i < 1200; ++i) {
        const std::uint32_t asset = add(plan, "maps/dm/" + std::to_string(i) + ".txt", std::to_string(i));
        plan.assets[asset].references.push_back(
            {.spelling = std::string(65'000, 'x'), .target = PlannedReference::Internal{0}});
    }
    plan.metadata = {{"name", std::string("maps/dm")}, {"version", std::string("1")}};
    const Bytes bytes = written(plan);
    CHECK(bytes.size() < 1'000'000);
    const BundleId id = bundle_id_of(bytes);
    CHECK(site.send("PUT", "/" + tree_path_of(id), site.authorize(RegistryAction::upload, id, *author),
                    signed_by(*author, bytes)) == 201);
    check_has(read_file(site.tree + "/bundles/" + id.hex() + ".html"), "too often to be shown");
    std::filesystem::remove(site.tree + "/bundles/" + id.hex() + ".html");
    site.restart();
    CHECK(std::filesystem::exists(site.tree + "/bundles/" + id.hex() + ".html"));
}

TEST_CASE("registry pages: the audit says where references lead, in escaped text, and comes back byte for byte") {
    WireSite site;
    const auto author = make_key_signer(SecretKey::generate());
    const auto send = [&](const BundlePlan& plan) {
        const Bytes bytes = written(plan);
        const BundleId id = bundle_id_of(bytes);
        CHECK(site.send("PUT", "/" + tree_path_of(id), site.authorize(RegistryAction::upload, id, *author),
                        signed_by(*author, bytes)) == 201);
        return id;
    };
    BundlePlan base;
    add(base, "gfx/logo.tga", "logo");
    base.metadata = {{"name", std::string("core/base")}, {"version", std::string("1")}};
    const BundleId base_id = send(base);
    BundlePlan plan;
    const auto map = add(plan, "maps/dm.bsp", "map");
    add(plan, "maps/old.txt", "old");
    plan.names[1].published = false;
    plan.dependencies = {{.bundle = base_id, .name = "base", .version = "1"}};
    plan.assets[map].references = {
        {.spelling = "logo", .target = PlannedReference::Dynamic{"gfx/logo.tga"}},
        {.spelling = "wind", .target = PlannedReference::Dynamic{"sound/wind & rain.ogg"}},
        {.spelling = "<img src=x onerror=alert(1)>\u202e", .target = PlannedReference::Foreign{AssetId(), 0}}};
    plan.metadata = {{"name", std::string("maps/dm")}, {"version", std::string("1")}};
    const BundleId id = send(plan);
    const std::string path = site.tree + "/bundles/" + id.hex() + ".html";
    const std::string page = read_file(path);
    for (const char* const part :
         {"References of its assets: 3, of which 0 lead to its own assets, 1 into its static dependencies, and 2",
          "other bundles must (1)", "<code>sound/wind &amp; rain.ogg</code> for <code>maps/dm.bsp</code>",
          "that its dependencies do not have (1)", "refers to <code>&lt;img src=x onerror=alert(1)&gt;",
          "not published, and that nothing published refers to (1, 3 B)", "<code>maps/old.txt</code>"})
        check_has(page, part);
    for (const char* const part : {"<img", "\u202e", "<code>gfx/logo.tga</code>", "has not read"})
        CHECK(page.find(part) == std::string::npos);
    std::filesystem::remove(path);
    site.restart();
    CHECK(read_file(path) == page);
    // A dependency that is gone is named.
    std::filesystem::remove(site.tree + "/" + tree_path_of(base_id));
    std::filesystem::remove(path);
    site.restart();
    check_has(read_file(path), "the audit has not read (1)");
}

TEST_CASE("registry pages: more than a thousand names are several pages, and one list for programs") {
    RegistryState state;
    state.rules = {.urls = {kUrl}, .channel = "hub/stable"};
    for (unsigned i = 0; i < 2500; ++i) {
        CatalogueEntry entry;
        entry.bundle.bytes[0] = static_cast<std::uint8_t>(i);
        entry.bundle.bytes[1] = static_cast<std::uint8_t>(i >> 8);
        entry.name = "maps/m" + std::to_string(i);
        entry.version = "1.0";
        entry.accepted_s = kNow;
        state.catalogue.add(entry);
    }
    const auto pages = overview_pages(state);
    REQUIRE(pages.size() == 4);
    std::size_t rows = 0;
    for (const auto& [path, text] : pages) {
        std::size_t count = 0;
        for (auto at = text.find("<tr><td>"); at != std::string::npos; at = text.find("<tr><td>", at + 1))
            ++count;
        CHECK(count <= kNamesPerPage);
        rows += count;
    }
    CHECK(rows == 2500);
    CHECK(pages.at("registry.json").find("maps/m2499") != std::string::npos);
    CHECK(pages.at("index.html").find("href=\"pages/3.html\"") != std::string::npos);
    CHECK(overview_pages(state) == pages);
}

}  // namespace
}  // namespace fardel
