#include "lookup/resolve.h"

#include "vfs/test_bundle.h"

#include <fardel/format/manifest.h>
#include <fardel/vfs/vfs.h>

namespace fardel::tests::resolve_test {

TEST_CASE("precedence: the higher priority wins, whatever the order") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("a", "high").write(), unsigned_at("", 5));
    mount(vfs, BundleMaker().add("a", "low").write(), unsigned_at("", -5));
    mount(vfs, BundleMaker().add("a", "middle").write());
    CHECK(content_at(vfs, "/a") == "high");
    REQUIRE(vfs.unmount(vfs.mounts().at(0).id));
    CHECK(content_at(vfs, "/a") == "middle");
    REQUIRE(vfs.unmount(vfs.mounts().at(0).id));
    CHECK(content_at(vfs, "/a") == "low");
}

TEST_CASE("precedence: of equal priorities the one mounted later wins") {
    Vfs vfs;
    const MountId first = mount(vfs, BundleMaker().add("a", "first").add("only first", "1").write());
    const MountId second = mount(vfs, BundleMaker().add("a", "second").write());
    CHECK(content_at(vfs, "/a") == "second");
    CHECK(content_at(vfs, "/only first") == "1");
    CHECK(vfs.mounts().at(0).id == second);
    CHECK(vfs.mounts().at(1).id == first);
}

TEST_CASE("mount point: names appear below it and nowhere else") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("readme", "mod").write(), unsigned_at("mods/x"));
    mount(vfs, BundleMaker().add("readme", "base").add("mods/y/readme", "other").write());
    CHECK(content_at(vfs, "/readme") == "base");
    CHECK(content_at(vfs, "/mods/x/readme") == "mod");
    CHECK(content_at(vfs, "/mods/y/readme") == "other");
    CHECK(outcome_of(vfs.open("/mods/xreadme")) == "missing");
    CHECK(outcome_of(vfs.open("/mods/x")) == "missing");
    CHECK(outcome_of(vfs.open("/x/readme")) == "missing");
}

TEST_CASE("mount point: precedence also holds between mounts at different mount points") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("mods/x/readme", "from the root").write(), unsigned_at("", 1));
    mount(vfs, BundleMaker().add("readme", "from the place").write(), unsigned_at("mods/x", 0));
    mount(vfs, BundleMaker().add("x/readme", "from between").write(), unsigned_at("mods", 2));
    CHECK(content_at(vfs, "/mods/x/readme") == "from between");
}

TEST_CASE("tombstone: hides the name below it, not above it") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("a", "bottom").add("b", "bottom").write(), unsigned_at("", 1));
    mount(vfs, BundleMaker().add_tombstone("a").write(), unsigned_at("", 2));
    CHECK(outcome_of(vfs.open("/a")) == "missing");
    CHECK(outcome_of(vfs.stat("/a")) == "missing");
    CHECK(content_at(vfs, "/b") == "bottom");
    mount(vfs, BundleMaker().add("a", "top").write(), unsigned_at("", 3));
    CHECK(content_at(vfs, "/a") == "top");
}

TEST_CASE("tombstone: the hidden bundle's own paths stay") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("a", "bottom").write(), unsigned_at("", 1));
    mount(vfs, BundleMaker().add_tombstone("a").write(), unsigned_at("", 2));
    const std::string above = vfs.mounts().at(0).bundle.hex();
    const std::string below = vfs.mounts().at(1).bundle.hex();
    CHECK(content_at(vfs, "/bundles/" + below + "/a") == "bottom");
    CHECK(content_at(vfs, "/assets/" + id_of("bottom").hex()) == "bottom");
    CHECK(outcome_of(vfs.open("/bundles/" + above + "/a")) == "missing");
}

TEST_CASE("names: an unpublished name is visible only in its own bundle") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("a", "published").write(), unsigned_at("", 1));
    mount(vfs, BundleMaker().add_unpublished("a", "own").write(), unsigned_at("", 2));
    CHECK(content_at(vfs, "/a") == "published");
    CHECK(content_at(vfs, "/bundles/" + vfs.mounts().at(0).bundle.hex() + "/a") == "own");
}

TEST_CASE("variants: the first variant is chosen") {
    Vfs vfs;
    mount(vfs, BundleMaker().add_variants("a", {"best", "good", "poor"}).write());
    CHECK(content_at(vfs, "/a") == "best");
    CHECK(vfs.read_link("/a").value() == "/assets/" + id_of("best").hex());
}

TEST_CASE("variants: a bundle that only extends a name does not provide it") {
    Vfs vfs;
    mount(vfs, BundleMaker().add_variants("a", {"hd"}, true).write(), unsigned_at("", 2));
    CHECK(outcome_of(vfs.open("/a")) == "missing");
    mount(vfs, BundleMaker().add("a", "base").write(), unsigned_at("", 1));
    CHECK(content_at(vfs, "/a") == "base");
}

