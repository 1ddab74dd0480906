// What sources have and a bundle or a mount has not, at every verb that meets it.
#include "mounted_folder.h"

#include "kit/archives.h"

#include <nlohmann/json.hpp>

namespace fardel::tests::left_out_test {

using nlohmann::json;

std::string write_zip(const ScratchFolder& scratch, const std::string& name, const std::vector<ZipMember>& members) {
    const Bytes zip = build_zip(members);
    return scratch.write(name, std::string(reinterpret_cast<const char*>(zip.data()), zip.size()));
}

// Each of its files is refused for another reason.
std::string write_bad_zip(const ScratchFolder& scratch) {
    return write_zip(scratch, "bad.zip",
                     {{.name = "a\\b.txt", .content = "1"},
                      {.name = "\x81.txt", .content = "2"},
                      {.name = "c.txt", .content = "nothing", .attributes = 0120777u << 16},
                      {.name = "d.txt", .content = "4", .method = 14},
                      {.name = "e.txt", .content = "5", .flags = 1}});
}

bool has_all(const std::string& text, std::initializer_list<std::string_view> parts) {
    return std::ranges::all_of(parts, [&](std::string_view part) { return text.find(part) != std::string::npos; });
}

TEST_CASE("left out: pack says the reason of each file also when nothing is left, as text and as JSON") {
    const ScratchFolder scratch;
    const std::string zip = write_bad_zip(scratch);
    const Outcome text = run({"pack", zip, "-o", scratch.path("x.fardel")});
    CHECK(text.exit_code == 1);
    CHECK(has_all(text.out, {"left out: 5 (5 refused)", "a\\b.txt: ", "\\x81.txt: ", "c.txt: a symbolic link",
                             "d.txt: compressed by LZMA", "e.txt: it is encrypted"}));
    CHECK(has_all(text.err, {"nothing that can be packed", "5 files are left out"}));
    const Outcome machine = run({"pack", zip, "-o", scratch.path("x.fardel"), "--json"});
    CHECK(machine.exit_code == 1);
    const json report = json::parse(machine.out);
    CHECK(report["refused"].size() == 5);
    CHECK(report["error"].get<std::string>().find("nothing that can be packed") != std::string::npos);
    CHECK_FALSE(fs::exists(scratch.path("x.fardel")));
}

TEST_CASE("left out: --strict and [pack] left_out fail what would leave out a file, and write nothing") {
    const ScratchFolder scratch;
    scratch.write("f/a.txt", "1");
    scratch.write("f/.DS_Store", "junk is no loss");
    const std::string out = scratch.path("f.fardel");
    CHECK(run({"pack", scratch.path("f"), "-o", out, "--strict"}).exit_code == 0);
    fs::remove(out);
    scratch.write("f/aux.txt", "2");
    const Outcome strict = run({"pack", scratch.path("f"), "-o", out, "--strict"});
    CHECK(strict.exit_code == 1);
    CHECK(has_all(strict.err, {"unresolved", "1 file of the sources is left out", "aux.txt"}));
    CHECK(has_all(strict.out, {"not packed: 1\n", "aux.txt"}));
    CHECK_FALSE(fs::exists(out));
    CHECK(run({"pack", scratch.path("f"), "-o", out}).exit_code == 0);

    const std::string project = "name = \"t/f\"\nsources = [\"f\"]\n";
    scratch.write("fardel.toml", project + "[pack]\nleft_out = \"error\"\n");
    CHECK(run({"build", scratch.root().string()}).exit_code == 1);
    scratch.write("fardel.toml", project + "[pack]\nleft_out = \"warn\"\n");
    CHECK(run({"build", scratch.root().string()}).exit_code == 0);
    // Also a build that has nothing to do.
    CHECK(run({"build", scratch.root().string(), "--strict"}).exit_code == 1);
    scratch.write("fardel.toml", project + "[[rule]]\nmatch = \"aux.txt\"\nname = \"auxiliary.txt\"\n");
    CHECK(run({"build", scratch.root().string(), "--strict"}).exit_code == 0);
}

TEST_CASE("left out: a build that is up to date says it, too") {
    const ScratchFolder scratch;
    scratch.write("f/a.txt", "1");
    scratch.write("f/aux.txt", "2");
    scratch.write("fardel.toml", "name = \"t/f\"\nsources = [\"f\"]\n");
    const std::string folder = scratch.root().string();
    run_well({"build", folder});
    const std::string again = run_well({"build", folder});
    CHECK(has_all(again, {"up to date", "not packed: 1\n", "aux.txt"}));
    CHECK(json::parse(run_well({"build", folder, "--json"}))["refused"].size() == 1);
    // An edit that changes what is left out and nothing else.
    scratch.write("f/con.txt", "3");
    const json report = json::parse(run_well({"build", folder, "--json"}));
    CHECK(report["up_to_date"] == true);
    CHECK(report["refused"].size() == 2);
}

TEST_CASE("left out: audit lists it, and does not succeed for it") {
    const ScratchFolder scratch;
    const std::string zip = write_zip(
        scratch, "m.pk3", {{.name = "textures\\wall.tga", .content = "w"}, {.name = "a.txt", .content = "a"}});
    const Outcome text = run({"audit", zip});
    CHECK(text.exit_code == 1);
    CHECK(has_all(text.out, {"left out: 1 (1 refused)", "textures\\wall.tga", "--names utf-8"}));
    CHECK(json::parse(run({"audit", zip, "--json"}).out)["refused"].size() == 1);
    CHECK(run({"audit", zip, "--names", "utf-8"}).exit_code == 0);
}

TEST_CASE("left out: which says that a path is left out and why, also in other case and with other slashes") {
    const ScratchFolder scratch;
    const std::string zip = write_zip(
        scratch, "m.pk3", {{.name = "textures\\wall.tga", .content = "w"}, {.name = "a.txt", .content = "a"}});
    const Outcome text = run({"which", "--mount", zip, "Textures/wall.tga"});
    CHECK(text.exit_code == 1);
    CHECK(has_all(text.out, {"no such name", "left out: ", "textures\\wall.tga: "}));
    CHECK(has_all(text.err, {"left out: 1 (1 refused)"}));
    const json report = json::parse(run({"which", "--mount", zip, "Textures/wall.tga", "--json"}).out);
    CHECK(report["left_out_here"].is_string());
    REQUIRE(report["left_out"].size() == 1);
    CHECK(report["left_out"][0]["refused"].size() == 1);
    CHECK(run_well({"which", "--mount", zip, "a.txt"}).find("left out") == std::string::npos);
    const Outcome bad_name = run({"which", "--mount", zip, "textures\\wall.tga"});
    CHECK(bad_name.exit_code == 1);
    CHECK(has_all(bad_name.err, {"left out: " + zip + ": textures\\wall.tga: ", "malformed"}));
}

TEST_CASE("left out: conflicts, report and mount say it of what they mount") {
    const ScratchFolder scratch;
    const std::string zip = write_zip(
        scratch, "m.pk3", {{.name = "textures\\wall.tga", .content = "w"}, {.name = "a.txt", .content = "a"}});
    const Outcome conflicts = run({"conflicts", zip});
    CHECK(has_all(conflicts.err, {"left out: 1 (1 refused)", "textures\\wall.tga"}));
    CHECK(json::parse(run({"conflicts", zip, "--json"}).out)["left_out"].size() == 1);
    const Outcome report = run({"report", zip, "-o", scratch.path("r.html")});
    CHECK(has_all(report.err, {"left out: 1 (1 refused)"}));
    const MountedFolder mounted(scratch, {zip});
    CHECK(has_all(mounted.said(), {"left out: 1 (1 refused)", "textures\\wall.tga"}));
}

TEST_CASE("left out: all files that differ only in case are named in one run") {
    const ScratchFolder scratch;
    for (const char* name : {"Wall", "WALL", "Floor", "FLOOR", "Sky", "SKY", "a", "A"})
        scratch.write(std::string("f/") + name + ".png", "x");
    const Outcome outcome = run({"pack", scratch.path("f"), "-o", scratch.path("f.fardel")});
    CHECK(outcome.exit_code == 1);
    CHECK(has_all(outcome.err,
                  {"WALL.png", "Wall.png", "FLOOR.png", "Floor.png", "SKY.png", "Sky.png", "A.png", "a.png"}));
}

TEST_CASE("left out: links that lead outside are followed into the folders that are named") {
    const ScratchFolder scratch;
    scratch.write("shared/wall.tga", "wall");
    scratch.write("f/a.tga", "pixels");
    fs::create_symlink("../shared/wall.tga", scratch.path("f/wall.tga"));
    fs::create_symlink("a.tga", scratch.path("f/b.tga"));
    const std::string out = scratch.path("f.fardel");
    const json report = json::parse(run_well({"pack", scratch.path("f"), "-o", out, "--json"}));
    CHECK(report["refused"].size() == 1);
    CHECK(report["names"] == 2);
    CHECK(report["assets"] == 1);
    run_well({"pack", scratch.path("f"), "-o", out, "--strict", "--follow-links", scratch.path("shared")});
    CHECK(run_well({"cat", out, "wall.tga"}) == "wall");
    scratch.write("fardel.toml", "name = \"t/f\"\nsources = [\"f\"]\n[pack]\nfollow_links = [\"shared\"]\n");
    run_well({"build", scratch.root().string(), "--strict"});
}

}  // namespace fardel::tests::left_out_test
