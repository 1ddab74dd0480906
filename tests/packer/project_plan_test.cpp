// plan_project_files: real folders, their rules, and the resulting bundle.
#include <fardel/format/bundle.h>
#include <fardel/format/bundle_writer.h>
#include <fardel/format/manifest.h>
#include <fardel/packer/project_plan.h>
#include <fardel/sources/entry_plan.h>

#include "kit/files.h"
#include "parsed_project.h"

namespace fardel::tests::project_plan_test {

const std::string kStart = "name = \"mygame\"\nversion = \"1.0\"\nsources = [\"assets\"]\n";  // three lines

Result<PackPlan> plan(const ScratchFolder& folder, const std::string& text) {
    const Project project = parse_well(text);
    const std::string root = folder.root().string();
    FARDEL_TRY_ASSIGN(ScanResult scan, scan_project(project, root));
    std::vector<ProjectFile> files;
    for (SourceEntry& entry : scan.entries) {
        FARDEL_TRY_ASSIGN(const std::string_view type, read_content_type(entry.name.view(), *entry.blob));
        files.push_back({.name = std::move(entry.name),
                         .size_bytes = entry.size_bytes,
                         .blob = std::move(entry.blob),
                         .content_type = std::string(type),
                         .listed = entry.listed});
    }
    return plan_project_files(project, root, std::move(files), std::move(scan.report));
}

PackPlan plan_well(const ScratchFolder& folder, const std::string& text) { return value_of(plan(folder, text)); }

const PlannedName& name_of(const PackPlan& packed, std::string_view text) {
    const auto found =
        std::ranges::find(packed.plan.names, text, [](const PlannedName& name) { return name.name.view(); });
    REQUIRE(found != packed.plan.names.end());
    return *found;
}

std::string write_bundle_of(const ScratchFolder& folder, const PackPlan& packed, std::string_view file) {
    StagedBundle staged = value_of(write_bundle(packed.plan, folder.path(file), {.level = 1, .jobs = 1}));
    REQUIRE(staged.commit());
    return staged.summary().bundle.hex();
}

TEST_CASE("project plan: without rules the plan is that of the sources") {
    const ScratchFolder folder;
    folder.write("assets/a.cfg", "a");
    folder.write("more/A.cfg", "b");
    folder.write("more/x.psd", "p");
    const PackPlan packed = plan_well(folder,
                                      "name = \"mygame\"\nsources = [\"assets\", \"more\"]\nexclude = "
                                      "[\"**/*.psd\"]\n[metadata]\nlicence = \"CC0-1.0\"\n");
    REQUIRE(packed.plan.names.size() == 1);
    CHECK(packed.plan.names[0].name.text() == "A.cfg");
    CHECK(packed.plan.names[0].published);
    CHECK(packed.report.overridden.size() == 1);
    CHECK(packed.report.excluded.size() == 1);
    REQUIRE(packed.plan.metadata.size() == 2);
    CHECK(packed.plan.metadata[0].key == "name");
    CHECK(packed.plan.metadata[1].key == "licence");
}

TEST_CASE(
    "project plan: files become variants of one name, the one without tags first, then by the order of the rules") {
    const ScratchFolder folder;
    folder.write("assets/textures/wall.png", "plain");
    folder.write("assets/textures/wall@hd.png", "high");
    folder.write("assets/textures/wall@fr.png", "french");
    folder.write("assets/textures/wall@hd@fr.png", "high french");
    folder.write("assets/low/only.png", "low");
    const PackPlan packed = plan_well(folder, kStart + R"(
[[rule]]
match = "**/*@hd*"
strip = "@hd"
tags = { quality = "hd" }
[[rule]]
match = "**/*@fr*"
strip = "@fr"
tags = { lang = "fr" }
[[rule]]
match = "low/**"
strip = "low/"
tags = { quality = "low" }
)");
    REQUIRE(packed.plan.names.size() == 2);
    const PlannedName& wall = name_of(packed, "textures/wall.png");
    REQUIRE(wall.variants.size() == 4);
    CHECK(wall.variants[0].tags == Tags{});
    CHECK(wall.variants[1].tags == Tags{{"quality", "hd"}});
    CHECK(wall.variants[2].tags == Tags{{"lang", "fr"}});
    CHECK(wall.variants[3].tags == Tags{{"lang", "fr"}, {"quality", "hd"}});
    CHECK(packed.plan.assets[wall.variants[3].asset].key == "textures/wall@hd@fr.png");
    CHECK(name_of(packed, "only.png").variants[0].tags == Tags{{"quality", "low"}});
    CHECK(packed.idle_rules.empty());
    write_bundle_of(folder, packed, "out.fardel");
}

TEST_CASE("project plan: rules decide about publishing, types, names and metadata; the later wins") {
    const ScratchFolder folder;
    folder.write("assets/internal/a.dat", "a");
    folder.write("assets/internal/open.dat", "b");
    folder.write("assets/wip/c.dat", "c");
    folder.write("assets/readme_2.txt", "r");
    folder.write("assets/long.dat", std::string(300'000, 'w'));
    const PackPlan packed = plan_well(folder, kStart + R"(
[[rule]]
match = "internal/**"
publish = false
metadata = { licence = "none", origin = "us" }
[[rule]]
match = "internal/open.dat"
publish = true
metadata = { licence = "CC0-1.0" }
[[rule]]
match = "wip/**"
exclude = true
[[rule]]
match = "readme_2.txt"
name = "readme.txt"
extends = true
[[rule]]
match = "long.dat"
content_type = "audio/wav"
[[rule]]
match = "nothing/**"
publish = false
)");
    CHECK(packed.plan.names.size() == 4);
    CHECK_FALSE(name_of(packed, "internal/a.dat").published);
    const PlannedName& open = name_of(packed, "internal/open.dat");
    CHECK(open.published);
    const auto& metadata = packed.plan.assets[open.variants[0].asset].metadata;
    REQUIRE(metadata.size() == 2);
    CHECK(std::get<std::string>(metadata[0].value) == "CC0-1.0");
    CHECK(std::get<std::string>(metadata[1].value) == "us");
    CHECK(name_of(packed, "readme.txt").extends);
    const PlannedAsset& sound = packed.plan.assets[name_of(packed, "long.dat").variants[0].asset];
    CHECK(sound.content_type == "audio/wav");
    CHECK(sound.streamed);
    REQUIRE(packed.report.excluded.size() == 1);
    CHECK(packed.report.excluded[0].pattern == "wip/**");
    CHECK(packed.idle_rules == std::vector<std::string>{"fardel.toml:23: nothing/**"});
}

TEST_CASE("project plan: consumes, dependencies and tombstones are in the bundle") {
    const ScratchFolder folder;
    folder.write("base/default.cfg", "x");
    const std::string id = write_bundle_of(
        folder, plan_well(folder, "name = \"studio/base\"\nversion = \"2.0\"\nsources = [\"base\"]"), "base.fardel");
    folder.write("assets/a.cfg", "a");
    const PackPlan packed = plan_well(folder, kStart + R"(
tombstones = ["old.cfg"]
[[consume]]
name = "textures/**"
optional = true
[[dependency]]
file = "base.fardel"
)");
    REQUIRE(packed.plan.dependencies.size() == 1);
    CHECK(packed.plan.dependencies[0].bundle.hex() == id);
    CHECK(packed.plan.dependencies[0].name == "studio/base");
    CHECK(packed.plan.dependencies[0].version == "2.0");
    write_bundle_of(folder, packed, "out.fardel");
    auto source = open_file_source(folder.path("out.fardel"));
    REQUIRE(source);
    const auto bundle = Bundle::open(*source, {});
    REQUIRE(bundle);
    CHECK((*bundle)->name_count() == 2);
    const auto dependency = (*bundle)->dependency(0);
    REQUIRE(dependency);
    CHECK(dependency->bundle.hex() == id);
    const auto consume = (*bundle)->consume(0);
    REQUIRE(consume);
    const auto gone = (*bundle)->find_name("old.cfg");
    REQUIRE(gone);
    REQUIRE(gone->has_value());
    const auto record = (*bundle)->name(**gone);
    REQUIRE(record);
    CHECK_FALSE((*bundle)->default_asset(*record));
}

TEST_CASE("project plan: files that cannot share a name are both reported") {
    const ScratchFolder folder;
    folder.write("assets/wall.png", "a");
    folder.write("assets/wall@hd.png", "b");
    folder.write("assets/Tile@hd.png", "c");
    folder.write("assets/dir/x.png", "d");
    const std::string strip = "[[rule]]\nmatch = \"wall@hd.png\"\nstrip = \"@hd\"\n";
    check_error(plan(folder, kStart + strip), ErrorCode::conflict,
                "the files 'wall.png' and 'wall@hd.png' share the name 'wall.png' and have the same tags");
    check_error(plan(folder, kStart + strip + "tags = { quality = \"hd\" }\npublish = false"), ErrorCode::conflict,
                "make the rules match both");
    check_error(
        plan(folder, kStart + "[[rule]]\nmatch = \"Tile@hd.png\"\nname = \"WALL.png\"\ntags = { quality = \"hd\" }"),
        ErrorCode::conflict, "differ only in case");
    check_error(plan(folder, kStart + "[[rule]]\nmatch = \"wall.png\"\nname = \"Dir\""), ErrorCode::conflict,
                "'dir/x.png' would be inside 'Dir'");
    check_error(plan(folder, kStart + "[[rule]]\nmatch = \"*.png\"\nstrip = \"@hd\""), ErrorCode::conflict,
                "fardel.toml:4: '@hd' is not in the name 'wall.png'");
    check_error(plan(folder, kStart + "[[rule]]\nmatch = \"wall.png\"\nstrip = \"l\""), ErrorCode::conflict,
                "'l' is more than once in the name 'wall.png'");
    check_error(plan(folder, kStart + "[[rule]]\nmatch = \"dir/x.png\"\nstrip = \"x.png\""), ErrorCode::malformed,
                "the file 'dir/x.png' would get the name 'dir/'");
    check_error(plan(folder, kStart + "tombstones = [\"Wall.png\"]"), ErrorCode::conflict, "remove one of the two");
    check_error(plan(folder, kStart + "tombstones = [\"dir\"]"), ErrorCode::conflict, "tombstones are for files");
}

TEST_CASE("project plan: sources and dependencies that do not exist are reported by name") {
    const ScratchFolder folder;
    check_error(plan(folder, kStart), ErrorCode::missing, folder.path("assets"));
    folder.write("assets/a", "a");
    check_error(plan(folder, kStart + "[[dependency]]\nfile = \"base.fardel\""), ErrorCode::missing,
                "fardel.toml:4: dependency: ");
    const std::string twice = "[[dependency]]\nid = \"" + std::string(64, 'a') + "\"\n";
    check_error(plan(folder, kStart + twice + twice), ErrorCode::conflict, "fardel.toml:6: the bundle aaaa");
}

TEST_CASE("project plan: a rule gives a name to a file whose own name a bundle cannot have") {
    const ScratchFolder folder;
    folder.write("assets/aux.txt", "1");
    folder.write("assets/con/a.txt", "2");
    folder.write("assets/con/b.txt", "3");
    folder.write("assets/what?.txt", "4");
    folder.write("assets/T\x81r.png", "5");
    folder.write("assets/Wall.png", "6");
    folder.write("assets/WALL.png", "7");
    folder.write("assets/text\\wall.tga", "8");
    folder.write("assets/plain~0.png", "9");
    const auto rule = [](const char* match, const char* name) {
        return std::string("[[rule]]\nmatch = '") + match + "'\nname = \"" + name + "\"\n";
    };
    const PackPlan packed =
        plan_well(folder, kStart + rule("aux.txt", "auxiliary.txt") + rule("con/a.txt", "console/a.txt") +
                              rule("what\\x3f.txt", "what.txt") + rule("T\\x81r.png", "T\u00fcr.png") +
                              rule("WALL.png", "wall2.png") + rule("text\\wall.tga", "text/wall.tga") +
                              rule("plain~0.png", "plain-0.png") + rule("gone.txt", "here.txt"));
    std::vector<std::string> names;
    for (const PlannedName& name : packed.plan.names)
        names.push_back(name.name.text());
    std::ranges::sort(names);
    CHECK(names == std::vector<std::string>{"T\u00fcr.png", "Wall.png", "auxiliary.txt", "console/a.txt", "plain-0.png",
                                            "text/wall.tga", "wall2.png", "what.txt"});
    CHECK(packed.report.renamed.size() == 6);
    REQUIRE(packed.report.refused.size() == 1);
    CHECK(packed.report.refused[0].printable_name == "con/b.txt");
    REQUIRE(packed.idle_rules.size() == 1);
    CHECK(packed.idle_rules[0].find("gone.txt") != std::string::npos);
}

TEST_CASE("project plan: references to a dynamic name are resolved when the game runs, and others stay static") {
    const ScratchFolder folder;
    folder.write("assets/house.obj", "mtllib house.mtl\nmtllib roof.mtl\n");
    folder.write("assets/house.mtl", "newmtl a\n");
    folder.write("assets/roof.mtl", "newmtl b\n");
    const std::string link = "[link]\nroots = [\"*.obj\"]\n";
    const auto references_of = [](const PackPlan& packed) {
        std::map<std::string, PlannedReference> found;
        for (const PlannedAsset& asset : packed.plan.assets)
            for (const PlannedReference& reference : asset.references)
                found[reference.spelling] = reference;
        return found;
    };
    const auto is_dynamic = [](const PlannedReference& reference, std::string_view name) {
        const auto* const dynamic = std::get_if<PlannedReference::Dynamic>(&reference.target);
        return dynamic != nullptr && dynamic->name == name && reference.name.empty();
    };
    const PackPlan plain = plan_well(folder, kStart + link);
    for (const auto& [spelling, reference] : references_of(plain))
        CHECK(std::holds_alternative<PlannedReference::Internal>(reference.target));
    CHECK(plain.plan.consumes.empty());
    const std::string id = write_bundle_of(folder, plain, "plain.fardel");
    const std::string off = "[[rule]]\nmatch = \"house.mtl\"\ndynamic = false\n";
    CHECK(write_bundle_of(folder, plan_well(folder, kStart + link + off), "off.fardel") == id);

    for (const std::string& text : {std::string("[[rule]]\nmatch = \"house.mtl\"\ndynamic = true\n"),
                                    std::string("[[consume]]\nname = \"house.mtl\"\ndynamic = true\n"),
                                    std::string("[[consume]]\nname = \"house.m*\"\ndynamic = true\n")}) {
        CAPTURE(text);
        const PackPlan packed = plan_well(folder, kStart + link + text);
        const auto found = references_of(packed);
        REQUIRE(found.size() == 2);
        CHECK(is_dynamic(found.at("house.mtl"), "house.mtl"));
        CHECK(std::holds_alternative<PlannedReference::Internal>(found.at("roof.mtl").target));
        CHECK(std::ranges::count(packed.plan.consumes, false, &PlannedConsume::pattern) == 0);  // of its own
        // The bundle's own asset may be the one: it is in the closure, and not unused.
        REQUIRE(packed.resolved->audit.roots.size() == 1);
        CHECK(packed.resolved->audit.roots[0].names.size() == 3);
        CHECK(packed.resolved->audit.unused.empty());
        CHECK(write_bundle_of(folder, packed, "dynamic.fardel") != id);
    }
    check_error(plan(folder, kStart + link + "[[rule]]\nmatch = \"house.mtl\"\ndynamic = true\npublish = false\n"),
                ErrorCode::conflict, "'house.mtl' is dynamic and not published");
}

}  // namespace fardel::tests::project_plan_test
