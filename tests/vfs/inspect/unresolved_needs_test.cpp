#include "inspect/inspection.h"

#include "vfs/test_bundle.h"

#include <fardel/format/bundle.h>
#include <fardel/format/hash.h>

namespace fardel::tests::unresolved_needs_test {

std::vector<std::string> missing_names(const Vfs& vfs) {
    std::vector<std::string> out;
    const UnresolvedNeeds report = vfs.check_links().value();
    for (const UnresolvedName& missing : report.names)
        out.push_back(missing.name + (missing.pattern ? " (glob)" : "") + (missing.optional ? " (optional)" : ""));
    return out;
}

using Names = std::vector<std::string>;

TEST_CASE("unresolved needs: all consumed names and globs that no bundle publishes are reported at once") {
    BundleMaker maker;
    maker.add("maps/dm02", "map");
    maker.plan().consumes = {{.text = "sounds/bang"},
                             {.text = "maps/dm01"},
                             {.text = "skins/**", .pattern = true},
                             {.text = "maps/*", .pattern = true},
                             {.text = "music/*.ogg", .pattern = true, .optional = true}};
    Vfs vfs;
    mount(vfs, maker.write());
    mount(vfs, BundleMaker().add("maps/dm01", "map").write());
    CHECK(missing_names(vfs) == Names{"music/*.ogg (glob) (optional)", "skins/** (glob)", "sounds/bang"});
    CHECK_FALSE(vfs.check_links().value().complete());

    const MountId sounds = mount(vfs, BundleMaker().add("bang", "b").write(), unsigned_at("sounds"));
    CHECK(missing_names(vfs) == Names{"music/*.ogg (glob) (optional)", "skins/** (glob)"});
    mount(vfs, BundleMaker().add("skins/a/b/c", "s").write());
    CHECK(missing_names(vfs) == Names{"music/*.ogg (glob) (optional)"});
    CHECK(vfs.check_links().value().complete());
    REQUIRE(vfs.unmount(sounds));
    CHECK(missing_names(vfs).size() == 2);
}

TEST_CASE("unresolved needs: names that are hidden or not published satisfy no need") {
    BundleMaker maker;
    maker.add("x", "x");
    maker.plan().consumes = {{.text = "a"}, {.text = "b"}, {.text = "b*", .pattern = true}};
    Vfs vfs;
    mount(vfs, maker.write());
    mount(vfs, BundleMaker().add_unpublished("a", "own").add("b", "b").write());
    CHECK(missing_names(vfs) == Names{"a"});
    mount(vfs, BundleMaker().add_tombstone("b").write());
    CHECK(missing_names(vfs) == Names{"a", "b", "b* (glob)"});
}

TEST_CASE("unresolved needs: dependencies that are not mounted are reported, static ones make it incomplete") {
    const Bytes base = BundleMaker().add("base", "base").write();
    const BundleId base_id = Bundle::open(make_memory_source(base), {}).value()->id();
    BundleMaker maker;
    maker.add("x", "x");
    maker.plan().dependencies = {{.bundle = base_id, .name = "base", .version = "1.0"},
                                 {.bundle = id_from<BundleId>(blake3({})), .name = "extra", .is_static = false}};
    Vfs vfs;
    const MountId id = mount(vfs, maker.write());
    const UnresolvedNeeds report = vfs.check_links().value();
    REQUIRE(report.bundles.size() == 2);
    CHECK(report.bundles[0] ==
          UnresolvedBundle{.mount = id, .bundle = base_id, .name = "base", .version = "1.0", .is_static = true});
    CHECK_FALSE(report.bundles[1].is_static);
    CHECK_FALSE(report.complete());
    mount(vfs, base);
    CHECK(vfs.check_links().value().bundles.size() == 1);
    CHECK(vfs.check_links().value().complete());
}

TEST_CASE("unresolved needs: their number is bounded by the caller") {
    BundleMaker maker;
    maker.add("x", "x");
    for (int i = 0; i < 20; ++i)
        maker.plan().consumes.push_back({.text = "missing/" + std::to_string(i)});
    Vfs vfs;
    mount(vfs, maker.write());
    CHECK(vfs.check_links(20).value().names.size() == 20);
    CHECK(outcome_of(vfs.check_links(19)) == "limit");
}

}  // namespace fardel::tests::unresolved_needs_test
