#include <fardel/vfs/writable_folder.h>

#include "kit/bundles.h"
#include "kit/disks.h"
#include "kit/failing_call.h"
#include "kit/power_loss.h"
#include "vfs/test_bundle.h"

#include <fardel/base/file.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace fardel::tests::writable_folder_test {

WritableFolder open(const std::string& path, const WritableOptions& options = {}) {
    return value_of(WritableFolder::open(path, options));
}

std::string text_in(const WritableFolder& folder, std::string_view name) {
    const auto bytes = folder.read(name);
    return bytes ? std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()) : bytes.error().text();
}

std::string names_in(const WritableFolder& folder, std::string_view name = {}) {
    std::string text;
    for (const WritableEntry& entry : value_of(folder.list(name)))
        text += (text.empty() ? "" : " ") + entry.name + (entry.is_folder ? "/" : "");
    return text;
}

std::string refusal(const WritableFolder& folder, std::string_view name) {
    return outcome_of(folder.write(name, bytes_of("x")));
}

TEST_CASE("writable folder: what is written is read, listed, replaced and removed") {
    const ScratchFolder scratch;
    const std::string path = scratch.path("home/studio/game");
    const WritableFolder folder = open(path);
    REQUIRE(folder.write("settings.cfg", bytes_of("volume 3")));
    REQUIRE(folder.write("saves/slot 1/world.sav", bytes_of("level 1")));
    REQUIRE(folder.write("saves/slot 1/world.sav", bytes_of("level 12")));
    CHECK(text_in(folder, "settings.cfg") == "volume 3");
    CHECK(text_in(folder, "saves/slot 1/world.sav") == "level 12");
    CHECK(scratch.read("home/studio/game/saves/slot 1/world.sav") == "level 12");
    CHECK(names_in(folder) == "saves/ settings.cfg");
    CHECK(names_in(folder, "saves/slot 1") == "world.sav");
    CHECK(names_in(folder, "screenshots").empty());
    const auto entry = value_of(folder.find_stat("saves/slot 1/world.sav"));
    REQUIRE(entry);
    CHECK(entry->name == "world.sav");
    CHECK(entry->size_bytes == 8);
    CHECK(entry->modified.seconds > 1'600'000'000);
    CHECK(value_of(folder.find_stat("saves"))->is_folder);
    CHECK_FALSE(value_of(folder.find_stat("saves/slot 2")));
    CHECK(outcome_of(folder.read("saves/slot 2/world.sav")) == "missing");
    CHECK(value_of(folder.use()).bytes == 16);
    CHECK(value_of(folder.use()).files == 4);

    CHECK(outcome_of(folder.remove("saves")) == "conflict");
    CHECK(value_of(folder.remove("saves/slot 1/world.sav")));
    CHECK_FALSE(value_of(folder.remove("saves/slot 1/world.sav")));
    CHECK_FALSE(fs::exists(path + "/saves"));  // folders go with their last file
    CHECK(names_in(folder) == "settings.cfg");
}

TEST_CASE("writable folder: a file that is written in parts has its name when it is committed, or never") {
    const ScratchFolder scratch;
    const WritableFolder folder = open(scratch.path("game"));
    REQUIRE(folder.write("shot.png", bytes_of("old")));
    const auto before = value_of(folder.open_file("shot.png"));
    {
        auto file = value_of(folder.create("shot.png"));
        REQUIRE(file.write(bytes_of("new ")));
        REQUIRE(file.write({}));
        REQUIRE(file.write(bytes_of("picture")));
        CHECK(text_in(folder, "shot.png") == "old");
        CHECK(names_in(folder) == "shot.png");
        REQUIRE(file.commit());
        CHECK(outcome_of(file.commit()) == "conflict");
    }
    CHECK(text_in(folder, "shot.png") == "new picture");
    Bytes old(3);
    REQUIRE(before->read_at(0, old));  // what was open stays what it was
    CHECK(old == bytes_of("old"));
    {
        auto file = value_of(folder.create("lost/shot.png"));
        REQUIRE(file.write(bytes_of("x")));
    }
    CHECK(names_in(folder) == "shot.png");  // and no folder
    CHECK(outcome_of(folder.write("deep/er/.fardel", {})) == "malformed");
    CHECK(names_in(folder) == "shot.png");
    CHECK(temporary_files(scratch.root()) == 0);
}

TEST_CASE("writable folder: names are those of bundles, and none leaves the folder") {  // A157
    const ScratchFolder scratch;
    const WritableFolder folder = open(scratch.path("game"));
    for (const char* name :
         {"", "..", "../out", "a/../../out", "/etc/out", "./a", "a//b", "a/", "a\\b", "C:out", "con", "saves/NUL.txt",
          "a ", "a.", "what?", "\xff", ".fardel-lock", ".FARDEL-lock", "saves/.fardel-1-1.tmp"}) {
        CAPTURE(name);
        CHECK(refusal(folder, name) == "malformed");
        CHECK(outcome_of(folder.read(name)) == "malformed");
        CHECK(outcome_of(folder.remove(name)) == "malformed");
        CHECK(outcome_of(folder.find_stat(name)) == "malformed");
    }
    CHECK(refusal(folder, std::string_view("cut\0tail", 8)) == "malformed");
    CHECK(refusal(folder, std::string(300, 'n')) == "limit");
    CHECK(files_below(scratch.root()).size() == 1);  // the lock

    REQUIRE(folder.write("Saves/World.sav", bytes_of("x")));
    CHECK(refusal(folder, "saves/other.sav") == "conflict");  // one folder on Windows and macOS
    CHECK(refusal(folder, "Saves/world.sav") == "conflict");
    CHECK(refusal(folder, "Saves/WORLD.SAV") == "conflict");
    REQUIRE(folder.write("Autosave before the boss.sav", bytes_of("x")));
    CHECK(refusal(folder, "AUTOSA~1.SAV") == "conflict");       // the second name of the one above on FAT
    CHECK(refusal(folder, "Saves") == "conflict");              // a folder
    CHECK(refusal(folder, "Saves/World.sav/a") == "conflict");  // a file
    CHECK(outcome_of(folder.read("Saves/World.sav/a")) == "missing");
}

TEST_CASE("writable folder: links and devices in it are refused and not followed") {  // A157
    const ScratchFolder scratch;
    const WritableFolder folder = open(scratch.path("game"));
    const std::string secret = scratch.write("outside/secret", "untouched");
    fs::create_symlink(secret, scratch.path("game/link"));
    fs::create_symlink(scratch.path("outside"), scratch.path("game/folder"));
    fs::create_symlink("nowhere", scratch.path("game/dangling"));
    REQUIRE(::mkfifo(scratch.path("game/fifo").c_str(), 0600) == 0);
    for (const char* name : {"link", "dangling", "fifo", "folder/secret", "folder/new", "folder/deep/new"}) {
        CAPTURE(name);
        CHECK(refusal(folder, name) == "denied");
        CHECK(outcome_of(folder.read(name)) == "denied");
        CHECK(outcome_of(folder.find_stat(name)) == "denied");
        CHECK(outcome_of(folder.remove(name)) == "denied");
    }
    CHECK(outcome_of(folder.list("folder")) == "denied");
    CHECK(names_in(folder).empty());
    CHECK(value_of(folder.use()).bytes == 0);
    CHECK(files_below(scratch.path("outside")) == std::map<std::string, std::string>{{"secret", "untouched"}});
    CHECK(fs::is_symlink(scratch.path("game/link")));

    // A second name of a file outside: the name gets other content, the file does not.
    fs::create_hard_link(secret, scratch.path("game/twin"));
    REQUIRE(folder.write("twin", bytes_of("mine")));
    CHECK(read_file(secret) == "untouched");
}

TEST_CASE("writable folder: a link that takes the position of a folder meanwhile leads nowhere") {  // A157
    const ScratchFolder scratch;
    const WritableFolder folder = open(scratch.path("game"));
    REQUIRE(folder.write("slots/kept", bytes_of("x")));
    fs::create_directory(scratch.path("outside"));
    fs::create_symlink(scratch.path("outside"), scratch.path("game/link"));
    std::atomic<bool> over = false;
    std::thread swapper([&] {
        while (!over)
            static_cast<void>(exchange_files(scratch.path("game/link"), scratch.path("game/slots"), "test"));
    });
    for (int i = 0; i < 500; ++i) {
        static_cast<void>(folder.write("slots/new", bytes_of("x")));
        static_cast<void>(folder.remove("slots/new"));
        static_cast<void>(folder.read("slots/kept"));
    }
    over = true;
    swapper.join();
    CHECK(fs::is_empty(scratch.path("outside")));
}

TEST_CASE("writable folder: a file does not follow its folder to elsewhere") {  // A157
    const ScratchFolder scratch;
    const WritableFolder folder = open(scratch.path("game"));
    auto file = value_of(folder.create("slots/one"));
    REQUIRE(file.write(bytes_of("x")));
    fs::rename(scratch.path("game/slots"), scratch.path("elsewhere"));
    CHECK(outcome_of(file.commit()) == "conflict");
    CHECK_FALSE(fs::exists(scratch.path("elsewhere/one")));
}

TEST_CASE("writable folder: the quota counts what is there, whoever wrote it and when") {  // A157
    const ScratchFolder scratch;
    const WritableOptions options{.bytes_max = 100, .files_max = 4};
    const std::string path = scratch.path("game");
    REQUIRE(open(path, options).write("a", Bytes(60)));
    const WritableFolder folder = open(path, options);  // after a restart
    CHECK(outcome_of(folder.write("b", Bytes(41))) == "no_space");
    REQUIRE(folder.write("b", Bytes(40)));
    CHECK(outcome_of(folder.write("c", Bytes(1))) == "no_space");
    CHECK(outcome_of(folder.write("a", Bytes(61))) == "no_space");
    REQUIRE(folder.write("a", Bytes(60)));
    REQUIRE(folder.write("a", Bytes(50)));
    CHECK(value_of(folder.use()).bytes == 90);
    scratch.write("game/by hand", "12345678901");
    CHECK(outcome_of(folder.write("c", Bytes(0))) == "no_space");  // 101 bytes already
    REQUIRE(folder.write("b", Bytes(40)));                         // which does not grow
    REQUIRE(folder.write("a", Bytes(1)));
    REQUIRE(folder.write("c", Bytes(1)));
    CHECK(outcome_of(folder.write("d", Bytes(1))) == "no_space");  // a fifth file
    CHECK(outcome_of(folder.write("e/f", Bytes(1))) == "no_space");
    REQUIRE(folder.remove("c"));
    REQUIRE(folder.write("d", Bytes(1)));

    auto endless = value_of(folder.create("d"));
    REQUIRE(endless.write(Bytes(100)));
    CHECK(outcome_of(endless.write(Bytes(1))) == "no_space");  // before anything is committed
    CHECK(outcome_of(endless.write({})) == "no_space");
    CHECK(outcome_of(endless.commit()) == "no_space");
    CHECK(value_of(folder.read("d")).size() == 1);
}

TEST_CASE("writable folder: the processes that use it keep the quota together") {
    const ScratchFolder scratch;
    const std::string path = scratch.path("game");
    const WritableOptions options{.bytes_max = 50'000, .files_max = 40};
    std::vector<pid_t> children;
    for (int child = 0; child < 4; ++child) {
        children.push_back(::fork());
        REQUIRE(children.back() >= 0);
        if (children.back() != 0)
            continue;
        const auto folder = WritableFolder::open(path, options);
        for (int i = 0; folder && i < 20; ++i) {
            const std::string name = "slot " + std::to_string(child) + "/" + std::to_string(i);
            const Status written = folder->write(name, Bytes(3000));
            const Status shared = folder->write("shared", Bytes(static_cast<std::size_t>(i) * 10));
            for (const Status& status : {written, shared})
                if (!status && status.error().code() != ErrorCode::no_space)
                    ::_exit(1);
        }
        ::_exit(folder ? 0 : 1);
    }
    for (const pid_t child : children) {
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        CHECK(status == 0);
    }
    const WritableUse use = value_of(open(path, options).use());
    CHECK(use.bytes <= 50'000);
    CHECK(use.bytes > 40'000);
    CHECK(use.files <= 40);
    CHECK(temporary_files(scratch.root()) == 0);
}

TEST_CASE("writable folder: a full disk leaves the old file, and removing makes room") {
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "256k");
    if (disk.is_missing())
        return;
    const WritableFolder folder = open(disk.path("game"));
    REQUIRE(folder.write("save", Bytes(5000, std::byte{1})));
    REQUIRE(folder.write("old shot", Bytes(100'000)));
    disk.fill();
    CHECK(outcome_of(folder.write("save", Bytes(6000, std::byte{2}))) == "no_space");
    CHECK(value_of(folder.read("save")) == Bytes(5000, std::byte{1}));
    CHECK(names_in(folder) == "old shot save");
    REQUIRE(folder.remove("old shot"));
    REQUIRE(folder.write("save", Bytes(6000, std::byte{2})));
    CHECK(temporary_files(disk.root()) == 0);
}

TEST_CASE("writable folder: what may only be read is read") {
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "256k");
    if (disk.is_missing())
        return;
    REQUIRE(open(disk.path("game")).write("save", bytes_of("level 1")));
    REQUIRE(disk.make_read_only());
    const WritableFolder folder = open(disk.path("game"));
    CHECK(text_in(folder, "save") == "level 1");
    CHECK(refusal(folder, "save") == "denied");
    CHECK(outcome_of(folder.remove("save")) == "denied");
}

TEST_CASE("writable folder: it is no part of the tree, and pure mode leaves it alone") {
    const ScratchFolder scratch;
    Vfs vfs;
    mount(vfs, BundleMaker().add("settings.cfg", "content's").write());
    const WritableFolder folder = open(scratch.path("game"));
    REQUIRE(folder.write("settings.cfg", bytes_of("mine")));
    REQUIRE(folder.write("saves/a", bytes_of("mine")));
    CHECK(content_at(vfs, "settings.cfg") == "content's");
    CHECK_FALSE(vfs.exists("saves"));
    vfs.enter_pure(value_of(PurePolicy::parse("fardel-pure 1\n")));
    REQUIRE(folder.write("saves/a", bytes_of("mine, too")));
    CHECK(text_in(folder, "saves/a") == "mine, too");
    CHECK(text_in(folder, "settings.cfg") == "mine");
    CHECK_FALSE(vfs.exists("saves/a"));
}

TEST_CASE("writable folder: the user's folder is that of the system") {
    const ScratchFolder scratch;
    const char* const home = std::getenv("HOME");
    const std::string before = home != nullptr ? home : "";
    ::unsetenv("XDG_DATA_HOME");
    ::setenv("HOME", scratch.root().c_str(), 1);
    CHECK(value_of(user_data_folder("Studio", "The Game")) == scratch.path(".local/share/Studio/The Game"));
    CHECK(outcome_of(user_data_folder("Studio", "..")) == "malformed");
    CHECK(outcome_of(user_data_folder("a/b", "Game")) == "malformed");
    CHECK(outcome_of(user_data_folder("", "Game")) == "malformed");
    ::setenv("XDG_DATA_HOME", "relative", 1);
    CHECK(value_of(user_data_folder("Studio", "Game")) == scratch.path(".local/share/Studio/Game"));
    ::setenv("XDG_DATA_HOME", "/data", 1);
    CHECK(value_of(user_data_folder("Studio", "Game")) == "/data/Studio/Game");
    ::unsetenv("XDG_DATA_HOME");
    ::setenv("HOME", scratch.path("nobody").c_str(), 1);
    CHECK(outcome_of(user_data_folder("Studio", "Game")) == "missing");
    ::setenv("HOME", before.c_str(), 1);
}

#if defined(FARDEL_CAN_FAIL_CALLS)

constexpr std::string_view kOld = "the old game, which took all evening";
constexpr std::string_view kNew = "the new game";

// The old file or the new one, and nothing else that the game sees.
void verify_whole(const std::string& path) {
    const WritableFolder folder = open(path);
    const std::string save = text_in(folder, "saves/world");
    CHECK((save == kOld || save == kNew));
    CHECK(names_in(folder, "saves") == "world");
    CHECK(temporary_files(path) == 0);
}

int write_new(const std::string& path) {
    const auto folder = WritableFolder::open(path);
    return folder ? exit_code_of(folder->write("saves/world", bytes_of(kNew))) : exit_code_of(folder);
}

TEST_CASE("writable folder: killed at any call, it has the old file or the new one") {
    const ScratchFolder scratch;
    const std::string path = scratch.path("game");
    const auto prepare = [&] {
        fs::remove_all(path);
        REQUIRE(open(path).write("saves/world", bytes_of(kOld)));
    };
    const auto verify = [&](int, bool has_ended) {
        verify_whole(path);
        if (has_ended)
            CHECK(text_in(open(path), "saves/world") == kNew);
    };
    CHECK(kill_at_each_call(
              200, prepare, [&] { return write_new(path); }, verify) > 5);
}

TEST_CASE("writable folder: any failing call leaves the old file or the new one") {
    const ScratchFolder scratch;
    const std::string path = scratch.path("game");
    const auto prepare = [&] {
        fs::remove_all(path);
        REQUIRE(open(path).write("saves/world", bytes_of(kOld)));
    };
    const auto verify = [&](const FailedCall& failed) {
        verify_whole(path);
        if (failed.exit_code == 0)
            CHECK(text_in(open(path), "saves/world") == kNew);
    };
    CHECK(fail_each_call(
              500, {EIO, ENOSPC, EDQUOT}, prepare, [&] { return write_new(path); }, verify) > 10);
}

TEST_CASE("writable folder: a power failure leaves the old file or the new one") {
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "1m");
    if (disk.is_missing())
        return;
    const std::string path = disk.path("game");
    REQUIRE(open(path).write("saves/world", bytes_of(kOld)));
    const RecordedFolder recorded(path, [&] { return write_new(path); });
    CHECK(recorded.exit_code() == 0);
    const std::string out = scratch.path("after");
    for_each_power_loss(recorded, out, 5, [&](std::size_t step) {
        verify_whole(out);
        if (step + 1 == recorded.steps())
            CHECK(text_in(open(out), "saves/world") == kNew);
    });
}

#endif

}  // namespace fardel::tests::writable_folder_test
