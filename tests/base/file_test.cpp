#include <fardel/base/file.h>
#include <fardel/base/folder.h>

#include "kit/bytes.h"
#include "kit/files.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>

namespace fardel::tests::file_test {

template <class T>
int number_of(const T& result) {
    return result ? 0 : result.error().system_number();
}

std::string content_of(const std::string& path) {
    const auto file = open_file(path, path);
    REQUIRE(file);
    return value_of(read_text(*file, 1000, path));
}

// Interrupts the system calls of the thread that creates it, as long as it lives.
class Interruptions {
public:
    Interruptions() : target_(::pthread_self()) {
        struct sigaction action {};
        action.sa_handler = [](int) {};  // without SA_RESTART
        ::sigaction(SIGUSR1, &action, &before_);
        thread_ = std::jthread([this](const std::stop_token& stop) {
            while (!stop.stop_requested()) {
                ::pthread_kill(target_, SIGUSR1);
                std::this_thread::sleep_for(std::chrono::microseconds(200));
            }
        });
    }
    ~Interruptions() {
        thread_.request_stop();
        thread_.join();
        ::sigaction(SIGUSR1, &before_, nullptr);
    }

private:
    pthread_t target_;
    struct sigaction before_ {};
    std::jthread thread_;
};

TEST_CASE("file: written bytes are read, whole and in part") {
    const ScratchFolder scratch;
    const std::string path = scratch.path("file");
    const auto created = create_file(path, "new", 0640);
    REQUIRE(created);
    REQUIRE(write_whole(*created, bytes_of("hello "), "new"));
    REQUIRE(write_whole(*created, bytes_of("world"), "new"));
    REQUIRE(write_whole_at(*created, 6, bytes_of("there"), "new"));
    REQUIRE(sync_file(*created, "new"));
    CHECK(content_of(path) == "hello there");

    std::byte out[8];
    const auto part = read_whole_at(*created, 6, out, "new");
    REQUIRE(part);
    CHECK(*part == 5);  // the file ends there
    const auto behind = read_whole_at(*created, 100, out, "new");
    REQUIRE(behind);
    CHECK(*behind == 0);

    REQUIRE(resize_file(*created, 5, "new"));
    CHECK(content_of(path) == "hello");
    const auto status = file_status(*created, "new");
    REQUIRE(status);
    CHECK(status->is_file());
    CHECK(status->size_bytes == 5);
    CHECK(status->permissions == 0640);
    CHECK(status->links == 1);
}

TEST_CASE("file: text is read up to a limit") {
    const ScratchFolder scratch;
    const auto file = open_regular_file(scratch.write("file", "12345"), "file");
    REQUIRE(file);
    CHECK(file->status.size_bytes == 5);
    const auto text = read_text(file->descriptor, 5, "file");
    REQUIRE(text);
    CHECK(*text == "12345");
    const auto again = open_file(scratch.path("file"), "file");
    REQUIRE(again);
    const auto longer = read_text(*again, 4, "file");
    REQUIRE_FALSE(longer);
    CHECK(longer.error().text() == "limit: file: longer than 4 bytes");
}

TEST_CASE("file: the error of opening says why a path cannot be opened") {
    const ScratchFolder scratch;
    scratch.write("file", "");
    std::filesystem::create_symlink("file", scratch.path("link"));
    REQUIRE(::mkfifo(scratch.path("fifo").c_str(), 0600) == 0);

    CHECK(number_of(open_file(scratch.path("none"), "x")) == ENOENT);
    CHECK(number_of(open_file(scratch.path("file/below"), "x")) == ENOTDIR);
    CHECK(open_file(scratch.path("link"), "x"));
    CHECK(number_of(open_file(scratch.path("link"), "x", {.links = Links::refused})) == ELOOP);
    CHECK(number_of(open_file(scratch.root().string(), "x", {.access = FileAccess::read_write})) == EISDIR);
    CHECK(number_of(create_file(scratch.path("file"), "x")) == EEXIST);
    CHECK(number_of(create_file(scratch.path("link"), "x")) == EEXIST);
    CHECK(open_file(scratch.path("file"), "x", {.keeps_used_time = true}));
    CHECK(code_of(open_file(std::string("a\0b", 3), "x")) == ErrorCode::malformed);

    CHECK(open_file(scratch.path("fifo"), "x"));  // opening a FIFO does not wait for a writer
    const auto fifo = open_regular_file(scratch.path("fifo"), "fifo");
    REQUIRE_FALSE(fifo);
    CHECK(fifo.error().text() == "malformed: fifo: not a regular file");
    CHECK_FALSE(open_regular_file(scratch.root().string(), "x"));
}

TEST_CASE("file: every descriptor is closed on exec") {
    const ScratchFolder scratch;
    const auto created = create_file(scratch.path("a"), "a");
    const auto opened = open_file(scratch.path("a"), "a");
    const auto folder = open_folder(scratch.root().string(), "b");
    const auto unnamed = create_unnamed_file("c");
    for (const auto* const result : {&created, &opened, &folder, &unnamed}) {
        REQUIRE(*result);
        CHECK(::fcntl((*result)->number(), F_GETFD) == FD_CLOEXEC);
    }
    const auto status = file_status(*unnamed, "c");
    REQUIRE(status);
    CHECK(status->links == 0);
}

TEST_CASE("file: a name below an open folder stays when the folder is renamed") {
    const ScratchFolder scratch;
    scratch.write("old/file", "inside");
    const auto folder = open_folder(scratch.path("old"), "old");
    REQUIRE(folder);
    std::filesystem::rename(scratch.path("old"), scratch.path("new"));
    scratch.write("old/file", "outside");
    const auto file = open_file({*folder, "file"}, "file");
    REQUIRE(file);
    CHECK(*read_text(*file, 100, "file") == "inside");
    CHECK(file_status({*folder, "file"}, "file")->size_bytes == 6);
    CHECK(*remove_file({*folder, "file"}, "file"));
    CHECK_FALSE(std::filesystem::exists(scratch.path("new/file")));
}

TEST_CASE("file: its kind is reported, also that of a link") {
    const ScratchFolder scratch;
    scratch.write("file", "");
    std::filesystem::create_symlink("file", scratch.path("link"));
    std::filesystem::create_symlink("none", scratch.path("dangling"));
    REQUIRE(::mkfifo(scratch.path("fifo").c_str(), 0600) == 0);
    const auto kind = [&](const std::string& name, Links links) {
        const auto status = file_status(scratch.path(name), name, links);
        REQUIRE(status);
        return file_kind_text(status->kind);
    };
    CHECK(kind("file", Links::followed) == "a file");
    CHECK(kind(".", Links::followed) == "a folder");
    CHECK(kind("link", Links::followed) == "a file");
    CHECK(kind("link", Links::refused) == "a link");
    CHECK(kind("fifo", Links::refused) == "a FIFO");
    CHECK(file_status(std::string("/dev/null"), "null")->kind == FileKind::device);

    const auto found = find_file_status(scratch.path("file"), "x");
    REQUIRE(found);
    CHECK(found->has_value());
    for (const char* const absent : {"none", "file/below", "dangling"}) {
        const auto none = find_file_status(scratch.path(absent), "x");
        REQUIRE(none);
        CHECK_FALSE(none->has_value());
    }
    CHECK(number_of(find_file_status(scratch.path(std::string(300, 'a')), "x")) == ENAMETOOLONG);
}

TEST_CASE("file: times are nanoseconds, and using a file changes one of them") {
    const ScratchFolder scratch;
    const std::string path = scratch.write("file", "");
    const struct timespec past[2] = {{.tv_sec = 100, .tv_nsec = 7}, {.tv_sec = 200, .tv_nsec = 8}};
    REQUIRE(::utimensat(AT_FDCWD, path.c_str(), past, 0) == 0);
    auto status = file_status(path, path);
    REQUIRE(status);
    CHECK(status->used_ns == 100'000'000'007);
    CHECK(status->modified_ns == 200'000'000'008);
    REQUIRE(touch_used_time(path, path));
    status = file_status(path, path);
    CHECK(status->used_ns > 1'000'000'000'000'000'000);
    CHECK(status->modified_ns == 200'000'000'008);
}

TEST_CASE("file: permissions are set and read") {
    const ScratchFolder scratch;
    const std::string path = scratch.write("file", "");
    REQUIRE(set_permissions(path, 0600, path));
    CHECK_FALSE(may_execute(path));
    CHECK(verify_may_read_and_write(path, path));
    CHECK_FALSE(verify_may_read_and_write(scratch.path("none"), "x"));
    const auto file = open_file(path, path);
    REQUIRE(set_permissions(*file, 0755, path));
    CHECK(may_execute(path));
    CHECK(file_status(path, path)->permissions == 0755);
}

TEST_CASE("file: a lock belongs to one open file, and lasts as long as its duplicates") {
    const ScratchFolder scratch;
    const std::string path = scratch.write("file", "");
    auto first = open_file(path, path);
    const auto second = open_file(path, path);
    REQUIRE(first);
    REQUIRE(second);
    CHECK(*lock_file(*first, path));
    CHECK(*lock_file(*first, path));
    CHECK_FALSE(*lock_file(*second, path));
    {
        const auto duplicate = first->duplicate(path);
        REQUIRE(duplicate);
        first->close();
        CHECK_FALSE(*lock_file(*second, path));
    }
    CHECK(*lock_file(*second, path));
}

TEST_CASE("file: renaming replaces, refuses to replace, or exchanges") {
    const ScratchFolder scratch;
    const std::string a = scratch.write("a", "A");
    const std::string b = scratch.write("b", "B");
    CHECK(number_of(rename_to_new(a, b, "x")) == EEXIST);
    CHECK(content_of(a) == "A");
    CHECK(content_of(b) == "B");
    REQUIRE(exchange_files(a, b, "x"));
    CHECK(content_of(a) == "B");
    CHECK(content_of(b) == "A");
    REQUIRE(rename_file(a, b, "x"));
    CHECK(content_of(b) == "B");
    REQUIRE(rename_to_new(b, a, "x"));
    CHECK(content_of(a) == "B");
    CHECK(number_of(exchange_files(a, b, "x")) == ENOENT);
    CHECK(content_of(a) == "B");
}

TEST_CASE("file: removing reports whether the file existed") {
    const ScratchFolder scratch;
    const std::string path = scratch.write("file", "");
    CHECK(*remove_file(path, path));
    CHECK_FALSE(*remove_file(path, path));
    scratch.write("file", "");
    CHECK_FALSE(*remove_file(scratch.path("file/below"), path));
    CHECK_FALSE(remove_file(scratch.root().string(), path));
}

TEST_CASE("file: a part of it is mapped from any offset") {
    const ScratchFolder scratch;
    std::string text(10'000, 'x');
    text.replace(5'001, 3, "abc");
    const auto file = open_file(scratch.write("file", text), "file");
    REQUIRE(file);
    prefetch_file(*file, 0, text.size());
    const auto mapped = map_file(*file, 5'001, 3, "file");
    REQUIRE(mapped);
    CHECK(std::string_view(reinterpret_cast<const char*>(mapped->get()), 3) == "abc");
}

TEST_CASE("file: signals do not end a read early") {
    const ScratchFolder scratch;
    const std::string path = scratch.path("fifo");
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    const auto reader = open_file(path, path, {.access = FileAccess::read_write, .waits = true});
    REQUIRE(reader);
    const Interruptions interruptions;
    std::jthread writer([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        (void)!::write(reader->number(), "x", 1);
    });
    std::byte out[1];
    const auto count = read_some(*reader, out, path);
    REQUIRE(count);
    CHECK(*count == 1);
}

TEST_CASE("file: a full disk is no_space") {
    const auto full = open_file(std::string("/dev/full"), "disk", {.access = FileAccess::write});
    if (!full)
        return;
    const Status status = write_whole(*full, bytes_of("x"), "disk");
    REQUIRE_FALSE(status);
    CHECK(status.error().text() == "no_space: disk: No space left on device");
}

}  // namespace fardel::tests::file_test
