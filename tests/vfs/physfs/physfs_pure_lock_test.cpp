// Pure mode for the whole search path of PhysicsFS.
#include "kit/bundles.h"
#include "kit/files.h"
#include "physfs_game.h"
#include "vfs/restricted_content.h"
#include "vfs/test_bundle.h"

#include <fardel/vfs/physfs_archiver.h>
#include <fardel/vfs/pure_check.h>
#include <fardel/vfs/writable_folder.h>
#include <physfs.h>

namespace fardel::tests::physfs_pure_lock_test {

std::string search_path() {
    std::string out;
    char** const list = PHYSFS_getSearchPath();
    for (char** name = list; *name != nullptr; ++name) {
        const std::string text = *name;
        out += (out.empty() ? "" : " ") + text.substr(text.find_last_of('/') + 1) + "@" + PHYSFS_getMountPoint(*name);
    }
    PHYSFS_freeList(list);
    return out;
}

// A game with a Vfs in the search path, and in front of it and behind it what a player may have there.
struct Installed {
    Installed() {
        for (const std::string name : {"front", "zip", "folder"}) {
            scratch.write(name + "/wall", "from " + name);
            scratch.write(name + "/cheat", "from " + name);
        }
        const std::string line = "cd '" + scratch.path("zip") + "' && zip -q -r '" + scratch.path("x.zip") + "' .";
        REQUIRE(std::system(line.c_str()) == 0);
        scratch.write("x.fardel", mod);
        mount(*vfs, base);
        MountOptions brought = unsigned_at();
        brought.pure_only = true;
        mount(*vfs, map, brought);
        PureRules rules;
        rules.unsigned_allowed = true;
        rules.bundles = {{.bundle = bundle_id_of(base), .mount_point = "", .name = "base"},
                         {.bundle = bundle_id_of(map), .mount_point = "", .name = "map"}};
        policy = value_of(PurePolicy::make(rules));
    }
    // front, x.fardel, the Vfs, x.zip at /zips, folder
    void fill_search_path() const {
        REQUIRE(physfs_mount(scratch.path("front")) == "ok");
        REQUIRE(physfs_mount(scratch.path("x.fardel")) == "ok");
        REQUIRE(mount_into_physfs(vfs, {.name = "the game", .mount_point = "/"}));
        REQUIRE(physfs_mount(scratch.path("x.zip"), "/zips/") == "ok");
        REQUIRE(physfs_mount(scratch.path("folder")) == "ok");
    }

