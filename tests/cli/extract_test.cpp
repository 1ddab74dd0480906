#include "sample.h"

#include <fardel/format/bundle_writer.h>

#include <nlohmann/json.hpp>

#include <sys/stat.h>
#include <unistd.h>

namespace fardel::tests::extract_test {

using nlohmann::json;

void check_conflict(const Outcome& outcome) {
    CAPTURE(outcome.err);
    CHECK(outcome.exit_code == 1);
    CHECK(is_one_clear_line(outcome, "conflict"));
}

TEST_CASE_FIXTURE(PackedGame, "extract: writes the files that were packed") {  // A17: and no file is a program
    const std::string out = scratch.path("out");
    const Outcome outcome = run({"extract", bundle, "-C", out});
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.out.starts_with("extracted 5 files, "));
    CHECK(run_program({"diff", "-r", scratch.path("game"), out}).exit_code == 0);
    CHECK((fs::status(out + "/default.cfg").permissions() & fs::perms::owner_exec) == fs::perms::none);
}

TEST_CASE_FIXTURE(PackedGame,
                  "extract: names, folders and globs select files; a pattern that matches none is refused") {
    const std::string out = scratch.path("out");
    const json report = json::parse(run_well({"extract", bundle, "-C", out, "maps/", "*.cfg", "--json"}));
    CHECK(report["files"] == 2);
    CHECK(list_folder(out) == "default.cfg maps/ maps/dm01.bsp");
    const Outcome none = run({"extract", bundle, "-C", scratch.path("other"), "maps", "music"});
    CHECK(none.exit_code == 1);
    CHECK(is_one_clear_line(none, "unresolved"));
    CHECK_FALSE(fs::exists(scratch.path("other")));
}

TEST_CASE_FIXTURE(PackedGame,
                  "extract: never replaces a file without --force") {  // A16: nor writes through a hard link
    scratch.write("out/default.cfg", "mine");
    const std::string out = scratch.path("out");
    check_conflict(run({"extract", bundle, "-C", out}));
    CHECK(list_folder(out) == "default.cfg");
    CHECK(read_file(out + "/default.cfg") == "mine");

    fs::create_hard_link(out + "/default.cfg", scratch.path("elsewhere"));
    const json report = json::parse(run_well({"extract", bundle, "-C", out, "--force", "--json"}));
    CHECK(report["replaced"] == 1);
    CHECK(read_file(out + "/default.cfg") == kConfig);
    CHECK(read_file(scratch.path("elsewhere")) == "mine");  // replaced, not written through
    CHECK(list_folder(out).find(".fardel") == std::string::npos);
}

TEST_CASE("extract: a link, FIFO, socket or folder with the name of a file is refused, also with --force") {  // A16
    for (const char* kind : {"link to a file", "link to nowhere", "fifo", "socket", "folder"}) {
        for (const bool force : {false, true}) {
            const ScratchFolder scratch;
            const std::string bundle = make_bundle(scratch);
            const std::string victim = scratch.write("victim", "mine");
            fs::create_directory(scratch.path("out"));
            const std::string target = scratch.path("out/default.cfg");
            if (std::string_view(kind) == "link to a file")
                fs::create_symlink(victim, target);
            else if (std::string_view(kind) == "link to nowhere")
                fs::create_symlink(scratch.path("absent"), target);
            else if (std::string_view(kind) == "fifo")
                REQUIRE(::mkfifo(target.c_str(), 0600) == 0);
            else if (std::string_view(kind) == "socket")
                REQUIRE(::mknod(target.c_str(), S_IFSOCK | 0600, 0) == 0);
            else
                fs::create_directory(target);
            Arguments arguments{"extract", bundle, "-C", scratch.path("out")};
            if (force)
                arguments.push_back("--force");
            CAPTURE(kind);
            check_conflict(run(arguments));
            CHECK(read_file(victim) == "mine");
            CHECK_FALSE(fs::exists(scratch.path("absent")));
            CHECK(list_folder(scratch.path("out")) ==
                  (std::string_view(kind) == "folder" ? "default.cfg/" : "default.cfg"));
        }
    }
}

