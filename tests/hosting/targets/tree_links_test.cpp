// Trees and registries in folders that other users may write to, too.
#include "kit/bytes.h"
#include "kit/files.h"
#include "kit/foreign_link.h"
#include "kit/ids.h"

#include "registry/registry_folder.h"

#include <fardel/hosting/tree_target.h>

#include <sys/stat.h>

namespace fardel::tests::tree_links_test {
namespace {

namespace fs = std::filesystem;

fs::perms mode_of(const std::string& path) { return fs::status(path).permissions(); }

}  // namespace

TEST_CASE("tree links: a folder that another user has replaced by a link is neither read nor written to") {  // A141
    if (!can_make_foreign_links())
        return;
    const ScratchFolder scratch;
    scratch.write("outside/a.txt", "mine");
    fs::create_directory(scratch.path("outside/folder"));
    fs::create_directory(scratch.path("tree"));
    make_foreign_link(scratch.path("outside"), scratch.path("tree/bundles"));
    const auto target = make_folder_target(scratch.path("tree"));
    const auto bytes = make_memory_source(bytes_of("new"));
    CHECK(code_of(target->put("bundles/new.txt", *bytes, {})) == ErrorCode::malformed);
    CHECK(code_of(target->put("bundles/folder/new.txt", *bytes, {})) == ErrorCode::malformed);
    CHECK(code_of(target->open("bundles/a.txt")) == ErrorCode::malformed);
    CHECK(code_of(target->find_head("bundles/a.txt")) == ErrorCode::malformed);
    CHECK(code_of(target->replace_head("bundles/a.txt", bytes_of("new"), "")) == ErrorCode::malformed);
    CHECK(code_of(target->list("bundles")) == ErrorCode::malformed);
    CHECK(code_of(target->list_below("bundles")) == ErrorCode::malformed);
    CHECK(code_of(target->remove("bundles/a.txt")) == ErrorCode::malformed);
    CHECK_FALSE(write_tree_page(scratch.path("tree"), "bundles/page.html", "new"));
    CHECK(scratch.read("outside/a.txt") == "mine");
    CHECK(fs::is_empty(scratch.path("outside/folder")));
    CHECK(std::distance(fs::directory_iterator(scratch.path("outside")), fs::directory_iterator()) == 2);
}

TEST_CASE("tree links: a folder that the owner of the tree has moved with a link is used as before") {
    const ScratchFolder scratch;
    fs::create_directory(scratch.path("disk"));
    fs::create_directory(scratch.path("tree"));
    fs::create_directory_symlink("../disk", scratch.path("tree/bundles"));
    const auto target = make_folder_target(scratch.path("tree"));
    REQUIRE(target->put("bundles/a/b.txt", *make_memory_source(bytes_of("new")), {}));
    CHECK(scratch.read("disk/a/b.txt") == "new");
    CHECK(value_of(target->list_below("bundles")).size() == 1);
    CHECK(value_of(target->remove("bundles/a/b.txt")));
}

TEST_CASE("tree links: who may only read a tree or a registry cannot open its lock") {  // A148
    const ScratchFolder scratch;
    fs::create_directory(scratch.path("tree"));
    const auto target = make_folder_target(scratch.path("tree"));
    scratch.write("tree/.fardel-registry.lock", "");
    REQUIRE(::chmod(scratch.path("tree/.fardel-registry.lock").c_str(), 0644) == 0);  // as earlier versions left it
    REQUIRE(target->replace_head("channels/stable/head", bytes_of("head"), ""));
    const RegistryFolder registry(scratch.path("tree"));
    REQUIRE(registry.lock());
    constexpr fs::perms kOwner = fs::perms::owner_read | fs::perms::owner_write;
    CHECK(mode_of(scratch.path("tree/.fardel-tree.lock")) == kOwner);
    CHECK(mode_of(scratch.path("tree/.fardel-registry.lock")) == kOwner);
}

}  // namespace fardel::tests::tree_links_test