    ScratchFolder scratch;
    Bytes base = BundleMaker().add("wall", "the player's").add("base", "base").title("base").write();
    Bytes map = BundleMaker().add("wall", "the server's").add("map", "map").title("map").write();
    Bytes mod = BundleMaker().add("wall", "from x.fardel").add("cheat", "from x.fardel").title("mod").write();
    std::shared_ptr<Vfs> vfs = std::make_shared<Vfs>();
    std::optional<PurePolicy> policy;
};

const std::string kBefore = "front@/ x.fardel@/ the game@/ x.zip@zips/ folder@/";

struct InstalledGame {
    const Installed installed;
    const PhysfsGame game;
};

TEST_CASE_FIXTURE(
    InstalledGame,
    "physfs pure lock: zips, folders and bundles beside the server's content are hidden, and come back in order") {
    installed.fill_search_path();
    CHECK(search_path() == kBefore);
    CHECK(physfs_content("wall") == "from front");
    CHECK(physfs_content("map") == "<open: not found>");
    {
        const auto lock = PhysfsPureLock::enter(installed.vfs, *installed.policy);
        REQUIRE_MESSAGE(lock, lock.error().text());
        CHECK(lock->report().empty());
        CHECK(search_path() == "the game@/");
        CHECK(physfs_content("wall") == "the server's");
        CHECK(physfs_content("map") == "map");
        CHECK(physfs_content("cheat") == "<open: not found>");
        CHECK(physfs_content("zips/cheat") == "<open: not found>");
        CHECK(physfs_listing("") == "base map wall");
        CHECK(outcome_of(PhysfsPureLock::enter(installed.vfs, *installed.policy)) == "conflict");
    }
    CHECK(search_path() == kBefore);
    CHECK(physfs_content("wall") == "from front");
    CHECK(physfs_content("zips/cheat") == "from zip");
    CHECK(physfs_content("map") == "<open: not found>");
}

std::string physfs_write(const char* name, std::string_view text) {
    PHYSFS_File* const file = PHYSFS_openWrite(name);
    const bool written =
        file != nullptr && PHYSFS_writeBytes(file, text.data(), text.size()) == static_cast<PHYSFS_sint64>(text.size());
    return physfs_outcome((file == nullptr || PHYSFS_close(file) != 0) && written);
}

TEST_CASE_FIXTURE(InstalledGame, "physfs pure lock: a game writes beside bundles and in pure mode, and hides nothing") {
    const std::string path = installed.scratch.path("saves");
    const WritableFolder saves = value_of(WritableFolder::open(path));
    REQUIRE(mount_into_physfs(installed.vfs, {.name = "the game", .mount_point = "/"}));
    REQUIRE(PHYSFS_setWriteDir(path.c_str()) != 0);
    REQUIRE(PHYSFS_mount(path.c_str(), "/user", 0) != 0);
    CHECK(physfs_write("wall", "saved") == "ok");
    CHECK(physfs_content("wall") == "the player's");
    CHECK(physfs_content("user/wall") == "saved");
    {
        auto lock = value_of(PhysfsPureLock::enter(installed.vfs, *installed.policy));
        CHECK(physfs_content("wall") == "the server's");
        CHECK(physfs_write("wall", "saved again") == "ok");
        CHECK(physfs_write("slots/1", "first slot") == "not found");  // PhysicsFS creates no folders
        REQUIRE(PHYSFS_mkdir("slots") != 0);
        CHECK(physfs_write("slots/1", "first slot") == "ok");
        CHECK(physfs_content("user/wall") == "<open: not found>");
        CHECK(text_of(value_of(saves.read("wall"))) == "saved again");  // its own folder is open to the game
        CHECK(text_of(value_of(saves.read("slots/1"))) == "first slot");
        REQUIRE(saves.write("slots/1", bytes_of("atomic")));
    }
    CHECK(physfs_content("user/slots/1") == "atomic");
    REQUIRE(PHYSFS_setWriteDir(nullptr) != 0);
}

TEST_CASE_FIXTURE(InstalledGame, "physfs pure lock: what is mounted meanwhile is refused, or reported to the server") {
    installed.fill_search_path();
    auto lock = value_of(PhysfsPureLock::enter(installed.vfs, *installed.policy));
    CHECK(physfs_mount(installed.scratch.path("x.fardel")) != "ok");
    CHECK_FALSE(mount_into_physfs(std::make_shared<Vfs>(), {.name = "another"}));
    CHECK(mount_into_physfs(installed.vfs, {.name = "once more", .mount_point = "/more"}));
    CHECK(lock.report().empty());

    REQUIRE(PHYSFS_mount(installed.scratch.path("x.zip").c_str(), "/", 0) != 0);
    const PureReport report = lock.report();
    REQUIRE(report.problems().size() == 1);
    CHECK(report.problems()[0].fault == PureFault::not_allowed);
    CHECK(report.problems()[0].name == "x.zip");  // and no path of the player's disk
    PureOffer offer{};
    offer.policy = installed.policy->digest();
    const PureReply reply = value_of(lock.answer(offer, {}, "alice"));
    CHECK(reply.report.format() == report.format());
    CHECK(reply.answer.proof.is_zero());
    REQUIRE(PHYSFS_unmount(installed.scratch.path("x.zip").c_str()) != 0);
    CHECK_FALSE(value_of(lock.answer(offer, {}, "alice")).answer.proof.is_zero());
}

TEST_CASE_FIXTURE(
    InstalledGame,
    "physfs pure lock: zips and folders that the game mounts meanwhile are unmounted, unless a file is open") {
    installed.fill_search_path();
    auto lock = value_of(PhysfsPureLock::enter(installed.vfs, *installed.policy));
    CHECK(lock.unmount_newcomers());
    REQUIRE(PHYSFS_mount(installed.scratch.path("x.zip").c_str(), "/", 0) != 0);
    REQUIRE(PHYSFS_mount(installed.scratch.path("folder").c_str(), "/", 1) != 0);
    REQUIRE(physfs_content("wall") == "from zip");
    REQUIRE(physfs_content("cheat") == "from zip");
    CHECK(lock.unmount_newcomers());
    CHECK(search_path() == "the game@/");
    CHECK(physfs_content("wall") == "the server's");
    CHECK(physfs_content("cheat") == "<open: not found>");
    CHECK(lock.report().empty());

    REQUIRE(PHYSFS_mount(installed.scratch.path("x.zip").c_str(), "/", 0) != 0);
    REQUIRE(PHYSFS_mount(installed.scratch.path("folder").c_str(), "/", 1) != 0);
    PHYSFS_File* const open = PHYSFS_openRead("wall");
    REQUIRE(open != nullptr);
    const Status busy = lock.unmount_newcomers();
    REQUIRE_FALSE(busy);
    CHECK(busy.error().code() == ErrorCode::busy);
    CHECK(busy.error().text().find("x.zip") != std::string::npos);
    CHECK(search_path() == "x.zip@/ the game@/");
    CHECK(lock.report().problems().size() == 1);
    PHYSFS_close(open);
    CHECK(lock.unmount_newcomers());
    CHECK(lock.leave());
    CHECK(search_path() == kBefore);
}

TEST_CASE_FIXTURE(InstalledGame,
                  "physfs pure lock: what could not be mounted again is refused before anything changes") {
    installed.fill_search_path();
    std::string expected = "unsupported";
    SUBCASE("a Vfs that is not locked") { REQUIRE(mount_into_physfs(std::make_shared<Vfs>(), {.name = "another"})); }
    SUBCASE("an archive from a handle") {  // as one in memory, of which PhysicsFS 3.0.2 leaks its copy
        installed.scratch.write("nested/inner.fardel", installed.mod);
        REQUIRE(PHYSFS_mount(installed.scratch.path("nested").c_str(), "/", 1) != 0);
        PHYSFS_File* const file = PHYSFS_openRead("inner.fardel");
        REQUIRE(file != nullptr);
        REQUIRE(PHYSFS_mountHandle(file, "inner.fardel", "/", 1) != 0);
    }
    SUBCASE("something between two mounts of the Vfs") {
        REQUIRE(mount_into_physfs(installed.vfs, {.name = "once more", .mount_point = "/more"}));
    }
    SUBCASE("a Vfs that PhysicsFS does not have") {
        expected = "missing";
        REQUIRE(PHYSFS_unmount("the game") != 0);
    }
    const std::string before = search_path();
    CHECK(outcome_of(PhysfsPureLock::enter(installed.vfs, *installed.policy)) == expected);
    CHECK(search_path() == before);
    CHECK(physfs_content("wall") == "from front");
    CHECK_FALSE(installed.vfs->pure_report());
    CHECK(physfs_mount(installed.scratch.write("y.fardel", BundleMaker().add("y", "y").write())) == "ok");
}

TEST_CASE_FIXTURE(
    InstalledGame,
    "physfs pure lock: an open file of an archive keeps pure mode away, and everything stays in its position") {
    installed.fill_search_path();
    std::string open;
    SUBCASE("of the first") { open = "cheat"; }
    SUBCASE("of one behind the Vfs") { open = "zips/cheat"; }
    PHYSFS_File* const file = PHYSFS_openRead(open.c_str());
    REQUIRE(file != nullptr);
    CHECK(outcome_of(PhysfsPureLock::enter(installed.vfs, *installed.policy)) == "busy");
    CHECK(search_path() == kBefore);
    CHECK_FALSE(installed.vfs->pure_report());
    REQUIRE(PHYSFS_close(file) != 0);
    CHECK(PhysfsPureLock::enter(installed.vfs, *installed.policy));
    CHECK(search_path() == kBefore);
}

TEST_CASE_FIXTURE(InstalledGame,
                  "physfs pure lock: an archive that is gone meanwhile is named at the end, and all others are back") {
    installed.fill_search_path();
    auto lock = value_of(PhysfsPureLock::enter(installed.vfs, *installed.policy));
    std::filesystem::remove(installed.scratch.path("x.zip"));
    const Status left = lock.leave();
    CHECK(outcome_of(left) == "missing");
    CHECK(left.error().message().find("x.zip") != std::string::npos);
    CHECK(search_path() == "front@/ x.fardel@/ the game@/ folder@/");
}

TEST_CASE("physfs pure lock: a name gives no variant and no author's bundle that the policy does not allow") {
    auto by = AdmittedBy::key;
    SUBCASE("a key is admitted") {}
    SUBCASE("a role is admitted") { by = AdmittedBy::role; }
    const RestrictedContent content(by);
    const auto vfs = std::make_shared<Vfs>();
    content.each([&](const Bytes& bundle, const TrustPolicy& trust, int priority) {
        mount(*vfs, bundle, {.priority = priority, .policy = &trust, .allow_unsigned = true});
    });
    vfs->prefer(parse_variant_preference("quality=see-through").value());
    const PhysfsGame game;
    REQUIRE(mount_into_physfs(vfs, {.name = "the game", .mount_point = "/"}));
    CHECK(physfs_content("wall") == "glass");
    CHECK(physfs_content("window") == "glass 2");
    CHECK(physfs_content("gfx/hud") == "stranger's hud");
    {
        const auto lock = PhysfsPureLock::enter(vfs, content.policy());
        REQUIRE_MESSAGE(lock, lock.error().text());
        CHECK(lock->report().problems().size() == 2);
        CHECK(physfs_content("wall") == "solid");
        CHECK(physfs_content("window").starts_with("<"));
        CHECK(physfs_content("gfx/hud") == "admitted hud");
        CHECK(physfs_content("gfx/good") == "good");
        CHECK(physfs_content("gfx/elsewhere") == "<open: not found>");
        CHECK(physfs_content("gfx/strange") == "<open: not found>");
        CHECK(physfs_listing("gfx") == "good hud");
    }
    CHECK(physfs_content("wall") == "glass");
    CHECK(physfs_content("gfx/strange") == "strange");
}

}  // namespace fardel::tests::physfs_pure_lock_test
