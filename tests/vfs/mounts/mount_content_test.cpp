#include "mounts/mount_content.h"

#include "kit/archives.h"
#include "kit/emulator.h"
#include "kit/files.h"
#include "vfs/test_bundle.h"

#include <fardel/sources/legacy_archives.h>

#include <fardel/sources/source_scan.h>

namespace fardel::tests::mount_content_test {

MountId mount_path(Vfs& vfs, const std::string& path, MountOptions options = unsigned_at()) {
    return value_of(vfs.mount(path, std::move(options)));
}

MountOptions with_archives() {
    MountOptions options = unsigned_at();
    options.archives = make_archive_reader();
    return options;
}

TEST_CASE("mount: a folder shows its files under names and ids, as a bundle would") {
    const ScratchFolder scratch;
    scratch.write("game/maps/dm01.bsp", "map");
    scratch.write("game/default.cfg", "bind x quit\n");
    scratch.write("game/empty", "");
    scratch.write("game/large.raw", noise_text(300'000, 1));
    Vfs vfs;
    mount_path(vfs, scratch.path("game"));
    CHECK(content_at(vfs, "/maps/dm01.bsp") == "map");
    CHECK(content_at(vfs, "/empty").empty());
    CHECK(content_at(vfs, "/large.raw") == noise_text(300'000, 1));
    CHECK(content_at(vfs, "/assets/" + id_of("map").hex()) == "map");
    CHECK(listing_of(vfs, "/") == "assets/ bundles/ default.cfg@ empty@ large.raw@ maps/");
    CHECK(vfs.stat("/default.cfg").value().content_type == "text/x-quake-config");

    const MountDescription description = vfs.mounts().at(0);
    CHECK(description.kind == MountKind::folder);
    CHECK(description.tainted);
    CHECK(vfs.tainted());
    CHECK(description.label == scratch.path("game"));
    CHECK(content_at(vfs, "/bundles/" + description.bundle.hex() + "/default.cfg") == "bind x quit\n");
    // Part of a large file, across the border of two pieces.
    const File file = vfs.open("/large.raw").value();
    Bytes part(1000);
    CHECK(file.read_at(65'536 - 500, part).value() == 1000);
    CHECK(text_of(part) == noise_text(300'000, 1).substr(65'536 - 500, 1000));
}

TEST_CASE("mount: folders and archives count as unsigned") {  // A54
    const ScratchFolder scratch;
    scratch.write("game/a", "a");
    Author author;
    Vfs vfs;
    CHECK(outcome_of(vfs.mount(scratch.path("game"), {})) == "untrusted");
    CHECK(outcome_of(vfs.mount(scratch.path("game"), {.policy = &author.policy()})) == "untrusted");
    CHECK(outcome_of(vfs.mount(BundlePlan{}, {.policy = &author.policy()})) == "untrusted");
    CHECK(vfs.mounts().empty());
}

TEST_CASE("mount: folder content that a tree cannot represent is reported") {  // A13, A16
    if (!can_make_links())
        return;
    const ScratchFolder scratch;
    scratch.write("game/good", "good");
    scratch.write("game/bad:name", "bad");
    scratch.write("game/.git/config", "git");
    scratch.write("game/assets/" + std::string(64, '0'), "no path for a name");
    scratch.write("game/bundles/b.txt", "b");
    scratch.write("outside", "secret");
    std::filesystem::create_symlink(scratch.path("outside"), scratch.path("game/link"));
    std::filesystem::create_directory_symlink(scratch.root().string(), scratch.path("game/up"));
    Vfs vfs;
    mount_path(vfs, scratch.path("game"));
    CHECK(listing_of(vfs, "/") == "assets/ bundles/ good@");
    const auto left_out = vfs.mounts().at(0).left_out;
    REQUIRE(left_out);
    CHECK(left_out->refused.size() == 4);
    CHECK(listing_of(vfs, "/assets") == id_of("b").hex() + " " + id_of("good").hex());
    CHECK(content_at(vfs, "/bundles/b.txt") == "b");
    CHECK(left_out->excluded.size() == 1);
    CHECK(outcome_of(vfs.open("/link")) == "missing");
    CHECK(outcome_of(vfs.open("/up/outside")) == "missing");
}

TEST_CASE(
    "mount: a file edited after the mount is a conflict until the folder is refreshed, never other bytes") {  // A105
    const ScratchFolder scratch;
    scratch.write("game/a", "before");
    scratch.write("game/b", "stays");
    Vfs vfs;
    const MountId id = mount_path(vfs, scratch.path("game"));
    const File open = vfs.open("/a").value();
    scratch.write("game/a", "behind");
    CHECK(content_at(vfs, "/a").find("changed since") != std::string::npos);
    CHECK(outcome_of(open.read_all()) == "conflict");
    CHECK(content_at(vfs, "/b") == "stays");
    REQUIRE(vfs.refresh(id));
    CHECK(content_at(vfs, "/a") == "behind");
    CHECK(outcome_of(open.read_all()) == "conflict");
}

TEST_CASE("mount: an archive is read directly, a damaged entry is an error") {
    const ScratchFolder scratch;
    scratch.write("pak0.pk3", build_zip({{.name = "hello.txt", .content = "hello"}}));
    Vfs vfs;
    const MountId id = mount_path(vfs, scratch.path("pak0.pk3"), with_archives());
    CHECK(content_at(vfs, "/hello.txt") == "hello");
    CHECK(vfs.mounts().at(0).kind == MountKind::archive);
    scratch.write("bad.pk3", build_zip({{.name = "hello.txt", .content = "hello", .crc32 = zip_crc32("hello") + 1}}));
    CHECK(outcome_of(vfs.mount(scratch.path("bad.pk3"), with_archives())) == "corrupt");
    CHECK(vfs.mounts().size() == 1);
    std::filesystem::rename(scratch.path("pak0.pk3"), scratch.path("old.pk3"));
    scratch.write("pak0.pk3", build_zip({{.name = "other.txt", .content = "hello"}}));
    REQUIRE(vfs.refresh(id));
    CHECK(content_at(vfs, "/other.txt") == "hello");
}

TEST_CASE("mount: an archive is unsupported without a reader for archives, a folder is not") {
    const ScratchFolder scratch;
    scratch.write("pak0.pk3", build_zip({{.name = "hello.txt", .content = "hello"}}));
    scratch.write("game/a", "x");
    Vfs vfs;
    check_error(vfs.mount(scratch.path("pak0.pk3"), unsigned_at()), ErrorCode::unsupported, "link fardel::archives");
    mount_path(vfs, scratch.path("game"));
    CHECK(content_at(vfs, "/a") == "x");
}

TEST_CASE("mount: the content at the path decides its kind, and an unknown kind is an error") {  // A34
    const ScratchFolder scratch;
    const Bytes bundle = BundleMaker().add("x", "bundle").write();
    scratch.write("named.zip", text_of(bundle));
    scratch.write("noise", noise_text(5000, 1));
    scratch.write("empty", "");
    Vfs vfs;
    mount_path(vfs, scratch.path("named.zip"));
    CHECK(vfs.mounts().at(0).kind == MountKind::bundle);
    CHECK(content_at(vfs, "/x") == "bundle");
    CHECK(outcome_of(vfs.mount(scratch.path("noise"), unsigned_at())) == "malformed");
    CHECK(outcome_of(vfs.mount(scratch.path("empty"), unsigned_at())) == "malformed");
    CHECK(outcome_of(vfs.mount(scratch.path("absent"), unsigned_at())) == "missing");
    CHECK(outcome_of(vfs.mount(std::string("/dev/zero"), unsigned_at())) == "malformed");
}

TEST_CASE("mount: a plan shows assets in memory, its variants and unpublished names too") {
    BundlePlan plan;
    plan.assets = {{.source = make_memory_blob(bytes_of("sd")), .key = "sd"},
                   {.source = make_memory_blob(bytes_of("hd")), .key = "hd"}};
    plan.names = {{.name = AssetName::parse("wall").value(),
                   .variants = {{.asset = 0}, {.tags = {{"quality", "hd"}}, .asset = 1}}},
                  {.name = AssetName::parse("own").value(), .variants = {{.asset = 1}}, .published = false}};
    Vfs vfs;
    auto options = unsigned_at("memory");
    options.label = "made up";
    REQUIRE(vfs.mount(plan, options));
    CHECK(content_at(vfs, "/memory/wall") == "sd");
    vfs.prefer(parse_variant_preference("quality=hd").value());
    CHECK(content_at(vfs, "/memory/wall") == "hd");
    CHECK(outcome_of(vfs.open("/memory/own")) == "missing");
    CHECK(vfs.mounts().at(0).label == "made up");
    CHECK(vfs.mounts().at(0).kind == MountKind::plan);
}

TEST_CASE("mount: a folder mounted over a bundle allows quick edits") {
    const ScratchFolder scratch;
    scratch.write("edits/b", "edited");
    Vfs vfs;
    mount(vfs, BundleMaker().add("a", "a").add("b", "b").write());
    const MountId edits = mount_path(vfs, scratch.path("edits"), unsigned_at("", 10));
    CHECK(content_at(vfs, "/a") == "a");
    CHECK(content_at(vfs, "/b") == "edited");
    const Explanation explanation = vfs.explain("/b").value();
    CHECK(explanation.candidates.at(0).mount.kind == MountKind::folder);
    REQUIRE(vfs.unmount(edits));
    CHECK(content_at(vfs, "/b") == "b");
}

}  // namespace fardel::tests::mount_content_test
