#include <fardel/format/byte_source.h>

#include "kit/bytes.h"
#include "kit/files.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <limits>

namespace fardel::tests::byte_source_test {

ErrorCode refusal(const std::string& path) { return code_of(fardel::open_file_source(path)); }

std::string text_at(const ByteSource& source, std::uint64_t offset, std::size_t size) {
    std::string text(size, '?');
    REQUIRE(source.read_at(offset, std::as_writable_bytes(std::span(text))));
    return text;
}

ErrorCode failure_at(const ByteSource& source, std::uint64_t offset, std::size_t size) {
    std::vector<std::byte> out(size);
    return code_of(source.read_at(offset, out));
}

std::size_t open_descriptors() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator("/proc/self/fd"))
        ++count;
    return count;
}

// Checks the properties that every source must have.
void check_reads_of_0123456789(const ByteSource& source) {
    CHECK(source.size_bytes() == 10);
    CHECK(text_at(source, 0, 10) == "0123456789");
    CHECK(text_at(source, 3, 4) == "3456");
    CHECK(text_at(source, 9, 1) == "9");
    CHECK(text_at(source, 0, 0).empty());
    CHECK(text_at(source, 10, 0).empty());

    constexpr std::uint64_t kHighest = std::numeric_limits<std::uint64_t>::max();
    CHECK(failure_at(source, 0, 11) == ErrorCode::corrupt);
    CHECK(failure_at(source, 9, 2) == ErrorCode::corrupt);
    CHECK(failure_at(source, 10, 1) == ErrorCode::corrupt);
    CHECK(failure_at(source, 11, 0) == ErrorCode::corrupt);
    CHECK(failure_at(source, kHighest, 1) == ErrorCode::corrupt);
    CHECK(failure_at(source, kHighest - 1, 10) == ErrorCode::corrupt);
    CHECK(failure_at(source, std::uint64_t{1} << 63, 1) == ErrorCode::corrupt);
}

TEST_CASE("byte source: memory is read in range and never past its end") {
    check_reads_of_0123456789(*fardel::make_memory_source(bytes_of("0123456789")));
    const auto empty = fardel::make_memory_source({});
    CHECK(empty->size_bytes() == 0);
    CHECK(empty->read_at(0, {}));
    CHECK(failure_at(*empty, 0, 1) == ErrorCode::corrupt);
}

TEST_CASE("byte source: a file is read in range and never past its end") {
    const ScratchFolder scratch;
    check_reads_of_0123456789(*value_of(open_file_source(scratch.write("digits", "0123456789"))));
    const auto empty = value_of(open_file_source(scratch.write("empty", "")));
    CHECK(empty->size_bytes() == 0);
    CHECK(empty->read_at(0, {}));
    CHECK(failure_at(*empty, 0, 1) == ErrorCode::corrupt);
}

TEST_CASE("byte source: a file that is replaced or deleted keeps its bytes") {  // A33
    const ScratchFolder scratch;
    const auto path = scratch.write("a", "first content");
    const auto source = value_of(open_file_source(path));
    fs::rename(scratch.write("b", "SECOND CONTENT, longer"), path);
    CHECK(source->size_bytes() == 13);
    CHECK(text_at(*source, 0, 13) == "first content");
    fs::remove(path);
    CHECK(text_at(*source, 6, 7) == "content");
    CHECK(refusal(path) == ErrorCode::missing);
}

TEST_CASE("byte source: a file that shrinks is corrupt, one that grows keeps its size") {  // A33
    const ScratchFolder scratch;
    const auto path = scratch.write("a", "0123456789");
    const auto source = value_of(open_file_source(path));
    fs::resize_file(path, 4);
    CHECK(text_at(*source, 0, 4) == "0123");
    CHECK(failure_at(*source, 2, 4) == ErrorCode::corrupt);
    CHECK(failure_at(*source, 8, 2) == ErrorCode::corrupt);
    fs::resize_file(path, 20);
    CHECK(source->size_bytes() == 10);
    CHECK(failure_at(*source, 8, 4) == ErrorCode::corrupt);
}

TEST_CASE("byte source: offsets above 4 GiB are read") {
    const ScratchFolder scratch;
    const auto path = scratch.write("sparse", "");
    constexpr std::uint64_t kSize = (std::uint64_t{5} << 30) + 3;
    fs::resize_file(path, kSize);
    {
        std::fstream out(path, std::ios::binary | std::ios::in | std::ios::out);
        out.seekp(static_cast<std::streamoff>(kSize - 3));
        out << "end";
        REQUIRE(out.flush());
    }
    const auto source = value_of(open_file_source(path));
    CHECK(source->size_bytes() == kSize);
    CHECK(text_at(*source, kSize - 3, 3) == "end");
    CHECK(text_at(*source, kSize - 4, 1) == std::string(1, '\0'));
}

