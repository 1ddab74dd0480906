#include "vfs/test_bundle.h"

#include <fardel/vfs/vfs.h>

namespace fardel::tests::conflicts_test {

std::vector<PathConflict> conflicts_of(const Vfs& vfs) { return value_of(vfs.conflicts()); }

TEST_CASE("conflicts: every hidden name is reported, with the hiding mount and whether it matters") {  // A15
    Vfs vfs;
    const MountId base =
        mount(vfs, BundleMaker().add("a", "base a").add("b", "b").add("c", "c").add("only", "x").write());
    const MountId mod = mount(vfs, BundleMaker().add("a", "mod a").add("b", "b").add_unpublished("only", "y").write());
    const MountId patch = mount(vfs, BundleMaker().add("a", "patch a").add_tombstone("c").write());

    const auto conflicts = conflicts_of(vfs);
    REQUIRE(conflicts.size() == 3);
    CHECK(conflicts[0].path == "/a");
    CHECK(conflicts[0].winner == ConflictSide{patch, id_of("patch a")});
    CHECK(conflicts[0].hidden == std::vector<ConflictSide>{{mod, id_of("mod a")}, {base, id_of("base a")}});
    CHECK_FALSE(conflicts[0].harmless());
    CHECK(conflicts[1].path == "/b");
    CHECK(conflicts[1].winner == ConflictSide{mod, id_of("b")});
    CHECK(conflicts[1].hidden == std::vector<ConflictSide>{{base, id_of("b")}});
    CHECK(conflicts[1].harmless());
    CHECK(conflicts[2].path == "/c");
    CHECK(conflicts[2].winner == ConflictSide{patch, std::nullopt});
    CHECK(conflicts[2].hidden == std::vector<ConflictSide>{{base, id_of("c")}});
    CHECK_FALSE(conflicts[2].harmless());
    for (const PathConflict& conflict : conflicts)  // compared with find()
        if (conflict.winner.asset)
            CHECK(vfs.open(conflict.path)->asset_id() == *conflict.winner.asset);
        else
            CHECK_FALSE(vfs.find(conflict.path)->has_value());

    REQUIRE(vfs.unmount(patch));
    REQUIRE(vfs.unmount(mod));
    CHECK(conflicts_of(vfs).empty());
}

TEST_CASE("conflicts: mount points and case rules apply as in find") {
    Vfs vfs;
    const MountId exact = mount(vfs, BundleMaker().add("Maps/One", "exact").write());
    MountOptions folding = unsigned_at("maps");
    folding.case_rule = CaseRule::fold;
    const MountId fold = mount(vfs, BundleMaker().add("one", "fold").write(), folding);
    const auto conflicts = conflicts_of(vfs);
    REQUIRE(conflicts.size() == 1);
    CHECK(conflicts[0].path == "/Maps/One");
    CHECK(conflicts[0].winner.mount == fold);
    CHECK(conflicts[0].hidden == std::vector<ConflictSide>{{exact, id_of("exact")}});
    CHECK(content_at(vfs, "/Maps/One") == "fold");
}

TEST_CASE("conflicts: with many mounts, in runs, nothing is left out; too many are an error") {
    Vfs vfs;
    for (int i = 0; i < 40; ++i)
        mount(vfs, BundleMaker().add("same", std::to_string(i)).add("own/" + std::to_string(i), "x").write());
    const auto conflicts = conflicts_of(vfs);
    REQUIRE(conflicts.size() == 1);
    CHECK(conflicts[0].winner.asset == id_of("39"));
    CHECK(conflicts[0].hidden.size() == 39);
    CHECK(conflicts[0].hidden.back().asset == id_of("0"));
    CHECK(outcome_of(vfs.conflicts(1)) == "ok");  // one conflict per name, however many mounts have it
    CHECK(outcome_of(vfs.conflicts(0)) == "limit");
}

}  // namespace fardel::tests::conflicts_test
