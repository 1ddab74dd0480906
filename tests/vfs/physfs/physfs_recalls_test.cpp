// Bundles that are recalled while PhysicsFS reads them.
#include "physfs_game.h"
#include "vfs/recalling_policy.h"
#include "vfs/test_bundle.h"

#include <fardel/vfs/physfs_archiver.h>
#include <physfs.h>

#include <array>

namespace fardel::tests::physfs_recalls_test {

TEST_CASE(
    "recalls: what PhysicsFS has open stays readable, and a name that is recalled is no other archive's") {  // A72
    const auto vfs = std::make_shared<Vfs>();
    mount(*vfs, BundleMaker().add("a.txt", "recalled").add("only", "recalled").title("mod").write(), labelled("mod"));
    const BundleId bundle = vfs->mounts().front().bundle;
    const auto behind = std::make_shared<Vfs>();
    mount(*behind, BundleMaker().add("a.txt", "behind").add("b.txt", "b").write());
    const PhysfsGame game;
    REQUIRE(mount_into_physfs(vfs, {.name = "front", .mount_point = "/"}));
    REQUIRE(mount_into_physfs(behind, {.name = "behind", .mount_point = "/"}));
    PHYSFS_File* const file = PHYSFS_openRead("a.txt");
    REQUIRE(file != nullptr);
    std::array<char, 8> bytes{};
    REQUIRE(PHYSFS_readBytes(file, bytes.data(), 2) == 2);

    REQUIRE(vfs->judge_again(recalling({{bundle, "crashes"}})));
    CHECK(PHYSFS_readBytes(file, bytes.data() + 2, 6) == 6);
    CHECK(std::string(bytes.begin(), bytes.end()) == "recalled");
    CHECK(PHYSFS_seek(file, 0) != 0);
    CHECK(PHYSFS_readBytes(file, bytes.data(), 8) == 8);
    CHECK(PHYSFS_close(file) != 0);
    CHECK(physfs_content("a.txt") == "<read: permission denied>");
    CHECK(physfs_content("only") == "<read: permission denied>");
    CHECK(physfs_content("b.txt") == "b");

    REQUIRE(vfs->judge_again(recalling({})));
    CHECK(physfs_content("a.txt") == "recalled");
}

}  // namespace fardel::tests::physfs_recalls_test
