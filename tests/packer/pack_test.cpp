#include <fardel/format/bundle.h>
#include <fardel/format/bundle_staging.h>
#include <fardel/format/bundle_writer.h>
#include <fardel/format/manifest.h>
#include <fardel/packer/pack.h>

#include "kit/archives.h"
#include "kit/blobs.h"
#include "kit/restricted_program.h"

namespace fardel::tests::pack_test {

Result<PackPlan> pack(const std::vector<std::string>& sources, const PackOptions& options = {.name = "mods/test"}) {
    return pack_sources(sources, options);
}

TEST_CASE("pack: every file becomes an asset and a published name, with its type") {
    const ScratchFolder folder;
    folder.write("maps/dm01.bsp", std::string("IBSP\x2e\0\0\0rest", 12));
    folder.write("shot.tga", "\xff\xd8\xff\xe0 a jpeg");
    folder.write("music/long.wav", std::string(300'000, 'w'));
    folder.write("sound/short.wav", "");
    const auto packed =
        pack({folder.root().string()}, {.name = "mods/test", .version = *BundleVersion::parse("1.0-rc1")});
    REQUIRE(packed);
    const BundlePlan& plan = packed->plan;
    REQUIRE(plan.assets.size() == 4);
    REQUIRE(plan.names.size() == 4);
    const std::vector<std::string> names{"maps/dm01.bsp", "music/long.wav", "shot.tga", "sound/short.wav"};
    const std::vector<std::string> types{"application/x-bsp", "audio/wav", "image/jpeg", "audio/wav"};
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(plan.names[i].name.text() == names[i]);
        CHECK(plan.names[i].published);
        CHECK_FALSE(plan.names[i].extends);
        REQUIRE(plan.names[i].variants.size() == 1);
        CHECK(plan.names[i].variants[0].asset == i);
        CHECK(plan.names[i].variants[0].tags.empty());
        CHECK(plan.assets[i].key == names[i]);
        CHECK(plan.assets[i].content_type == types[i]);
        CHECK(plan.assets[i].streamed == (i == 1));
    }
    CHECK(read_blob_text(*plan.assets[1].source)->size() == 300'000);
    REQUIRE(plan.metadata.size() == 2);
    CHECK(plan.metadata[0].key == "name");
    CHECK(std::get<std::string>(plan.metadata[0].value) == "mods/test");
    CHECK(plan.metadata[1].key == "version");
    CHECK(std::get<std::string>(plan.metadata[1].value) == "1.0-rc1");
}

TEST_CASE("pack: the plan becomes a bundle that gives every byte back") {
    const ScratchFolder folder;
    std::string noise;
    for (unsigned i = 0; i < 700'000; ++i)
        noise += static_cast<char>(i * 2654435761u >> 24);
    const std::string pak =
        folder.write("pak0.pk3", build_zip({{.name = "maps/dm01.bsp", .content = noise, .deflated = true},
                                            {.name = "music/long.wav", .content = noise},
                                            {.name = "default.cfg", .content = "old"}}));
    folder.write("tree/Default.cfg", "new");
    folder.write("tree/empty", "");
    const auto packed = pack({pak, folder.path("tree")});
    REQUIRE(packed);

    auto file = stage_file(folder.path("out.fardel"));
    REQUIRE(file);
    auto staged = write_bundle(packed->plan, std::move(*file), {.level = 1, .jobs = 1});
    REQUIRE(staged);
    CHECK(staged->summary().duplicates == 1);  // the noise
    REQUIRE(staged->commit());

    auto source = open_file_source(folder.path("out.fardel"));
    REQUIRE(source);
    const auto bundle = Bundle::open(*source, {});
    REQUIRE(bundle);
    const std::vector<std::pair<std::string, std::string>> expected{
        {"Default.cfg", "new"}, {"empty", ""}, {"maps/dm01.bsp", noise}, {"music/long.wav", noise}};
    CHECK((*bundle)->name_count() == expected.size());
    for (const auto& entry : expected) {
        const std::string& name = entry.first;
        const std::string& content = entry.second;
        CAPTURE(name);
        const auto index = (*bundle)->find_name(name);
        REQUIRE(index);
        REQUIRE(index->has_value());
        const auto record = (*bundle)->name(**index);
        REQUIRE(record);
        const auto asset = (*bundle)->default_asset(*record);
        REQUIRE(asset);
        const auto bytes = (*bundle)->read_all(*asset);
        REQUIRE(bytes);
        CHECK((std::string_view(reinterpret_cast<const char*>(bytes->data()), bytes->size()) == content));
    }
    CHECK(*(*bundle)->find_bundle_text("name") == "mods/test");
}

TEST_CASE("pack: without a version there is no version in the metadata") {
    const ScratchFolder folder;
    const auto packed = pack({folder.root().string()});
    REQUIRE(packed);
    CHECK(packed->plan.assets.empty());
    CHECK(packed->plan.metadata.size() == 1);
}

TEST_CASE("pack: what is not packed is in the report") {
    const ScratchFolder folder;
    folder.write("tree/.git/HEAD", "x");
    folder.write("tree/a", "x");
    std::filesystem::create_symlink("/etc/passwd", folder.path("tree/link"));
    const std::string pak = folder.write("pak0.pk3", build_zip({{.name = "A", .content = "x"}}));
    const auto packed = pack({pak, folder.path("tree")});
    REQUIRE(packed);
    CHECK(packed->plan.names.size() == 1);
    CHECK(packed->report.refused.size() == 1);
    CHECK(packed->report.excluded.size() == 1);
    CHECK(packed->report.overridden.size() == 1);
}

TEST_CASE("pack: a bad name is malformed, and so is nothing to pack") {
    const ScratchFolder folder;
    check_error(pack({folder.root().string()}, {.name = ""}), ErrorCode::malformed, "bundle name");
    check_error(pack({folder.root().string()}, {.name = "../x"}), ErrorCode::malformed, "bundle name");
    check_error(pack({}), ErrorCode::malformed, "no source");
}

TEST_CASE("pack: an entry that cannot be read stops the pack, and is named") {
    const ScratchFolder folder;
    const std::string pak = folder.write(
        "bad.pk3", build_zip({{.name = "fine", .content = "x"}, {.name = "rotten", .content = "x", .crc32 = 1}}));
    check_error(pack({pak}), ErrorCode::corrupt, pak + ": rotten");

    REQUIRE(::chmod(folder.write("tree/secret", "x").c_str(), 0) == 0);
    const Unprivileged unprivileged(folder);
    check_error(pack({folder.path("tree")}), ErrorCode::denied, folder.path("tree/secret"));
}

}  // namespace fardel::tests::pack_test
