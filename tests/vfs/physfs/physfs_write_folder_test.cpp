// What a game writes through PhysicsFS into a WritableFolder.
#include "kit/emulator.h"
#include "kit/files.h"
#include "physfs_game.h"
#include "vfs/test_bundle.h"

#include <fardel/vfs/physfs_archiver.h>
#include <fardel/vfs/pure_check.h>
#include <fardel/vfs/writable_folder.h>
#include <physfs.h>

namespace fardel::tests::physfs_write_folder_test {

using OpenForWriting = PHYSFS_File* (*)(const char*);

std::string physfs_write(const char* name, std::string_view text, OpenForWriting open = PHYSFS_openWrite) {
    PHYSFS_File* const file = open(name);
    if (file == nullptr)
        return "open: " + physfs_outcome(false);
    const bool written = PHYSFS_writeBytes(file, text.data(), text.size()) == static_cast<PHYSFS_sint64>(text.size());
    return physfs_outcome(PHYSFS_close(file) != 0 && written);
}

struct SavingGame {
    const ScratchFolder scratch;
    const PhysfsGame game;
    const WritableFolder saves =
        value_of(WritableFolder::open(scratch.path("user"), {.bytes_max = 1000, .files_max = 10}));
    SavingGame() { REQUIRE(write_through_physfs(saves)); }
    ~SavingGame() { PHYSFS_setWriteDir(nullptr); }
};

TEST_CASE_FIXTURE(SavingGame, "physfs write folder: files are written, read, listed and removed by PhysicsFS's calls") {
    CHECK(physfs_write("slots/1/world.sav", "first") == "ok");
    CHECK(text_of(value_of(saves.read("slots/1/world.sav"))) == "first");
    CHECK(physfs_content("<saves>/slots/1/world.sav") == "first");
    CHECK(physfs_content("slots/1/world.sav") == "<open: not found>");
    CHECK(physfs_listing("<saves>/slots") == "1");
    CHECK(physfs_stat("<saves>/slots/1/world.sav") == "regular 5 rw");
    CHECK(physfs_real_dir("<saves>/slots/1/world.sav") == saves.path());
    CHECK(physfs_write("slots/1/world.sav", "second") == "ok");
    CHECK(physfs_write("slots/1/world.sav", " and more", PHYSFS_openAppend) == "ok");
    CHECK(physfs_write("log", "new", PHYSFS_openAppend) == "ok");
    CHECK(physfs_content("<saves>/slots/1/world.sav") == "second and more");
    CHECK(physfs_content("<saves>/log") == "new");
    CHECK(physfs_outcome(PHYSFS_delete("slots/1/world.sav") != 0) == "ok");
    CHECK(physfs_outcome(PHYSFS_delete("slots/1/world.sav") != 0) == "not found");
    CHECK(physfs_listing("<saves>") == "log");  // folders go with their last file
    CHECK(physfs_outcome(PHYSFS_mkdir("slots/2") != 0) == "ok");
    CHECK(physfs_outcome(PHYSFS_mkdir("log") != 0) != "ok");
}

TEST_CASE_FIXTURE(SavingGame, "physfs write folder: a file is the old one until PHYSFS_close() has succeeded") {
    REQUIRE(physfs_write("world.sav", "old") == "ok");
    PHYSFS_File* file = PHYSFS_openWrite("world.sav");
    REQUIRE(file != nullptr);
    REQUIRE(PHYSFS_writeBytes(file, "new", 3) == 3);
    CHECK(physfs_content("<saves>/world.sav") == "old");
    CHECK(PHYSFS_tell(file) == 3);
    CHECK(PHYSFS_seek(file, 0) == 0);
    CHECK(PHYSFS_close(file) != 0);
    CHECK(physfs_content("<saves>/world.sav") == "new");

    // PhysicsFS 3.0 writes its buffer and does not flush; later versions may replace the file here.
    file = PHYSFS_openWrite("world.sav");
    REQUIRE(PHYSFS_setBuffer(file, 64) != 0);
    REQUIRE(PHYSFS_writeBytes(file, "one", 3) == 3);
    REQUIRE(PHYSFS_flush(file) != 0);
    const std::string flushed = physfs_content("<saves>/world.sav");
    CHECK((flushed == "new" || flushed == "one"));
    REQUIRE(PHYSFS_writeBytes(file, " two", 4) == 4);
    CHECK(physfs_content("<saves>/world.sav") == flushed);
    CHECK(PHYSFS_close(file) != 0);
    CHECK(physfs_content("<saves>/world.sav") == "one two");
}

TEST_CASE_FIXTURE(SavingGame, "physfs write folder: the quota holds, and what exceeds it leaves the old file") {
    REQUIRE(physfs_write("world.sav", "old") == "ok");
    CHECK(physfs_write("world.sav", std::string(1001, 'x')) == "no space available for writing");
    CHECK(physfs_content("<saves>/world.sav") == "old");
    CHECK(physfs_listing("<saves>") == "world.sav");
}

TEST_CASE_FIXTURE(SavingGame, "physfs write folder: no link and no name leads out of it") {
    if (!can_make_links())
        return;
    const std::string outside = scratch.write("outside.txt", "mine");
    scratch.write("elsewhere/a", "mine, too");
    fs::create_symlink(outside, saves.path() + "/link");
    fs::create_directory_symlink(scratch.path("elsewhere"), saves.path() + "/folder");
    CHECK(physfs_write("link", "cheat").starts_with("open: "));
    CHECK(physfs_write("folder/a", "cheat").starts_with("open: "));
    CHECK(physfs_outcome(PHYSFS_delete("folder/a") != 0) != "ok");
    CHECK(physfs_content("<saves>/link").starts_with("<open: "));
    CHECK(physfs_content("<saves>/folder/a").starts_with("<open: "));
    CHECK(physfs_listing("<saves>").empty());
    for (const char* name : {"../outside.txt", "a/../../outside.txt", ".fardel-lock", "con", "a:b", "bad\\name"})
        CHECK_MESSAGE(physfs_write(name, "cheat").starts_with("open: "), name);
    CHECK(read_file(outside) == "mine");
    CHECK(read_file(scratch.path("elsewhere/a")) == "mine, too");
}

TEST_CASE_FIXTURE(SavingGame, "physfs write folder: content hides nothing of it, it hides no content, in any order") {
    const auto vfs = std::make_shared<Vfs>();
    mount(*vfs, BundleMaker().add("wall", "content").add("saves/wall", "content, too").write());
    REQUIRE(mount_into_physfs(vfs, {.name = "the game", .mount_point = "/", .append = false}));
    REQUIRE(physfs_write("wall", "saved") == "ok");
    CHECK(physfs_content("wall") == "content");
    CHECK(physfs_content("saves/wall") == "content, too");
    CHECK(physfs_content("<saves>/wall") == "saved");
    PHYSFS_unmount("the game");
    REQUIRE(mount_into_physfs(vfs, {.name = "the game", .mount_point = "/", .append = true}));
    CHECK(physfs_content("wall") == "content");
    CHECK(physfs_content("<saves>/wall") == "saved");
}

TEST_CASE_FIXTURE(SavingGame, "physfs write folder: pure mode leaves it alone") {
    const auto vfs = std::make_shared<Vfs>();
    const Bytes base = BundleMaker().add("wall", "the server's").title("base").write();
    mount(*vfs, base);
    REQUIRE(mount_into_physfs(vfs, {.name = "the game", .mount_point = "/"}));
    PureRules rules;
    rules.unsigned_allowed = true;
    rules.bundles = {{.bundle = bundle_id_of(base), .mount_point = "", .name = "base"}};
    const auto lock = value_of(PhysfsPureLock::enter(vfs, value_of(PurePolicy::make(rules))));
    CHECK(physfs_write("slot", "saved") == "ok");
    CHECK(physfs_content("<saves>/slot") == "saved");
    CHECK(physfs_content("slot") == "<open: not found>");
    CHECK(lock.report().empty());
}

TEST_CASE("physfs write folder: a mount point that content could have, and a second time, are refused") {
    const ScratchFolder scratch;
    const PhysfsGame game;
    const WritableFolder saves = value_of(WritableFolder::open(scratch.path("user")));
    CHECK(outcome_of(write_through_physfs(saves, "user")) == "malformed");
    CHECK(outcome_of(write_through_physfs(saves, "")) == "malformed");
    CHECK(outcome_of(write_through_physfs(saves, "user/<saves>")) == "malformed");
    CHECK(write_through_physfs(saves, "<mine>/saves"));
    CHECK(outcome_of(write_through_physfs(saves)) == "conflict");
    CHECK(physfs_write("a", "1") == "ok");
    CHECK(physfs_content("<mine>/saves/a") == "1");
    CHECK(PHYSFS_setWriteDir(nullptr) != 0);
    CHECK(physfs_write("a", "2").starts_with("open: "));
    CHECK(physfs_content("<mine>/saves/a") == "1");  // until it is unmounted
    CHECK(PHYSFS_unmount(saves.path().c_str()) != 0);
    CHECK(physfs_content("<mine>/saves/a") == "<open: not found>");
}

}  // namespace fardel::tests::physfs_write_folder_test