TEST_CASE("case rule: fold matches any spelling, in that mount only") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("Maps/DM01.bsp", "folded").write(),
          {.case_rule = CaseRule::fold, .allow_unsigned = true});
    mount(vfs, BundleMaker().add("Readme", "exact").write());
    CHECK(content_at(vfs, "/Maps/DM01.bsp") == "folded");
    CHECK(content_at(vfs, "/maps/dm01.BSP") == "folded");
    CHECK(content_at(vfs, "/Readme") == "exact");
    CHECK(outcome_of(vfs.open("/README")) == "missing");
    CHECK(outcome_of(vfs.open("/bundles/" + vfs.mounts().at(1).bundle.hex() + "/maps/dm01.bsp")) == "missing");
}

TEST_CASE("case rule: a higher mount that folds hides other spellings below it") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("readme", "below").write(), unsigned_at("", 1));
    mount(vfs, BundleMaker().add("README", "above").write(),
          {.priority = 2, .case_rule = CaseRule::fold, .allow_unsigned = true});
    CHECK(content_at(vfs, "/readme") == "above");
    CHECK(listing_of(vfs, "/") == "README@ assets/ bundles/");
}

TEST_CASE("case rule: it also applies to the mount point") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("a", "folded").write(),
          {.mount_point = "Mods/X", .case_rule = CaseRule::fold, .allow_unsigned = true});
    mount(vfs, BundleMaker().add("a", "exact").write(), unsigned_at("Other"));
    CHECK(content_at(vfs, "/mods/x/A") == "folded");
    CHECK(outcome_of(vfs.open("/other/a")) == "missing");
    CHECK(outcome_of(vfs.open("/mods/a")) == "missing");
}

