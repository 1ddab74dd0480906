// The pages of a registry: their texts, and what people see of them in a browser.
#include "wire_registry.h"

#include "kit/browser.h"
#include "kit/nginx.h"
#include "registry/pages.h"

#include <fardel/delivery/tree_paths.h>
#include <fardel/format/envelope.h>

namespace fardel::tests::registry_pages_test {

TEST_CASE("registry pages: the audit says where references lead, in escaped text, and comes back byte for byte") {
    WireRegistry site;
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
        entry.accepted = kNow;
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

// A bundle of that name, as its author signed and the registry countersigned it.
std::string countersigned_map(const std::string& name, Signer& author, Signer& registry) {
    BundlePlan plan;
    add(plan, name + ".txt", name);
    plan.metadata = {{"name", name}, {"version", std::string("1")}, {"licence", std::string("CC0-1.0")}};
    const std::string file = signed_by(author, written(plan));
    const auto bundle = open_bundle(bytes_of(file));
    const Envelope envelope =
        value_of(countersign(bundle->envelopes().front(),
                             {.role = SignerRole::registry, .comment = {}, .epoch = 0, .created = kNow}, registry));
    return file + text_of(value_of(encode_envelope(envelope)));
}

TEST_CASE("registry pages: names beyond the first page are found in a browser, with scripts and without") {
    WireRegistry site;
    const auto author = make_key_signer(SecretKey::generate());
    const RegistrySigners signers = site.new_signers();
    BundleId recalled;
    std::filesystem::create_directory(site.tree + "/bundles");
    for (std::size_t i = 0; i < kNamesPerPage + 2; ++i) {  // brought as a kill leaves them: the next start releases all
        const std::string name = "maps/m" + std::to_string(10'000 + i);
        const std::string file = countersigned_map(name, *author, *signers.registry);
        const BundleId id = bundle_id_of(bytes_of(file));
        write_file(site.tree + "/" + tree_path_of(id), file);
        if (i == kNamesPerPage)
            recalled = id;
    }
    site.restart();
    REQUIRE(value_of(site.registry->recall(recalled, "it crashes", nullptr)).outcome == RegistryOutcome::recalled);
    const Nginx nginx(site.scratch, "front",
                      Nginx::Site{"server { listen 8080; root " + site.tree +
                                  "; types { text/html html; application/json json; } }\n"});
    const Nginx no_scripts(site.scratch, "scriptless",
                           Nginx::Site{"server { listen 8080; root " + site.tree +
                                       "; types { text/html html; } add_header Content-Security-Policy \"script-src "
                                       "'none'\"; }\n"});
    // Without scripts: all names, by links from page to page.
    const std::string first = browse(site.scratch, no_scripts.url() + "/#search=m11001");
    CHECK(count_texts(first, "<tr><td>") == kNamesPerPage);
    check_has(first, "href=\"pages/2.html\"");
    CHECK(row_of(first, "maps/m11001").empty());
    const std::string second = browse(site.scratch, no_scripts.url() + "/pages/2.html");
    CHECK(count_texts(second, "<tr><td>") == 2);
    check_has(row_of(second, "maps/m11001"), "href=\"../names/maps/m11001.html\"");
    check_has(row_of(second, "maps/m11000"), "recalled");
    check_has(second, "href=\"../index.html\"");
    // With scripts: a search finds names of each page, and a recalled bundle is shown as such.
    const std::string found = browse(site.scratch, nginx.url() + "/#search=m11001");
    CHECK(count_texts(found, "<tr><td>") == 1);
    check_has(row_of(found, "maps/m11001"), "href=\"names/maps/m11001.html\"");
    check_has(row_of(found, "maps/m11001"), "CC0-1.0");
    const std::string back = browse(site.scratch, nginx.url() + "/pages/2.html#search=m10003%20cc0");
    CHECK(count_texts(back, "<tr><td>") == 1);
    check_has(row_of(back, "maps/m10003"), "href=\"../names/maps/m10003.html\"");
    const std::string gone = browse(site.scratch, site.http_url() + "/#search=m11000");
    check_has(row_of(gone, "maps/m11000"), "<span class=\"recalled\">recalled</span>");
    const std::string many = browse(site.scratch, nginx.url() + "/#search=maps");
    CHECK(count_texts(many, "<tr><td>") == 201);
    check_has(many, "and 802 more");
}

}  // namespace fardel::tests::registry_pages_test
