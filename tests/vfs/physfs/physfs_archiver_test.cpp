// The PhysicsFS archiver: valid and damaged bundles in a game that uses PhysicsFS.
#include <fardel/format/manifest.h>
#include <fardel/vfs/physfs_archiver.h>

#include "kit/bundles.h"
#include "kit/files.h"
#include "physfs_game.h"
#include "vfs/test_bundle.h"

#include <physfs.h>

namespace fardel::tests::physfs_archiver_test {

Bytes small_bundle() {
    return BundleMaker()
        .add("readme.txt", "from the bundle")
        .add("maps/dm01.bsp", "a map")
        .add("maps/dm02.bsp", "")
        .write();
}

// A zip file of one entry, made by zip.
std::string make_zip(const ScratchFolder& scratch, const std::string& zip, const std::string& name,
                     const std::string& content) {
    const std::string folder = "for-" + zip;
    scratch.write(folder + "/" + name, content);
    const std::string line =
        "cd '" + scratch.path(folder) + "' && zip -q -r '" + scratch.path(zip) + "' '" + name + "'";
    REQUIRE(std::system(line.c_str()) == 0);
    return scratch.path(zip);
}

PHYSFS_EnumerateCallbackResult stop_at_once(void* calls, const char*, const char*) noexcept {
    ++*static_cast<int*>(calls);
    return PHYSFS_ENUM_STOP;
}

PHYSFS_EnumerateCallbackResult fail_at_once(void* calls, const char*, const char*) noexcept {
    ++*static_cast<int*>(calls);
    return PHYSFS_ENUM_ERROR;
}

struct ScratchedGame {
    const ScratchFolder scratch;
    const PhysfsGame game;
};

// This case comes first in its file, because PhysicsFS must not have run in this process.
TEST_CASE("physfs: a call before the first init is an error, not a crash") {
    CHECK(outcome_of(register_physfs_archiver({})) == "io");
    CHECK(outcome_of(mount_into_physfs(std::make_shared<Vfs>(), {.name = "x"})) == "io");
}

TEST_CASE("physfs: a bundle is mounted by its name, by another name and without an extension") {
    const ScratchFolder scratch;
    const Bytes bundle = small_bundle();
    const PhysfsGame game;
    SUBCASE("by its name") { CHECK(physfs_mount(scratch.write("x.fardel", bundle)) == "ok"); }
    SUBCASE("with the extension of a zip") { CHECK(physfs_mount(scratch.write("x.zip", bundle)) == "ok"); }
    SUBCASE("without an extension") { CHECK(physfs_mount(scratch.write("data", bundle)) == "ok"); }
    CHECK(physfs_content("readme.txt") == "from the bundle");
    CHECK(physfs_content("maps/dm02.bsp") == "");
    CHECK(physfs_listing("") == "maps readme.txt");
    CHECK(physfs_listing("maps") == "dm01.bsp dm02.bsp");
    CHECK(physfs_stat("readme.txt") == "regular 15 ro");
    CHECK(physfs_stat("maps") == "directory 0 ro");
}

TEST_CASE_FIXTURE(ScratchedGame,
                  "physfs: only published names are visible, and they may begin with assets or bundles") {
    const Bytes bundle =
        BundleMaker().add("assets/a.txt", "A").add("bundles/b.txt", "B").add_unpublished("hidden.txt", "H").write();
    REQUIRE(physfs_mount(scratch.write("x.fardel", bundle)) == "ok");
    CHECK(physfs_listing("") == "assets bundles");
    CHECK(physfs_listing("assets") == "a.txt");
    CHECK(physfs_content("assets/a.txt") == "A");
    CHECK(physfs_content("bundles/b.txt") == "B");
    CHECK(physfs_content("hidden.txt") == "<open: not found>");
    CHECK(physfs_content("assets/" + id_of("A").hex()) == "<open: not found>");
}

TEST_CASE_FIXTURE(ScratchedGame, "physfs: times are unknown, and every change is refused") {
    REQUIRE(physfs_mount(scratch.write("x.fardel", small_bundle())) == "ok");
    PHYSFS_Stat stat{};
    REQUIRE(PHYSFS_stat("readme.txt", &stat));
    CHECK(stat.modtime == -1);
    CHECK(stat.createtime == -1);
    CHECK(stat.accesstime == -1);
    CHECK(PHYSFS_setWriteDir(scratch.root().c_str()));
    CHECK(PHYSFS_setWriteDir(nullptr));
    CHECK(physfs_outcome(PHYSFS_openWrite("readme.txt") != nullptr) == "write directory is not set");
    PHYSFS_File* file = PHYSFS_openRead("readme.txt");
    REQUIRE(file != nullptr);
    CHECK(physfs_outcome(PHYSFS_writeBytes(file, "x", 1) == 1) == "file open for reading");
    CHECK(PHYSFS_close(file));
}

// A54: the signers of a bundle decide whether it is mounted.
TEST_CASE("physfs: an untrusted bundle is not mounted, and the reason is reported") {
    const ScratchFolder scratch;
    Author author;
    std::vector<std::string> refusals;
    const PhysfsGame game({.policy = author.policy(), .on_refused = [&](std::string_view archive, const Error& error) {
                               refusals.push_back(std::string(archive) + " " +
                                                  std::string(error_code_name(error.code())));
                           }});
    const std::string good = scratch.write("good.fardel", author.sign(small_bundle()));
    const std::string bare = scratch.write("bare.fardel", small_bundle());
    const std::string strange = scratch.write("strange.zip", Author().sign(small_bundle()));
    CHECK(physfs_mount(bare) == "permission denied");
    CHECK(physfs_mount(strange) == "permission denied");
    CHECK(physfs_listing("") == "");
    CHECK(physfs_mount(good) == "ok");
    CHECK(refusals == std::vector{bare + " untrusted", strange + " untrusted"});
    CHECK(physfs_content("readme.txt") == "from the bundle");
}

TEST_CASE("physfs: a bundle whose signature has run out is not mounted, without any option for that") {  // A135
    const ScratchFolder scratch;
    Author author;
    const std::string old = scratch.write("old.fardel", author.sign(small_bundle(), {}, UnixTime{1'577'836'800}));
    std::string refusal;
    {
        const PhysfsGame game({.policy = author.policy(), .on_refused = [&](std::string_view, const Error& error) {
                                   refusal = error_code_name(error.code());
                               }});
        CHECK(physfs_mount(old) == "permission denied");
        CHECK(refusal == "expired");
    }
    const PhysfsGame game({.policy = author.policy(), .time = TrustTime::ignored()});
    CHECK(physfs_mount(old) == "ok");
}

TEST_CASE("physfs: without a policy no bundle is mounted") {
    const ScratchFolder scratch;
    const PhysfsGame game(PhysfsArchiverOptions{});
    CHECK(physfs_mount(scratch.write("x.fardel", Author().sign(small_bundle()))) == "permission denied");
}

TEST_CASE_FIXTURE(ScratchedGame,
                  "physfs: a damaged head is an error of the mount, and no other archiver opens the file") {
    Bytes bundle = small_bundle();
    bundle[100] ^= std::byte{1};
    CHECK(physfs_mount(scratch.write("x.fardel", bundle)) == "corrupted");
    CHECK(physfs_mount(scratch.write("x.zip", bundle)) == "corrupted");
    const Bytes whole = small_bundle();
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{7}, std::size_t{11}, std::size_t{4095}, std::size_t{8000}})
        CHECK(physfs_mount(scratch.write("short-" + std::to_string(size) + ".fardel", std::span(whole).first(size))) !=
              "ok");
}

TEST_CASE_FIXTURE(ScratchedGame,
                  "physfs: damaged content is an error of the read, and never gives a file of a later archive") {
    const std::string content = noise_text(300'000, 7);
    const Bytes bundle =
        damage_content(BundleMaker().add("a.txt", content).add("b.txt", "good").write(), id_of(content));
    REQUIRE(physfs_mount(scratch.write("x.fardel", bundle)) == "ok");
    const std::string behind = make_zip(scratch, "behind.zip", "a.txt", "from the zip");
    REQUIRE(physfs_mount(behind) == "ok");

    CHECK(physfs_content("a.txt") == "<read: corrupted>");
    CHECK(physfs_real_dir("a.txt") == scratch.path("x.fardel"));
    CHECK(physfs_stat("a.txt") == "regular 300000 ro");
    CHECK(physfs_content("b.txt") == "good");

    PHYSFS_File* file = PHYSFS_openRead("a.txt");
    REQUIRE(file != nullptr);
    CHECK(PHYSFS_setBuffer(file, 1000));
    char part[1000];
    CHECK(physfs_outcome(PHYSFS_readBytes(file, part, sizeof part) >= 0) == "corrupted");
    CHECK(PHYSFS_tell(file) == 0);
    // An undamaged part can be read.
    CHECK(PHYSFS_seek(file, 290'000));
    CHECK(PHYSFS_readBytes(file, part, sizeof part) == 1000);
    CHECK(std::string_view(part, 1000) == std::string_view(content).substr(290'000, 1000));
    CHECK(PHYSFS_close(file));
}

TEST_CASE_FIXTURE(
    ScratchedGame,
    "physfs: a damaged table is an error of stat, list and read, and never gives a file of a later archive") {
    TableKind table{};
    SUBCASE("names") { table = TableKind::names; }
    SUBCASE("name buckets") { table = TableKind::name_buckets; }
    SUBCASE("name filters") { table = TableKind::name_filters; }
    REQUIRE(physfs_mount(scratch.write("x.fardel", damage_table(small_bundle(), table))) == "ok");
    REQUIRE(physfs_mount(make_zip(scratch, "behind.zip", "readme.txt", "from the zip")) == "ok");

    CHECK(physfs_content("readme.txt") == "<read: corrupted>");
    CHECK(physfs_stat("readme.txt") == "<corrupted>");
    PHYSFS_File* file = PHYSFS_openRead("readme.txt");
    REQUIRE(file != nullptr);
    CHECK(physfs_outcome(PHYSFS_fileLength(file) >= 0) == "corrupted");
    CHECK(physfs_outcome(PHYSFS_seek(file, 0) != 0) == "corrupted");
    CHECK_FALSE(PHYSFS_eof(file));  // a reader that reads to the end gets the error
    CHECK(PHYSFS_close(file));
    if (table == TableKind::names)
        CHECK(physfs_listing("/") == "<corrupted>");
}

// A21
TEST_CASE_FIXTURE(
    ScratchedGame,
    "physfs: a byte changed anywhere is an error or changes nothing, and never gives a file of a later archive") {
    REQUIRE(physfs_mount(make_zip(scratch, "one.zip", "readme.txt", "from the zip")) == "ok");
    REQUIRE(physfs_mount(make_zip(scratch, "two.zip", "maps/dm01.bsp", "from the zip")) == "ok");
    const Bytes whole = small_bundle();
    int mounted = 0;
    int failed_reads = 0;
    for (std::size_t at = 0; at < whole.size(); at += 5) {
        Bytes bundle = whole;
        bundle[at] ^= std::byte{0x10};
        // PHYSFS_mountMemory() would do, but PhysicsFS 3.0.2 leaks its copy.
        const std::string archive = scratch.write("x.fardel", bundle);
        if (PHYSFS_mount(archive.c_str(), "/", 0) == 0)
            continue;
        ++mounted;
        for (const auto& [name, good] :
             {std::pair("readme.txt", "from the bundle"), std::pair("maps/dm01.bsp", "a map")}) {
            const std::string content = physfs_content(name);
            if (content != good) {
                CAPTURE(at);
                CHECK(content == "<read: corrupted>");
                ++failed_reads;
            }
        }
        REQUIRE(PHYSFS_unmount(archive.c_str()));
    }
    CHECK(mounted > 100);
    CHECK(failed_reads > 20);
}

// A32
TEST_CASE_FIXTURE(ScratchedGame, "physfs: a bundle followed by a zip is opened as neither") {
    const std::string zip = read_file(make_zip(scratch, "small.zip", "readme.txt", "from the zip"));
    const std::string both = text_of(small_bundle()) + zip;
    CHECK(physfs_mount(scratch.write("x.fardel", both)) == "corrupted");
    CHECK(physfs_content("readme.txt") == "<open: not found>");
}

// A33
TEST_CASE_FIXTURE(ScratchedGame, "physfs: an archive that is truncated while it is mounted is an error of the read") {
    const std::string content = noise_text(500'000, 3);
    const std::string archive = scratch.write("x.fardel", BundleMaker().add("a.txt", content).write());
    REQUIRE(physfs_mount(archive) == "ok");
    PHYSFS_File* file = PHYSFS_openRead("a.txt");
    REQUIRE(file != nullptr);
    std::filesystem::resize_file(archive, 20'000);
    std::string part(500'000, '\0');
    CHECK(PHYSFS_readBytes(file, part.data(), part.size()) == -1);
    CHECK(PHYSFS_close(file));
    CHECK(physfs_content("a.txt") == "<read: corrupted>");
}

TEST_CASE_FIXTURE(ScratchedGame, "physfs: a damaged table is an error of a listing, also with symbolic links allowed") {
    PHYSFS_permitSymbolicLinks(1);
    REQUIRE(physfs_mount(scratch.write("x.fardel", damage_table(small_bundle(), TableKind::names))) == "ok");
    CHECK(physfs_listing("maps") == "<corrupted>");
    CHECK(physfs_content("maps/dm01.bsp") == "<read: corrupted>");
}

TEST_CASE("physfs: one mount shows a whole Vfs, with its later changes") {
    const PhysfsGame game;
    auto vfs = std::make_shared<Vfs>();
    mount(*vfs, BundleMaker().add("both.txt", "base").add("base.txt", "1").write());
    mount(*vfs, BundleMaker().add("both.txt", "mod").add("maps/mod.txt", "2").write());
    CHECK(mount_into_physfs(vfs, {.name = "bundles of the game", .mount_point = "/game"}));
    CHECK(physfs_listing("game") == "base.txt both.txt maps");
    CHECK(physfs_content("game/both.txt") == "mod");
    CHECK(physfs_content("game/assets/" + id_of("mod").hex()) == "<open: not found>");
    CHECK(physfs_stat("game/assets") == "<not found>");
    CHECK(physfs_real_dir("game/base.txt") == "bundles of the game");
    CHECK(std::string(PHYSFS_getMountPoint("bundles of the game")) == "game/");

    mount(*vfs, BundleMaker().add("later.txt", "3").write());
    CHECK(physfs_content("game/later.txt") == "3");

    CHECK(outcome_of(mount_into_physfs(vfs, {.name = "bundles of the game"})) == "conflict");
    CHECK(outcome_of(mount_into_physfs(vfs, {.name = "x", .folder = "no//path"})) == "malformed");
    CHECK(outcome_of(mount_into_physfs(vfs, {.name = "x", .mount_point = "../x"})) == "io");

    const std::weak_ptr<Vfs> watched = vfs;
    vfs.reset();
    CHECK(physfs_content("game/both.txt") == "mod");
    CHECK(PHYSFS_unmount("bundles of the game"));
    CHECK(watched.expired());
}

TEST_CASE("physfs: a game's own assets and bundles are visible, and what ids give is not") {
    const PhysfsGame game;
    auto vfs = std::make_shared<Vfs>();
    mount(*vfs, BundleMaker().add("assets/ui/a.png", "A").add("pack.json", "{}").write());
    REQUIRE(mount_into_physfs(vfs, {.name = "the game"}));
    CHECK(physfs_listing("") == "assets pack.json");
    CHECK(physfs_listing("assets") == "ui");
    CHECK(physfs_content("assets/ui/a.png") == "A");
    CHECK(physfs_content("assets/" + id_of("A").hex()) == "<open: not found>");
    CHECK(physfs_stat("bundles") == "<not found>");
    mount(*vfs, BundleMaker().add("bundles/b.txt", "B").write());
    CHECK(physfs_listing("") == "assets bundles pack.json");
    CHECK(physfs_listing("bundles") == "b.txt");
    CHECK(physfs_content("bundles/b.txt") == "B");
}

TEST_CASE("physfs: a folder of a Vfs can be mounted in front of the rest") {
    const PhysfsGame game;
    auto vfs = std::make_shared<Vfs>();
    mount(*vfs, BundleMaker().add("maps/a.txt", "A").add_unpublished("maps/hidden.txt", "H").write());
    const std::string bundle = "/bundles/" + vfs->mounts().front().bundle.hex();
    CHECK(mount_into_physfs(vfs, {.name = "maps", .folder = "/maps"}));
    CHECK(physfs_listing("") == "a.txt");
    CHECK(mount_into_physfs(vfs, {.name = "all", .append = false, .folder = bundle}));
    CHECK(physfs_listing("maps") == "a.txt hidden.txt");
    CHECK(physfs_content("maps/hidden.txt") == "H");
    char** search_path = PHYSFS_getSearchPath();
    REQUIRE(search_path != nullptr);
    CHECK(std::string(search_path[0]) == "all");
    PHYSFS_freeList(search_path);
}

TEST_CASE("physfs: a set file mounts the bundles that it names, later ones in front") {
    const ScratchFolder scratch;
    scratch.write("base.fardel", BundleMaker().add("both.txt", "base").add("base.txt", "1").write());
    scratch.write("mods/mod.fardel", BundleMaker().add("both.txt", "mod").write());
    std::vector<std::string> refusals;
    const PhysfsGame game({.allow_unsigned = true, .on_refused = [&](std::string_view, const Error& error) {
                               refusals.push_back(error.text());
                           }});
    CHECK(physfs_mount(scratch.write("game.fardel",
                                     "fardel-set 1\n# what the game is\nbase.fardel\r\n\nmods/mod.fardel")) == "ok");
    CHECK(physfs_listing("") == "base.txt both.txt");
    CHECK(physfs_content("both.txt") == "mod");

    CHECK(physfs_mount(scratch.write("hole.fardel", "fardel-set 1\nbase.fardel\nnowhere.fardel\n")) == "not found");
    CHECK(physfs_mount(scratch.write("two.fardel", "fardel-set 2\nbase.fardel\n")) == "unsupported");
    CHECK(physfs_mount(scratch.write("none.fardel", "fardel-set 1\n\n")) == "corrupted");
    REQUIRE(refusals.size() == 3);
    CHECK(refusals[0].find("nowhere.fardel") != std::string::npos);
}

// A132
TEST_CASE("physfs: a set file mounts nothing outside of its folder, also not through a link in it") {
    const ScratchFolder scratch;
    scratch.write("secret/hostname", "outside");
    scratch.write("outside.fardel", BundleMaker().add("a.txt", "outside").write());
    scratch.write("game/base.fardel", BundleMaker().add("a.txt", "inside").write());
    const auto link = [&](const char* target, const char* name) {
        std::filesystem::create_symlink(target, scratch.path(name));
    };
    link("../secret", "game/folder");
    link("../outside.fardel", "game/mod.fardel");
    link("/etc", "game/etc");
    link("..", "game/up");
    link("base.fardel", "game/same.fardel");
    link("game", "other");
    std::vector<std::string> refusals;
    const PhysfsGame game({.allow_unsigned = true, .on_refused = [&](std::string_view, const Error& error) {
                               refusals.push_back(error.text());
                           }});
    for (const std::string named : {"folder", "mod.fardel", "etc", "up/outside.fardel", "up/game2/../outside.fardel"}) {
        CAPTURE(named);
        refusals.clear();
        CHECK(physfs_mount(scratch.write("game/set.fardel", "fardel-set 1\nbase.fardel\n" + named + "\n")) != "ok");
        CHECK(physfs_listing("") == "");
        REQUIRE(refusals.size() == 1);
        CHECK(refusals[0].starts_with("denied"));
    }
    scratch.write("game/set.fardel", "fardel-set 1\nsame.fardel\n");
    CHECK(physfs_mount(scratch.path("other/set.fardel")) == "ok");  // links that stay inside, and above the set file
    CHECK(physfs_content("a.txt") == "inside");
}

TEST_CASE_FIXTURE(ScratchedGame, "physfs: a bundle in a zip and a zip in a bundle can be mounted") {
    const Bytes inner = small_bundle();
    REQUIRE(physfs_mount(make_zip(scratch, "outer.zip", "inner.fardel", text_of(inner))) == "ok");
    PHYSFS_File* file = PHYSFS_openRead("inner.fardel");
    REQUIRE(file != nullptr);
    REQUIRE(PHYSFS_mountHandle(file, "inner.fardel", "/in", 1));
    CHECK(physfs_content("in/readme.txt") == "from the bundle");

    make_zip(scratch, "small.zip", "deep.txt", "from the zip in the bundle");
    const std::string zip_bytes = scratch.read("small.zip");
    REQUIRE(physfs_mount(scratch.write("x.fardel", BundleMaker().add("small.zip", zip_bytes).write()), "/out") == "ok");
    file = PHYSFS_openRead("out/small.zip");
    REQUIRE(file != nullptr);
    REQUIRE(PHYSFS_mountHandle(file, "small.zip", "/out/deep", 1));
    CHECK(physfs_content("out/deep/deep.txt") == "from the zip in the bundle");
}

TEST_CASE_FIXTURE(ScratchedGame, "physfs: an enumeration ends when the callback says so") {
    REQUIRE(physfs_mount(scratch.write("x.fardel", small_bundle())) == "ok");
    int calls = 0;
    CHECK(PHYSFS_enumerate("maps", stop_at_once, &calls));
    CHECK(calls == 1);
    CHECK_FALSE(PHYSFS_enumerate("maps", fail_at_once, &calls));
    CHECK(PHYSFS_getLastErrorCode() == PHYSFS_ERR_APP_CALLBACK);
    CHECK(calls == 2);
}

TEST_CASE_FIXTURE(ScratchedGame, "physfs: an archive with open files cannot be unmounted") {
    const std::string archive = scratch.write("x.fardel", small_bundle());
    REQUIRE(physfs_mount(archive) == "ok");
    PHYSFS_File* file = PHYSFS_openRead("readme.txt");
    REQUIRE(file != nullptr);
    CHECK(physfs_outcome(PHYSFS_unmount(archive.c_str()) != 0) == "files still open");
    CHECK(PHYSFS_close(file));
    CHECK(PHYSFS_unmount(archive.c_str()));
    CHECK(physfs_content("readme.txt") == "<open: not found>");
}

TEST_CASE("physfs: the archiver is registered once for each init") {
    CHECK(outcome_of(register_physfs_archiver({})) == "io");  // no PhysicsFS yet
    CHECK(outcome_of(mount_into_physfs(std::make_shared<Vfs>(), {.name = "x"})) == "io");
    for (int round = 0; round < 2; ++round) {
        const PhysfsGame game;
        CHECK(outcome_of(register_physfs_archiver({})) == "conflict");
        const ScratchFolder scratch;
        CHECK(physfs_mount(scratch.write("x.fardel", small_bundle())) == "ok");  // by the first one's options
    }
    REQUIRE(PHYSFS_init("./game"));
    CHECK(outcome_of(mount_into_physfs(std::make_shared<Vfs>(), {.name = "x"})) == "io");  // not registered
    CHECK(PHYSFS_deinit());
}

TEST_CASE_FIXTURE(ScratchedGame, "physfs: threads read different files of one archive at once") {
    BundleMaker maker;
    for (int i = 0; i < 8; ++i)
        maker.add("file" + std::to_string(i), noise_text(200'000, static_cast<std::uint64_t>(i)));
    REQUIRE(physfs_mount(scratch.write("x.fardel", maker.write())) == "ok");
    std::vector<int> good(8);
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 8; ++i)
            threads.emplace_back([i, &good] {
                for (int round = 0; round < 5; ++round)
                    good[static_cast<std::size_t>(i)] += physfs_content("file" + std::to_string(i)) ==
                                                         noise_text(200'000, static_cast<std::uint64_t>(i));
            });
    }
    CHECK(good == std::vector<int>(8, 5));
}

TEST_CASE("physfs: a missing static dependency is reported, and refused on request") {
    const ScratchFolder scratch;
    const Bytes base = BundleMaker().add("base.txt", "1").write();
    BundleMaker map;
    map.add("map.txt", "map");
    map.plan().dependencies = {{.bundle = bundle_id_of(base)}};
    scratch.write("base.fardel", std::span(base));
    const std::string alone = scratch.write("map.fardel", map.write());
    const std::string set = scratch.write("both.fardel-set", "fardel-set 1\nmap.fardel\nbase.fardel\n");
    std::vector<std::string> events;
    PhysfsArchiverOptions options{.allow_unsigned = true};
    options.on_missing_dependency = [&](std::string_view file, const MissingDependency& missing) {
        events.push_back(std::string(file) + " " + missing.bundle.hex());
    };
    options.on_refused = [&](std::string_view, const Error& error) {
        events.emplace_back(error_code_name(error.code()));
    };
    {
        const PhysfsGame game(options);
        CHECK(physfs_mount(alone) == "ok");
        CHECK(events == std::vector{alone + " " + bundle_id_of(base).hex()});
        CHECK(physfs_content("map.txt") == "map");
    }
    events.clear();
    options.require_dependencies = true;
    const PhysfsGame game(options);
    CHECK(physfs_mount(alone) != "ok");
    CHECK(events == std::vector<std::string>{"unresolved"});
    CHECK(physfs_mount(set) == "ok");
    CHECK(events.size() == 1);
}

TEST_CASE("PhysicsFS: an asset whose own date has passed gives no byte, and nothing behind it takes its place") {
    const ScratchFolder scratch;
    BundleMaker maker;
    maker.add("old.txt", "old").add("new.txt", "new");
    maker.plan().assets[0].metadata = {{.key = "expires", .value = std::int64_t{1'577'836'800}}};
    const PhysfsGame game;
    REQUIRE(physfs_mount(scratch.write("x.fardel", maker.write())) == "ok");
    scratch.write("behind/old.txt", "from behind");
    REQUIRE(physfs_mount(scratch.path("behind")) == "ok");
    CHECK(physfs_content("new.txt") == "new");
    CHECK(physfs_content("old.txt").starts_with("<read: "));
}

}  // namespace fardel::tests::physfs_archiver_test
