#include <fardel/format/bundle_plan.h>

#include "kit/blobs.h"
#include "kit/files.h"

#include <sys/stat.h>

#include <cstring>

namespace fardel::tests::bundle_plan_test {

ErrorCode refusal(const BlobSource& source) { return code_of(read_blob(source)); }

TEST_CASE("blob: memory and files give their bytes, in steps of any size, as often as asked") {
    const ScratchFolder scratch;
    const std::string text = "0123456789";
    for (const auto& source :
         {make_memory_blob(bytes_of(text)), make_file_blob(scratch.write("file", std::string_view(text)))})
        for (const std::size_t step : {1u, 3u, 10u, 11u, 4096u})
            CHECK(read_blob_text(*source, step).value() == text);
    for (const auto& source : {make_memory_blob({}), make_file_blob(scratch.write("empty", std::string_view()))})
        CHECK(read_blob_text(*source).value().empty());
}

TEST_CASE("blob: a stream returns nothing after its end") {
    const ScratchFolder scratch;
    for (const auto& source :
         {make_memory_blob(bytes_of("x")), make_file_blob(scratch.write("file", std::string_view("x")))}) {
        const auto stream = *source->open();
        std::byte buffer[4];
        CHECK(stream->read(buffer).value() == 1);
        CHECK(stream->read(buffer).value() == 0);
        CHECK(stream->read(buffer).value() == 0);
    }
}

TEST_CASE("blob: a file is examined when it is opened, not before") {
    const ScratchFolder scratch;
    const auto source = make_file_blob(scratch.path("later"));
    CHECK(refusal(*source) == ErrorCode::missing);
    scratch.write("later", std::string_view("here now"));
    CHECK(read_blob_text(*source).value() == "here now");
}

TEST_CASE("blob: a file that is written while it is read is a conflict") {  // A110
    const ScratchFolder scratch;
    const std::string before(1000, 'a');
    const auto path = scratch.path("file");
    std::byte buffer[400];
    const auto after_change = [&](auto change) {
        scratch.write("file", std::string_view(before));
        fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(1));
        const auto stream = *make_file_blob(path)->open();
        REQUIRE(stream->read(buffer));
        change();
        for (;;) {
            const auto count = stream->read(buffer);
            if (!count)
                return std::string(error_code_name(count.error().code()));
            if (*count == 0)
                return std::string("read");
        }
    };
    CHECK(after_change([] {}) == "read");
    CHECK(after_change([&] { fs::resize_file(path, 500); }) == "conflict");
    CHECK(after_change([&] { fs::resize_file(path, 300); }) == "conflict");
    CHECK(after_change([&] { fs::resize_file(path, 2000); }) == "conflict");
    CHECK(after_change([&] { scratch.write("file", std::string_view(std::string(1000, 'b'))); }) == "conflict");
    CHECK(after_change([&] { fs::rename(scratch.write("other", std::string_view("short")), path); }) ==
          "read");  // the old one stays open
    CHECK(after_change([&] { fs::remove(path); }) == "read");
}

TEST_CASE("blob: a path that is not a regular file is refused, and opening it does not wait") {
    const ScratchFolder scratch;
    CHECK(refusal(*make_file_blob(scratch.path(""))) == ErrorCode::malformed);
    CHECK(refusal(*make_file_blob("/dev/zero")) == ErrorCode::malformed);
    REQUIRE(::mkfifo(scratch.path("fifo").c_str(), 0600) == 0);
    CHECK(refusal(*make_file_blob(scratch.path("fifo"))) == ErrorCode::malformed);
    CHECK(refusal(*make_file_blob(scratch.write("cut", std::string_view("x")) + std::string(1, '\0') + "tail")) ==
          ErrorCode::malformed);
}

TEST_CASE("blob: an error names the path") {
    const ScratchFolder scratch;
    const auto path = scratch.path("nothing");
    CHECK(read_blob_text(*make_file_blob(path)).error().message().starts_with(path + ": "));
}

}  // namespace fardel::tests::bundle_plan_test
