// Room for bytes that nobody has verified: which of them go first.
#include "serve/upload_room.h"

#include "kit/bundles.h"
#include "kit/files.h"
#include "kit/ids.h"

#include <fardel/base/file.h>

namespace fardel::tests::upload_room_test {

struct Parts {
    ScratchFolder scratch;
    UploadParts parts{scratch.path("")};

    void break_off(int number, std::size_t bytes, std::chrono::seconds age = {}) {
        const BundleId id = filled_id<BundleId>(static_cast<std::uint8_t>(number));
        {
            const auto part = value_of(parts.open(id, owner_of(number)));
            REQUIRE(write_whole_at(part.file(), 0, Bytes(bytes), "a part"));
        }
        for (const auto& entry : std::filesystem::directory_iterator(scratch.path(".fardel-uploads")))
            if (entry.path().filename().string().starts_with(id.hex()) && age.count() != 0)
                std::filesystem::last_write_time(entry.path(), std::filesystem::file_time_type::clock::now() - age);
    }
    std::uint64_t bytes_of(int number) const {
        return parts.size_bytes(filled_id<BundleId>(static_cast<std::uint8_t>(number)), owner_of(number));
    }
    static std::string owner_of(int number) { return "owner " + std::to_string(number); }
};

TEST_CASE("upload room: it holds the quota, and not a byte more; what is published counts first") {  // A145
    const Parts site;
    std::filesystem::create_directories(site.scratch.path("bundles"));
    site.scratch.write("bundles/x.fardel", std::string(400, 'x'));
    UploadParts parts(site.scratch.path(""));
    UploadRoom room(site.scratch.path(""), 1000, parts);
    CHECK_FALSE(room.describe_lack(600).has_value());
    CHECK(room.describe_lack(601).has_value());
    UploadRoom::Share first(room);
    CHECK(first.add(600));
    CHECK_FALSE(first.add(1));
    {
        UploadRoom::Share second(room);
        CHECK_FALSE(second.add(1));
        first.leave();
        CHECK_FALSE(first.add(1));
        CHECK(second.add(600));
    }
    site.scratch.write("bundles/y.fardel", std::string(100, 'x'));
    room.note_publication();
    CHECK(room.describe_lack(501).has_value());
    UploadRoom::Share third(room);
    CHECK(third.add(500));
}

TEST_CASE("upload room: parts that broke off make room, the smallest for its age first, and no more than needed") {
    Parts site;  // A145
    site.break_off(1, 500, std::chrono::hours(1));
    site.break_off(2, 10);
    site.break_off(3, 300);
    UploadRoom room(site.scratch.path(""), 1000, site.parts);
    UploadRoom::Share share(room);
    CHECK(share.add(190));
    CHECK(site.bytes_of(1) == 500);
    CHECK(share.add(1));
    CHECK(site.bytes_of(1) == 0);
    CHECK(site.bytes_of(3) == 300);
    CHECK(share.add(499));
    CHECK(site.bytes_of(2) == 10);
    CHECK(share.add(310));
    CHECK(site.bytes_of(3) == 0);
    CHECK_FALSE(share.add(1));
}

TEST_CASE("upload room: many small parts do not push out a large one, and a new part always finds a place") {  // A145
    Parts site;
    site.break_off(0, 1'000'000, std::chrono::minutes(10));
    for (std::size_t i = 1; i < kUploadPartsMax + 50; ++i) {
        const auto id = filled_id<BundleId>(1);
        const auto part = value_of(site.parts.open(id, std::to_string(i)));
        REQUIRE(write_whole_at(part.file(), 0, Bytes(16), "a part"));
    }
    CHECK(site.bytes_of(0) == 1'000'000);
    CHECK(paths_below(site.scratch.path(".fardel-uploads")).size() == kUploadPartsMax);
}

TEST_CASE("upload room: without a quota, it is half of what the disk has free") {  // A145
    const Parts site;
    UploadParts parts(site.scratch.path(""));
    UploadRoom room(site.scratch.path(""), 0, parts);
    const std::uint64_t free_bytes = std::filesystem::space(site.scratch.path("")).available;
    CHECK_FALSE(room.describe_lack(free_bytes / 4).has_value());
    CHECK(room.describe_lack(free_bytes - free_bytes / 4).has_value());
}

}  // namespace fardel::tests::upload_room_test
