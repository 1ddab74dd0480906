// Content classes through PhysicsFS; class_limit_test.cpp has C++. A137.
#include <fardel/vfs/physfs_archiver.h>

#include "kit/files.h"
#include "physfs_game.h"
#include "vfs/hostile_bundle.h"

#include <physfs.h>

namespace fardel::tests::physfs_classes_test {

TEST_CASE("class limit, PhysicsFS: pictures that are none open and give no byte, from bundles and from set files") {
    const ScratchFolder scratch;
    Author painter;
    const Bytes bundle = hostile_bundle(painter);
    const PhysfsGame game({.policy = limiting_policy(painter.key())});
    SUBCASE("a bundle") { REQUIRE(physfs_mount(scratch.write("x.fardel", bundle)) == "ok"); }
    SUBCASE("a set file") {
        scratch.write("x.fardel", bundle);
        REQUIRE(physfs_mount(scratch.write("x.set", "fardel-set 1\nx.fardel\n")) == "ok");
    }
    SUBCASE("a bundle in a folder that is mounted") {
        scratch.write("outer/x.fardel", bundle);
        REQUIRE(physfs_mount(scratch.path("outer")) == "ok");
        PHYSFS_File* const inner = PHYSFS_openRead("x.fardel");
        REQUIRE(inner != nullptr);
        REQUIRE(PHYSFS_mountHandle(inner, "x.fardel", nullptr, 1) != 0);
    }
    // Something behind it in the search path does not take the place of what is denied.
    for (const std::string& name : kHostileNames)
        scratch.write("behind/" + name, "from behind");
    REQUIRE(physfs_mount(scratch.path("behind")) == "ok");
    CHECK(physfs_content("good.tga") == kTarga);
    CHECK(physfs_content("note.txt") == "a note");
    for (const std::string& name : kHostileNames) {
        CAPTURE(name);
        CHECK(physfs_content(name).starts_with("<read: "));
    }
    CHECK(physfs_content("hidden.tga") == "<open: not found>");
}

TEST_CASE("class limit, PhysicsFS: a name of code refuses the mount, and the reason is reported") {
    const ScratchFolder scratch;
    Author painter;
    std::string reason;
    PhysfsArchiverOptions options{.policy = limiting_policy(painter.key())};
    options.on_refused = [&](std::string_view, const Error& error) { reason = error.text(); };
    const PhysfsGame game(std::move(options));
    CHECK(physfs_mount(scratch.write("x.fardel", bundle_with_qvm(painter))) != "ok");
    CHECK(reason.find("denied") != std::string::npos);
    CHECK(reason.find("vm/ui.qvm") != std::string::npos);
    CHECK(physfs_content("vm/ui.qvm") == "<open: not found>");
}

TEST_CASE("class limit, PhysicsFS: a Vfs that is mounted as a whole keeps the limits of its mounts") {
    Author painter;
    const TrustPolicy policy = limiting_policy(painter.key());
    const auto vfs = std::make_shared<Vfs>();
    REQUIRE(vfs->mount(make_memory_source(hostile_bundle(painter)), {.policy = &policy}));
    const PhysfsGame game;
    REQUIRE(mount_into_physfs(vfs, {.name = "the game"}));
    CHECK(physfs_content("good.tga") == kTarga);
    for (const std::string& name : kHostileNames)
        CHECK(physfs_content(name).starts_with("<read: "));
}

}  // namespace fardel::tests::physfs_classes_test