TEST_CASE("damage: a name whose bundle is damaged is an error, never another bundle's asset") {
    const std::string broken = noise_text(70'000, 1);
    const std::string whole = noise_text(70'000, 2);
    Author author;
    const Bytes good = BundleMaker().add("broken", broken).add("whole", whole).write();
    const Bytes damaged = damage_content(good, id_of(broken));
    for (const bool is_signed : {false, true}) {
        CAPTURE(is_signed);
        Vfs vfs;
        mount(vfs, BundleMaker().add("broken", "another asset").write());
        if (is_signed)
            mount(vfs, author.sign(damaged), {.priority = 1, .policy = &author.policy()});
        else
            mount(vfs, damaged, unsigned_at("", 1));

        const auto file = vfs.open("/broken");
        REQUIRE(file);
        CHECK(file->asset_id() == id_of(broken));
        CHECK(code_of(file->read_all()) == ErrorCode::corrupt);
        CHECK(content_at(vfs, "/whole") == whole);
    }
}

TEST_CASE("damage: below a mount with a damaged table, no mount is searched") {
    for (const TableKind table : {TableKind::name_buckets, TableKind::name_filters, TableKind::names}) {
        CAPTURE(table_name(table));
        Vfs vfs;
        mount(vfs, BundleMaker().add("a", "below").add("only below", "below").write());
        const MountId above =
            mount(vfs, damage_table(BundleMaker().add("a", "above").write(), table), unsigned_at("", 1));
        CHECK(outcome_of(vfs.find("/a")) == "corrupt");
        CHECK(outcome_of(vfs.open("/a")) == "corrupt");
        CHECK(outcome_of(vfs.stat("/a")) == "corrupt");
        CHECK(outcome_of(vfs.read_link("/a")) == "corrupt");
        REQUIRE(vfs.unmount(above));
        CHECK(content_at(vfs, "/a") == "below");
    }
}

TEST_CASE("damage: metadata that cannot be read does not hide a date: the bundle is not mounted") {  // A135
    BundleMaker maker;
    maker.add("a", "content").plan().metadata.push_back({.key = "expires", .value = std::int64_t{1'577'836'800}});
    for (const TableKind table : {TableKind::metadata, TableKind::strings}) {
        Vfs vfs;
        CHECK(outcome_of(vfs.mount(make_memory_source(damage_table(maker.write(), table)), unsigned_at())) ==
              "corrupt");
        MountOptions undated = unsigned_at();
        undated.time = TrustTime::ignored();  // a licence token may be required, too
        CHECK(outcome_of(vfs.mount(make_memory_source(damage_table(maker.write(), table)), undated)) == "corrupt");
    }
}

TEST_CASE("assets: a good copy serves when another bundle's is damaged") {
    const std::string content = noise_text(70'000, 3);
    const Bytes good = BundleMaker().add("a", content).write();
    const Bytes other = BundleMaker().add("b", content).write();
    Vfs vfs;
    mount(vfs, good);
    mount(vfs, damage_content(other, id_of(content)), unsigned_at("", 1));
    const std::string path = "/assets/" + id_of(content).hex();
    for (int round = 0; round < 2; ++round) {  // the second round uses the remembered verdict
        const auto file = vfs.open(path);
        REQUIRE(file);
        CHECK(file->bundle_id() == vfs.mounts().at(1).bundle);
        CHECK(content_at(vfs, path) == content);
    }
    REQUIRE(vfs.unmount(vfs.mounts().at(1).id));
    for (int round = 0; round < 2; ++round)
        CHECK(outcome_of(vfs.open(path)) == "corrupt");
}

TEST_CASE("assets: a bundle whose content differs from the id that it claims is skipped") {  // A58
    const std::string claimed = noise_text(600, 4);
    const std::string lie = noise_text(600, 5);
    Author liar;
    Author honest;
    // Signed with its layout, which changes nothing: bytes are compared with the manifest.
    const Bytes forged = liar.sign(forge_content(BundleMaker().add("liar", claimed).write(), claimed, lie));
    const Bytes good = honest.sign(BundleMaker().add("honest", claimed).write());
    const std::string path = "/assets/" + id_of(claimed).hex();

    Vfs vfs;
    mount(vfs, forged, {.priority = 1, .policy = &liar.policy()});
    CHECK(outcome_of(vfs.open("/liar").value().read_all()) == "corrupt");
    for (int round = 0; round < 2; ++round) {
        CHECK(code_of(vfs.open(path)) == ErrorCode::corrupt);
    }
    CHECK(outcome_of(vfs.stat(path)) == "missing");  // the content of the only bundle that has it differs from the id

    mount(vfs, good, {.policy = &honest.policy()});
    for (int round = 0; round < 2; ++round)
        CHECK(content_at(vfs, path) == claimed);
    CHECK(outcome_of(vfs.open("/liar").value().read_all()) == "corrupt");
    CHECK(outcome_of(vfs.stat(path)) == "ok");
}

TEST_CASE("assets: an unsigned bundle cannot serve false content, even by name") {  // A58
    const std::string claimed = noise_text(600, 4);
    const std::string lie = noise_text(600, 5);
    Vfs vfs;
    mount(vfs, forge_content(BundleMaker().add("liar", claimed).write(), claimed, lie));
    const auto file = vfs.open("/liar");
    REQUIRE(file);
    CHECK(outcome_of(file->read_all()) == "corrupt");
    CHECK(outcome_of(vfs.open("/assets/" + id_of(claimed).hex())) == "corrupt");
}

TEST_CASE("assets: a bundle with damaged tables does not hide a good copy") {
    Vfs vfs;
    const std::string content = "content";
    mount(vfs, BundleMaker().add("a", content).write());
    mount(vfs, damage_table(BundleMaker().add("b", content).write(), TableKind::assets), unsigned_at("", 1));
    CHECK(content_at(vfs, "/assets/" + id_of(content).hex()) == content);
    REQUIRE(vfs.unmount(vfs.mounts().at(1).id));
    CHECK(outcome_of(vfs.open("/assets/" + id_of(content).hex())) == "corrupt");
}

TEST_CASE("assets: the empty asset is found") {  // A29
    Vfs vfs;
    mount(vfs, BundleMaker().add("empty", "").add("other", "x").write());
    CHECK(content_at(vfs, "/empty") == "");
    CHECK(content_at(vfs, "/assets/" + id_of("").hex()) == "");
}

TEST_CASE("assets: a verdict applies to one asset of one mount") {
    AssetVerdicts verdicts;
    using Verdict = AssetVerdicts::Verdict;
    verdicts.remember(ContentNumber{1}, AssetIndex{0}, true);
    verdicts.remember(ContentNumber{1}, AssetIndex{7}, false);
    verdicts.remember(static_cast<ContentNumber>(kContentNumberMax), static_cast<AssetIndex>(0xffff'ffffu), true);
    CHECK(verdicts.find(ContentNumber{1}, AssetIndex{0}) == Verdict::good);
    CHECK(verdicts.find(ContentNumber{1}, AssetIndex{7}) == Verdict::bad);
    CHECK(verdicts.find(static_cast<ContentNumber>(kContentNumberMax), static_cast<AssetIndex>(0xffff'ffffu)) ==
          Verdict::good);
    CHECK(verdicts.find(ContentNumber{2}, AssetIndex{0}) == Verdict::unknown);
    CHECK(verdicts.find(ContentNumber{1}, AssetIndex{1}) == Verdict::unknown);
    for (std::uint32_t i = 0; i < 100'000; ++i)  // far more than the table has entries
        verdicts.remember(ContentNumber{3}, static_cast<AssetIndex>(i), i % 2 == 0);
    for (std::uint32_t i = 0; i < 100'000; ++i) {
        const Verdict verdict = verdicts.find(ContentNumber{3}, static_cast<AssetIndex>(i));
        CHECK((verdict == Verdict::unknown || verdict == (i % 2 == 0 ? Verdict::good : Verdict::bad)));
    }
}

}  // namespace fardel::tests::resolve_test
