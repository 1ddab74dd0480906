// A registry on the wire: what is sent without a key, with another key, damaged, or under another bundle's path.
#include "wire_registry.h"

#include "kit/text.h"

#include <doctest/doctest.h>

#include <filesystem>

namespace fardel {
namespace {

using namespace fardel::tests;

TEST_CASE("registry: without the author's signature of this very request, nothing is received") {  // A79
    const WireRegistry site;
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
    const WireRegistry site;
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
    const WireRegistry site;
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
    WireRegistry site;
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

}  // namespace
}  // namespace fardel
