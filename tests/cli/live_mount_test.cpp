// fardel mount of projects and of bundles that are built again, through the kernel's FUSE.
#include "mounted_folder.h"
#include "sample.h"

namespace fardel::tests::live_mount_test {

constexpr std::string_view kProject = R"(name = "game"
sources = ["src"]

[processor.shout]
command = ["sh", "-c", "tr a-z A-Z < $1 > $2", "sh", "${in}", "${out}"]
outputs = ["{name}"]

[[rule]]
match = "**/*.txt"
process = "shout"

[[rule]]
match = "french/**"
strip = "french/"
tags = { lang = "fr" }
)";

struct ProjectFolder {
    ProjectFolder() {
        scratch.write("game/fardel.toml", kProject);
        scratch.write("game/src/notes.txt", "read me\n");
        scratch.write("game/src/hello.cfg", "hello\n");
        scratch.write("game/src/french/hello.cfg", "bonjour\n");
        grow_old();
    }
    const ScratchFolder scratch;
};

TEST_CASE_FIXTURE(ProjectFolder, "live mount: a project is the tree that a build bundles, and edits are seen") {
    const Surroundings beside{.folder = scratch.path("game")};  // the background is another folder
    MountedFolder mount(scratch, {"fardel.toml"}, beside);
    CHECK(mount.said().empty());
    CHECK(list_folder(mount.path("")) == "hello.cfg notes.txt");
    CHECK(contents_of(mount.path("notes.txt")) == "READ ME\n");
    CHECK(contents_of(mount.path("hello.cfg")) == "hello\n");

    scratch.write("game/src/notes.txt", "read this, too\n");
    CHECK(contents_of(mount.path("notes.txt")) == "READ THIS, TOO\n");
    scratch.write("game/src/new.txt", "new\n");
    CHECK(contents_of(mount.path("new.txt")) == "NEW\n");
    const std::string project = scratch.read("game/fardel.toml");
    scratch.write("game/fardel.toml", project + "nonsense\n");
    CHECK(contents_of(mount.path("new.txt")) == "NEW\n");
    scratch.write("game/fardel.toml", project + "[[rule]]\nmatch = \"new.txt\"\nexclude = true\n");
    CHECK(list_folder(mount.path("")) == "hello.cfg notes.txt");
    mount.unmount();
}

TEST_CASE_FIXTURE(ProjectFolder, "live mount: a folder with a project file is mounted as it is, and that is said") {
    MountedFolder mount(scratch, {scratch.path("game")});
    CHECK(mount.said().find("without the rules of its project") != std::string::npos);
    CHECK(mount.said().find("game/fardel.toml") != std::string::npos);
    CHECK(contents_of(mount.path("src/notes.txt")) == "read me\n");
    mount.unmount();
}

TEST_CASE_FIXTURE(ProjectFolder, "live mount: with --watch, what a build writes is seen at once; without, never") {
    run_well({"build", scratch.path("game"), "--level", "1"});
    const std::string bundle = scratch.path("game/game.fardel");
    Arguments words{bundle};
    std::string expected = "READ ME\n";
    SUBCASE("as it was mounted") {}
    SUBCASE("--watch") {
        words.push_back("--watch");
        expected = "BUILT AGAIN\n";
    }
    MountedFolder mount(scratch, words);
    CHECK(contents_of(mount.path("notes.txt")) == "READ ME\n");
    scratch.write("game/src/notes.txt", "built again\n");
    run_well({"build", scratch.path("game"), "--level", "1"});
    CHECK(contents_of(mount.path("notes.txt")) == expected);
    fs::rename(scratch.write("bad", "no bundle"), bundle);
    CHECK(contents_of(mount.path("notes.txt")) == expected);
    mount.unmount();
}

TEST_CASE("live mount: --watch is for bundle files") {
    CHECK(run({"mount", "mnt", "--channel", "game/stable", "--watch"}).exit_code == 2);
    CHECK(run({"mount", "mnt", "--unmount", "--watch"}).exit_code == 2);
}

}  // namespace fardel::tests::live_mount_test
