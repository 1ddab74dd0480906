// What Windows does in its own way: names, files that are open elsewhere, locks, watches and programs.
#include <fardel/base/code_page.h>
#include <fardel/base/confined_program.h>
#include <fardel/base/file.h>
#include <fardel/base/file_lock.h>
#include <fardel/base/folder.h>
#include <fardel/base/folder_watch.h>
#include <fardel/base/invocation.h>
#include <fardel/base/path_stamp.h>
#include <fardel/base/pipe.h>
#include <fardel/base/program.h>
#include <fardel/base/socket.h>
#include <fardel/base/user_folder.h>

#include "kit/files.h"

#include <cerrno>
#include <thread>

namespace fardel::tests::windows_test {

std::string content_of(const std::string& path) {
    const auto file = open_file(path, path);
    REQUIRE(file);
    return value_of(read_text(*file, 1000, path));
}

std::string cmd() { return std::string(std::getenv("SystemRoot")) + "\\system32\\cmd.exe"; }

TEST_CASE("windows: a file is created, written, read at an offset and cut") {
    const ScratchFolder scratch;
    const std::string path = scratch.path("file");
    const auto created = create_file(path, "new");
    REQUIRE(created);
    REQUIRE(write_whole(*created, bytes_of("hello "), "new"));
    REQUIRE(write_whole(*created, bytes_of("world"), "new"));
    REQUIRE(write_whole_at(*created, 6, bytes_of("there"), "new"));
    REQUIRE(sync_file(*created, "new"));
    CHECK(content_of(path) == "hello there");
    std::byte out[8];
    CHECK(value_of(read_whole_at(*created, 6, out, "new")) == 5);
    CHECK(value_of(read_whole_at(*created, 100, out, "new")) == 0);
    REQUIRE(resize_file(*created, 5, "new"));
    CHECK(content_of(path) == "hello");
    CHECK(code_of(create_file(path, "new")) == ErrorCode::conflict);
    const auto appended = open_appending(path, "log");
    REQUIRE(appended);
    REQUIRE(write_whole(*appended, bytes_of(" 1"), "log"));
    REQUIRE(write_whole(*created, bytes_of("X"), "new"));  // behind the eleven bytes that it has written
    REQUIRE(write_whole(*appended, bytes_of("2"), "log"));
    CHECK(content_of(path).starts_with("hello 1"));
    CHECK(content_of(path).ends_with("X2"));
}

TEST_CASE("windows: a file above 4 GiB is read and written, and mapped from any offset") {
    const ScratchFolder scratch;
    const std::string path = scratch.path("file");
    const auto file = create_file(path, path);
    REQUIRE(file);
    constexpr std::uint64_t kFar = (std::uint64_t{4} << 30) + 70'001;
    REQUIRE(write_whole_at(*file, kFar, bytes_of("far"), path));
    std::byte out[8];
    CHECK(value_of(read_whole_at(*file, kFar, out, path)) == 3);
    CHECK(value_of(file_status(*file, path)).size_bytes == kFar + 3);
    const auto mapped = map_file(*file, kFar, 3, path);
    REQUIRE(mapped);
    CHECK((*mapped)[0] == std::byte{'f'});
    CHECK((*mapped)[2] == std::byte{'r'});
}

TEST_CASE("windows: names are UTF-8, may be long, and none of them is a device") {
    const ScratchFolder scratch;
    const std::string deep =
        scratch.path(std::string(100, 'a') + "/" + std::string(100, 'b') + "/" + std::string(100, 'c'));
    REQUIRE(create_folders(deep));
    for (const std::string name : {"grüße.fardel", "日本.txt", "aux", "nul.txt", "end.", "space "}) {
        CAPTURE(name);
        const std::string path = deep + "/" + name;
        const auto created = create_file(path, path);
        REQUIRE(created);
        REQUIRE(write_whole(*created, bytes_of(name), path));
        CHECK(content_of(path) == name);
    }
    CHECK(value_of(list_names_at(deep)) ==
          std::vector<std::string>{"aux", "end.", "grüße.fardel", "nul.txt", "space ", "日本.txt"});
    REQUIRE(remove_tree(scratch.path(std::string(100, 'a'))));
    CHECK_FALSE(file_exists(scratch.path(std::string(100, 'a'))));
}

TEST_CASE("windows: both separators are taken, and a colon in a name is no stream") {
    const ScratchFolder scratch;
    scratch.write("folder/file", "content");
    CHECK(content_of(scratch.path("folder") + "\\file") == "content");
    CHECK(content_of(scratch.path("folder") + "\\..\\folder/.\\file") == "content");
    CHECK(value_of(real_path(scratch.path("folder") + "\\..\\FOLDER/.\\file", "x")).ends_with("/folder/file"));
    CHECK(code_of(create_file(scratch.path("folder/file:stream"), "x")) == ErrorCode::missing);
    CHECK(value_of(list_names_at(scratch.path("folder"))) == std::vector<std::string>{"file"});
    const auto folder = open_folder(scratch.path("folder"), "folder");
    REQUIRE(folder);
    const std::string name = "file";
    const std::string above = "../folder/file";
    const std::string none = "none";
    CHECK(open_file({*folder, name}, "x"));
    CHECK(open_file({*folder, above}, "x"));
    CHECK(code_of(open_file({*folder, none}, "x")) == ErrorCode::missing);
    CHECK(code_of(open_file(FilePath::of_root(scratch.path("folder")) / "../folder/file", "x")) ==
          ErrorCode::malformed);
    CHECK(open_file(FilePath::of_root(scratch.path("folder")) / "file", "x"));
}

TEST_CASE("windows: the error of opening says why") {
    const ScratchFolder scratch;
    const std::string file = scratch.write("file", "content");
    CHECK(code_of(open_file(scratch.path("none"), "x")) == ErrorCode::missing);
    CHECK(code_of(open_file(scratch.path("none/none"), "x")) == ErrorCode::missing);
    CHECK(code_of(open_file(scratch.path("what?"), "x")) == ErrorCode::missing);
    CHECK(code_of(open_folder(file, "x")) == ErrorCode::missing);
    CHECK(open_folder(file, "x").error().system_number() == ENOTDIR);
    CHECK(code_of(open_regular_file(scratch.path("."), "x")) == ErrorCode::malformed);
    CHECK(open_file(scratch.path("."), "x", {.access = FileAccess::read_write}).error().system_number() == EISDIR);
    CHECK(code_of(open_file(std::string("a\0b", 3), "x")) == ErrorCode::malformed);
    CHECK(value_of(create_folder(scratch.path("new"), "x")));
    CHECK_FALSE(value_of(create_folder(scratch.path("new"), "x")));
    scratch.write("new/file", "");
    CHECK(code_of(remove_folder(scratch.path("new"), "x")) == ErrorCode::conflict);
    CHECK(code_of(remove_file(scratch.path("new"), "x")) == ErrorCode::malformed);
    CHECK_FALSE(value_of(remove_file(scratch.path("none"), "x")));
    CHECK_FALSE(value_of(remove_folder(scratch.path("none"), "x")));
}

TEST_CASE("windows: an open file is replaced, renamed and removed, and whoever has it open reads on") {
    const ScratchFolder scratch;
    const std::string path = scratch.write("game.fardel", "old");
    const std::string next = scratch.write("next", "new");
    const auto reader = open_file(path, path);
    REQUIRE(reader);
    const auto mapped = map_file(*reader, 0, 3, path);
    REQUIRE(mapped);
    const auto old_content = [&] {
        std::string text(3, ' ');
        CHECK(value_of(read_whole_at(*reader, 0, std::as_writable_bytes(std::span(text)), path)) == 3);
        CHECK((*mapped)[0] == std::byte{'o'});
        return text;
    };

    SUBCASE("replaced") {
        REQUIRE(rename_file(next, path, path));
        CHECK(content_of(path) == "new");
        CHECK_FALSE(value_of(has_name(*reader, path, path)));
        CHECK(old_content() == "old");
        const std::string third = scratch.write("next", "3rd");
        REQUIRE(rename_file(third, path, path));
        CHECK(content_of(path) == "3rd");
        CHECK(old_content() == "old");
    }
    SUBCASE("removed") {
        CHECK(value_of(remove_file(path, path)));
        CHECK_FALSE(file_exists(path));
        CHECK(create_file(path, path));  // the name is free
        CHECK(old_content() == "old");
    }
    SUBCASE("moved") {
        const std::string elsewhere = scratch.path("elsewhere");
        REQUIRE(rename_file(path, elsewhere, path));
        // By the file's number alone: Wine forgets the volume of an open file that was renamed.
        CHECK(value_of(file_status(*reader, path)).inode == value_of(file_status(elsewhere, path)).inode);
        CHECK_FALSE(file_exists(path));
        CHECK(old_content() == "old");
    }
    SUBCASE("exchanged") {
        REQUIRE(exchange_files(next, path, path));
        CHECK(content_of(path) == "new");
        CHECK(content_of(next) == "old");
        CHECK(old_content() == "old");
    }
    SUBCASE("not replaced") {
        CHECK(code_of(rename_to_new(next, path, path)) == ErrorCode::conflict);
        CHECK(content_of(path) == "old");
        CHECK(content_of(next) == "new");
        REQUIRE(rename_to_new(next, scratch.path("free"), path));
        CHECK(scratch.read("free") == "new");
    }
}

TEST_CASE("windows: what was moved aside is gone when its last reader has closed it") {
    const ScratchFolder scratch;
    const std::string path = scratch.write("game.fardel", "old");
    {
        const auto reader = open_file(path, path);
        REQUIRE(reader);
        REQUIRE(rename_file(scratch.write("next", "new"), path, path));
    }
    CHECK(value_of(list_names_at(scratch.path("."))) == std::vector<std::string>{"game.fardel"});
}

TEST_CASE("windows: a file that another program does not share is busy, and not denied") {
    const ScratchFolder scratch;
    const std::string path = scratch.write("file", "old");
    const std::string next = scratch.write("next", "new");
    // As most programs of Windows open files: nobody may write, rename or remove them.
    std::ifstream other(path);
    REQUIRE(other);
    const Status renamed = rename_file(next, path, path);
    REQUIRE_FALSE(renamed);
    CHECK(renamed.error().code() == ErrorCode::busy);
    CHECK(renamed.error().message().find("open") != std::string::npos);
    const auto removed = remove_file(path, path);
    CHECK(code_of(removed) == ErrorCode::busy);
    CHECK(content_of(path) == "old");
    CHECK(content_of(next) == "new");
    other.close();
    CHECK(rename_file(next, path, path));
}

TEST_CASE("windows: a lock belongs to one open file, lasts as long as its duplicates, and keeps nobody from reading") {
    const ScratchFolder scratch;
    const std::string path = scratch.write("file", "content");
    auto first = open_file(path, path, {.access = FileAccess::read_write});
    const auto second = open_file(path, path);
    REQUIRE(first);
    REQUIRE(second);
    CHECK(value_of(lock_file(*first, path)));
    CHECK_FALSE(value_of(lock_file(*second, path)));
    CHECK_FALSE(value_of(lock_file_shared(*second, path)));
    CHECK(content_of(path) == "content");
    {
        const auto duplicate = first->duplicate(path);
        REQUIRE(duplicate);
        first->close();
        CHECK_FALSE(value_of(lock_file(*second, path)));
    }
    CHECK(value_of(lock_file_shared(*second, path)));
    const auto third = open_file(path, path);
    REQUIRE(third);
    CHECK(value_of(lock_file_shared(*third, path)));
    unlock_file(*third);
    CHECK(value_of(lock_file(*open_lock_file(scratch.path("lock")), path)));
}

TEST_CASE("windows: threads read one file at once, each at its own offset") {
    const ScratchFolder scratch;
    std::string content(1 << 20, '\0');
    for (std::size_t i = 0; i < content.size(); ++i)
        content[i] = static_cast<char>(i / 4096);
    const std::string path = scratch.write("file", content);
    const auto file = open_file(path, path);
    REQUIRE(file);
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (std::size_t thread = 0; thread < 4; ++thread)
        threads.emplace_back([&, thread] {
            for (std::size_t round = 0; round < 200; ++round) {
                const std::size_t offset = (thread * 67 + round * 31) % 255 * 4096;
                std::string text(4096, ' ');
                const auto count = read_whole_at(*file, offset, std::as_writable_bytes(std::span(text)), path);
                if (!count || *count != text.size() || text != content.substr(offset, text.size()))
                    ++wrong;
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    CHECK(wrong == 0);
}

TEST_CASE("windows: a stamp shows that a file was written, replaced or removed") {
    const ScratchFolder scratch;
    const std::string path = scratch.write("file", "content");
    const PathStamp before = stamp_path(path);
    CHECK(before.kind == StampKind::file);
    CHECK(before.inode != 0);
    CHECK(before == stamp_path(path));
    grow_old();
    scratch.write("file", "CONTENT");
    CHECK(before != stamp_path(path));
    const PathStamp written = stamp_path(path);
    REQUIRE(rename_file(scratch.write("other", "CONTENT"), path, path));
    CHECK(written.inode != stamp_path(path).inode);
    REQUIRE(remove_file(path, path));
    CHECK(stamp_path(path).kind == StampKind::missing);
    REQUIRE(set_times(scratch.write("file", ""), {.used_ns = {}, .modified_ns = 1'000'000'000'000'000'000}, "x"));
    CHECK(value_of(file_status(path, path)).modified_ns == 1'000'000'000'000'000'000);
}

TEST_CASE("windows: a watch reports changes at any depth, and none of what it ignores") {
    const ScratchFolder scratch;
    scratch.write("deep/er/file", "");
    const auto watch = watch_folder(scratch.path("."), ".fardel");
    REQUIRE(watch);
    CHECK_FALSE(value_of((*watch)->take_change()));
    const auto changes = [&] {
        for (int round = 0; round < 100; ++round) {
            if (value_of((*watch)->take_change()))
                return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return false;
    };
    scratch.write("file", "content");  // in a folder below, Wine does not see it
    CHECK(changes());
    while (changes())
        ;
    scratch.write(".fardel/state", "content");
    CHECK_FALSE(changes());
}

TEST_CASE("windows: a program gets its arguments as they are, and its streams") {
    const ScratchFolder scratch;
    auto output = open_pipe();
    REQUIRE(output);
    auto child = ChildProgram::start({cmd(), "/c", "echo", "one two"}, {.output = &output->write_end});
    REQUIRE(child);
    output->write_end.close();
    CHECK(value_of(read_text(output->read_end, 100, "pipe")).find("one two") != std::string::npos);
    CHECK(child->wait().is_success());
    auto failing = ChildProgram::start({"cmd", "/c", "exit", "3"});
    REQUIRE(failing);
    CHECK(failing->wait().code == 3);
    CHECK(code_of(ChildProgram::start({"no-such-program"})) == ErrorCode::missing);
    CHECK(code_of(ChildProgram::start({scratch.write("run.bat", "exit")})) == ErrorCode::malformed);

    const auto input = create_unnamed_file("input");
    REQUIRE(input);
    REQUIRE(write_whole_at(*input, 0, bytes_of("echo from a file\r\nexit\r\n"), "input"));
    auto found = open_pipe();
    REQUIRE(found);
    auto reader = ChildProgram::start({"cmd"}, {.input = &*input, .output = &found->write_end});
    REQUIRE(reader);
    found->write_end.close();
    CHECK(value_of(read_text(found->read_end, 1000, "pipe")).find("from a file\r\n") != std::string::npos);
    CHECK(reader->wait().is_success());
}

TEST_CASE("windows: a confined program ends with all that it started, at its time limit, and its output is kept") {
    const ScratchFolder scratch;
    const auto run = [&](std::vector<std::string> arguments, std::chrono::milliseconds timeout) {
        ConfinedCall call;
        call.program = cmd();
        call.arguments = std::move(arguments);
        call.environment = {"NAME=value"};
        call.folder = scratch.path(".");
        call.timeout = timeout;
        return value_of(run_confined(call, value_of(Sandbox::make({}))));
    };
    CHECK_FALSE(system_can_confine());
    const ConfinedOutcome echoed = run({"cmd", "/c", "echo %NAME%& exit 4"}, std::chrono::seconds(60));
    CHECK(echoed.reason == ConfinedOutcome::Reason::exited);
    CHECK(echoed.code == 4);
    CHECK(echoed.log.find("value") != std::string::npos);
    const ConfinedOutcome late = run({"cmd", "/c", "cmd /c pause"}, std::chrono::milliseconds(300));
    CHECK((late.reason == ConfinedOutcome::Reason::timed_out || late.reason == ConfinedOutcome::Reason::exited));
}

TEST_CASE("windows: a socket listens on loopback, and one port belongs to one program") {
    const auto listener = listen_on({"127.0.0.1", 0});
    REQUIRE(listener);
    const auto address = own_address(*listener);
    REQUIRE(address);
    CHECK(address->port != 0);
    CHECK(code_of(listen_on(*address)) == ErrorCode::conflict);
    CHECK_FALSE(value_of(accept_connection(*listener)));
}

TEST_CASE("windows: a user has folders; encodings have the names that they have elsewhere") {
    CHECK(find_user_folder(UserFolder::data));
    CHECK(find_user_folder(UserFolder::cache)->find('\\') == std::string::npos);
    CHECK(find_user_folder(UserFolder::config) == find_user_folder(UserFolder::data));
    CHECK(find_home_folder());
    CHECK(find_machine_folder());
    CHECK_FALSE(variables_with_prefix("SYSTEMROO").empty());  // SystemRoot, whatever the case
    for (const auto& known : {std::pair("cp437", "\x84"), {"cp1252", "\xe4"}, {"iso-8859-1", "\xe4"}}) {
        CAPTURE(known.first);
        const auto page = CodePage::find(known.first);
        REQUIRE(page);
        CHECK(page->decode(known.second) == "ä");
    }
    CHECK_FALSE(CodePage::find("no-such-page"));
    CHECK_FALSE(CodePage::find("gbk")->decode("\xff\xff"));
}

}  // namespace fardel::tests::windows_test