TEST_CASE("byte source: a path that does not exist is missing") {
    const ScratchFolder scratch;
    const auto file = scratch.write("file", "x");
    CHECK(refusal(scratch.path("nothing")) == ErrorCode::missing);
    CHECK(refusal(scratch.path("no/such/folder")) == ErrorCode::missing);
    CHECK(refusal(file + "/below") == ErrorCode::missing);
    CHECK(refusal("") == ErrorCode::missing);
    fs::create_symlink("nowhere", scratch.path("dangling"));
    CHECK(refusal(scratch.path("dangling")) == ErrorCode::missing);
}

TEST_CASE("byte source: an error names the path") {
    const ScratchFolder scratch;
    const auto path = scratch.path("nothing");
    CHECK(fardel::open_file_source(path).error().message().starts_with(path + ": "));
}

TEST_CASE("byte source: a path that is not a regular file is malformed, and opening it does not wait") {  // A34
    const ScratchFolder scratch;
    CHECK(refusal(scratch.path("")) == ErrorCode::malformed);
    CHECK(refusal("/dev/zero") == ErrorCode::malformed);

    REQUIRE(::mkfifo(scratch.path("fifo").c_str(), 0600) == 0);
    CHECK(refusal(scratch.path("fifo")) == ErrorCode::malformed);

    const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    REQUIRE(listener >= 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const auto socket_path = scratch.path("socket");
    REQUIRE(socket_path.size() < sizeof address.sun_path);
    std::memcpy(address.sun_path, socket_path.c_str(), socket_path.size() + 1);
    REQUIRE(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    CHECK(refusal(socket_path) == ErrorCode::malformed);
    ::close(listener);

    const std::string with_nul = scratch.write("cut", "x") + std::string(1, '\0') + "tail";
    CHECK(refusal(with_nul) == ErrorCode::malformed);
}

TEST_CASE("byte source: a file without read permission is denied") {
    const ScratchFolder scratch;
    const auto path = scratch.write("secret", "x");
    fs::permissions(path, fs::perms::none);
    // Permissions do not restrict root, so the test gives up root's rights for a moment.
    const uid_t user = ::geteuid();
    if (user == 0) {
        fs::permissions(fs::path(path).parent_path(), fs::perms::all);
        REQUIRE(::seteuid(65534) == 0);
    }
    const auto source = fardel::open_file_source(path);
    if (user == 0)
        REQUIRE(::seteuid(0) == 0);
    REQUIRE_FALSE(source);
    CHECK(source.error().code() == ErrorCode::denied);
}

TEST_CASE("byte source: a symlink to a file is followed") {
    const ScratchFolder scratch;
    scratch.write("target", "0123456789");
    fs::create_symlink("target", scratch.path("link"));
    check_reads_of_0123456789(*value_of(open_file_source(scratch.path("link"))));
}

TEST_CASE("byte source: no descriptor is left behind, and none crosses exec") {
    const ScratchFolder scratch;
    const auto path = scratch.write("a", "x");
    const auto before = open_descriptors();
    {
        const auto source = value_of(open_file_source(path));
        CHECK(open_descriptors() == before + 1);
        for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
            std::error_code gone;
            if (fs::read_symlink(entry.path(), gone) == fs::canonical(path))
                CHECK((::fcntl(std::stoi(entry.path().filename().string()), F_GETFD) & FD_CLOEXEC) != 0);
        }
    }
    CHECK(refusal(scratch.path("")) == ErrorCode::malformed);
    CHECK(open_descriptors() == before);
}

TEST_CASE("byte source: many threads read at once") {
    const ScratchFolder scratch;
    std::string content(1 << 20, '\0');
    for (std::size_t i = 0; i < content.size(); ++i)
        content[i] = static_cast<char>((i * 31) ^ (i >> 8));
    const auto source = value_of(open_file_source(scratch.write("big", content)));
    std::vector<int> wrong(4, 0);
    {
        std::vector<std::jthread> readers;
        for (std::size_t reader = 0; reader < wrong.size(); ++reader)
            readers.emplace_back([&, reader] {
                std::string out(4099, '\0');
                for (std::size_t at = reader; at + out.size() <= content.size(); at += 7919) {
                    if (!source->read_at(at, std::as_writable_bytes(std::span(out))) ||
                        std::memcmp(out.data(), content.data() + at, out.size()) != 0)
                        ++wrong[reader];
                }
            });
    }
    CHECK(wrong == std::vector<int>(4, 0));
}

}  // namespace fardel::tests::byte_source_test