TEST_CASE_FIXTURE(PackedGame, "extract: a link or a file where a folder is needed is refused") {  // A13
    fs::create_directories(scratch.path("outside"));
    fs::create_directories(scratch.path("out"));
    fs::create_directory_symlink(scratch.path("outside"), scratch.path("out/maps"));
    check_conflict(run({"extract", bundle, "-C", scratch.path("out"), "--force"}));
    CHECK(list_folder(scratch.path("outside")) == "");
    CHECK(list_folder(scratch.path("out")) == "maps");

    fs::remove(scratch.path("out/maps"));
    scratch.write("out/textures", "a file");
    check_conflict(run({"extract", bundle, "-C", scratch.path("out"), "--force"}));
    CHECK(list_folder(scratch.path("out")) == "textures");
}

TEST_CASE_FIXTURE(PackedGame, "extract: existing folders are used; the target may be a link, since the user named it") {
    scratch.write("out/maps/mine.bsp", "mine");
    fs::create_directory_symlink(scratch.path("out"), scratch.path("link"));
    run_well({"extract", bundle, "-C", scratch.path("link")});
    CHECK(read_file(scratch.path("out/maps/mine.bsp")) == "mine");
    CHECK(fs::exists(scratch.path("out/maps/dm01.bsp")));
}

TEST_CASE_FIXTURE(PackedGame, "extract: a target that is a file, or whose folder is missing, is refused") {
    check_conflict(run({"extract", bundle, "-C", scratch.write("file", "x")}));
    const Outcome outcome = run({"extract", bundle, "-C", scratch.path("no/such/place")});
    CHECK(outcome.exit_code == 3);
    CHECK(is_one_clear_line(outcome, "missing"));
}

TEST_CASE_FIXTURE(PackedGame,
                  "extract: if a file cannot be written, no file is left and existing files are unchanged") {
    scratch.write("out/default.cfg", "mine");
    const Outcome outcome = run({"extract", bundle, "-C", scratch.path("out"), "--force"}, {.file_bytes_max = 100'000});
    CHECK(outcome.exit_code == 1);
    CHECK(is_one_clear_line(outcome, "limit"));
    CHECK(list_folder(scratch.path("out")) == "default.cfg");
    CHECK(read_file(scratch.path("out/default.cfg")) == "mine");
    CHECK(run({"extract", bundle, "-C", scratch.path("fresh")}, {.file_bytes_max = 100'000}).exit_code == 1);
    CHECK_FALSE(fs::exists(scratch.path("fresh")));
}

// A130
TEST_CASE("extract: a small bundle of very many bytes is refused before the first byte, unless it is asked for") {
    const ScratchFolder scratch;
    fs::create_directory(scratch.path("zeros"));
    const std::string big = scratch.write("zeros/zeros.bin", "");
    fs::resize_file(big, std::uint64_t{64} << 20);
    run_well({"pack", scratch.path("zeros"), "-o", scratch.path("one.fardel")});
    fardel::BundlePlan plan;
    fardel::PlannedAsset asset;
    asset.source = fardel::make_file_blob(big);
    asset.key = "zeros";
    plan.assets.push_back(std::move(asset));
    for (int i = 0; i < 300; ++i)
        plan.names.push_back({.name = *fardel::AssetName::parse("d/" + std::to_string(i)), .variants = {{.asset = 0}}});
    auto staged = fardel::write_bundle(plan, scratch.path("many.fardel"), {.level = 1});
    REQUIRE(staged);
    REQUIRE(staged->commit());

    const std::string out = scratch.path("out");
    const Outcome refused = run({"extract", scratch.path("many.fardel"), "-C", out});
    CHECK(refused.exit_code == 1);
    CHECK(is_one_clear_line(refused, "limit"));
    CHECK(refused.err.find("20132659200 bytes") != std::string::npos);
    CHECK(refused.err.find("--any-size") != std::string::npos);
    CHECK_FALSE(fs::exists(out));
    CHECK(run({"extract", scratch.path("one.fardel"), "-C", out}).exit_code == 0);
}

}  // namespace fardel::tests::extract_test
