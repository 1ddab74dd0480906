#include "source_listing.h"

#include "kit/blobs.h"
#include "kit/restricted_program.h"

#include <fcntl.h>

namespace fardel::tests::folder_blob_test {

// A folder with a/b/file, scanned.
struct Scanned {
    Scanned() {
        folder.write("a/b/file", std::string(10'000, 'x'));
        std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
        REQUIRE(list_folder(folder.root().string(), listing));
        REQUIRE(listing.entries.size() == 1);
    }

    const BlobSource& blob() const { return *listing.entries[0].blob; }

    void check_conflict() const {
        const Result<std::string> content = read_blob_text(blob());
        REQUIRE_FALSE(content);
        CHECK(content.error().code() == ErrorCode::conflict);
        CHECK(content.error().message().starts_with(file));
    }

    ScratchFolder folder;
    std::string file = folder.path("a/b/file");
    SourceListing listing{{}};
};

TEST_CASE("folder blob: it can be read any number of times, also after the folder is renamed") {
    const Scanned scanned;
    CHECK(read_blob_text(scanned.blob())->size() == 10'000);
    const std::string moved = scanned.folder.root().string() + "-moved";
    std::filesystem::rename(scanned.folder.root().string(), moved);
    CHECK(read_blob_text(scanned.blob(), 7)->size() == 10'000);
    std::filesystem::rename(moved, scanned.folder.root().string());
}

TEST_CASE("folder blob: a file that was changed or replaced since the scan is a conflict") {
    SUBCASE("longer") {
        const Scanned scanned;
        scanned.folder.write("a/b/file", std::string(10'001, 'x'));
        scanned.check_conflict();
    }
    SUBCASE("shorter") {
        const Scanned scanned;
        scanned.folder.write("a/b/file", "");
        scanned.check_conflict();
    }
    SUBCASE("same size, written now") {
        const Scanned scanned;
        scanned.folder.write("a/b/file", std::string(10'000, 'y'));
        scanned.check_conflict();
    }
    SUBCASE("same size, time put back") {  // A105
        const Scanned scanned;
        const auto time = std::filesystem::last_write_time(scanned.file);
        scanned.folder.write("a/b/file", std::string(10'000, 'y'));
        std::filesystem::last_write_time(scanned.file, time);
        scanned.check_conflict();
    }
    SUBCASE("gone") {
        const Scanned scanned;
        std::filesystem::remove(scanned.file);
        scanned.check_conflict();
    }
    SUBCASE("its folder gone") {
        const Scanned scanned;
        std::filesystem::remove_all(scanned.folder.path("a"));
        scanned.check_conflict();
    }
    SUBCASE("a FIFO instead of it") {  // A34
        const Scanned scanned;
        std::filesystem::remove(scanned.file);
        REQUIRE(::mkfifo(scanned.file.c_str(), 0644) == 0);
        scanned.check_conflict();
    }
}

// A13, A16: a link that replaces a file, or a folder on the path to it, is not followed.
TEST_CASE("folder blob: links that appear after the scan are not followed") {
    SUBCASE("file") {
        const Scanned scanned;
        std::filesystem::rename(scanned.file, scanned.folder.path("same"));
        std::filesystem::create_symlink(scanned.folder.path("same"), scanned.file);
        scanned.check_conflict();
    }
    SUBCASE("folder") {
        const Scanned scanned;
        std::filesystem::rename(scanned.folder.path("a"), scanned.folder.path("same"));
        std::filesystem::create_symlink(scanned.folder.path("same"), scanned.folder.path("a"));
        scanned.check_conflict();
    }
}

TEST_CASE("folder blob: a file that changes while it is read is a conflict") {
    for (const bool longer : {false, true}) {
        const Scanned scanned;
        const auto stream = scanned.blob().open();
        REQUIRE(stream);
        std::vector<std::byte> out(6'000);
        REQUIRE(*(*stream)->read(out) == 6'000);
        scanned.folder.write("a/b/file", std::string(longer ? 20'000 : 7'000, 'y'));
        Result<std::size_t> count = (*stream)->read(out);
        if (count && *count > 0)
            count = (*stream)->read(out);
        REQUIRE_FALSE(count);
        CHECK(count.error().code() == ErrorCode::conflict);
    }
}

TEST_CASE("folder blob: a file that may not be read is denied, and the message names it") {
    const ScratchFolder folder;
    REQUIRE(::chmod(folder.write("secret", "x").c_str(), 0) == 0);
    SourceListing listing({});
    REQUIRE(list_folder(folder.root().string(), listing));
    const Unprivileged user(folder);
    const Result<std::string> content = read_blob_text(*listing.entries[0].blob);
    REQUIRE_FALSE(content);
    CHECK(content.error().code() == ErrorCode::denied);
    CHECK(content.error().message().starts_with(folder.path("secret")));
}

}  // namespace fardel::tests::folder_blob_test
