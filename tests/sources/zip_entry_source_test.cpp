#include "zip_entry_source.h"

#include "kit/archives.h"
#include "kit/test.h"
#include "physfs_archive.h"

namespace fardel::tests::zip_entry_source_test {

// Returns the entry `index` of a zip of these members, as a zip that contains it only.
std::shared_ptr<const ByteSource> alone(const std::vector<ZipMember>& members, std::size_t index) {
    const auto archive = make_memory_source(build_zip(members));
    const auto directory = read_zip_directory(*archive);
    REQUIRE(directory);
    const ZipEntry& entry = directory->entries[index];
    const auto offset = read_zip_data_offset(*archive, directory->data_end, entry);
    REQUIRE(offset);
    return make_zip_entry_source(archive, *offset, entry);
}

// A source of zeros, of any size.
class Zeros final : public ByteSource {
public:
    std::uint64_t size_bytes() const noexcept override { return ~std::uint64_t{0}; }
    Status read_at(std::uint64_t, std::span<std::byte> out) const override {
        std::ranges::fill(out, std::byte{0});
        return ok();
    }
};

TEST_CASE("zip entry source: it is a zip of this entry only, under a fixed name") {
    const std::vector<ZipMember> members{{.name = "../../etc/passwd", .content = "one"},
                                         {.name = "a\\b", .content = "two, deflated", .deflated = true},
                                         {.name = "", .content = ""}};
    for (std::size_t i = 0; i < members.size(); ++i) {
        const auto source = alone(members, i);
        const auto directory = read_zip_directory(*source);
        REQUIRE(directory);
        REQUIRE(directory->entries.size() == 1);
        const ZipEntry& entry = directory->entries[0];
        CHECK(entry.name == kZipEntryName);
        CHECK(entry.raw_bytes == members[i].content.size());
        CHECK_FALSE(entry.link);
        const auto offset = read_zip_data_offset(*source, directory->data_end, entry);
        REQUIRE(offset);
        CHECK(*offset == 31);
    }
}

TEST_CASE("zip entry source: any range reads as it does from the whole") {
    const auto source = alone({{.name = "a", .content = "before"},
                               {.name = "b", .content = "some content"},
                               {.name = "c", .content = "after"}},
                              1);
    const std::vector<std::byte> whole = all_bytes(*source);
    for (std::size_t from = 0; from <= whole.size(); ++from) {
        for (std::size_t to = from; to <= whole.size(); ++to) {
            std::vector<std::byte> range(to - from);
            REQUIRE(source->read_at(from, range));
            CHECK(std::ranges::equal(range, std::span(whole).subspan(from, to - from)));
        }
    }
}

TEST_CASE("zip entry source: PhysicsFS reads it, whatever the size") {
    // Among them are sizes whose fields equal a signature of the zip format.
    for (const std::uint64_t size :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0x0605'4b50}, std::uint64_t{0x0605'4b50 - 31},
          std::uint64_t{0x0706'4b50}, std::uint64_t{0x0201'4b50}, std::uint64_t{0x7fff'ffff},
          std::uint64_t{0x8000'0000}, kZipEntryBytesMax}) {
        CAPTURE(size);
        for (const std::uint32_t crc : {0u, 0x0605'4b50u, 0x0706'4b50u}) {
            const auto archive = PhysfsArchive::mount(
                make_zip_entry_source(std::make_shared<Zeros>(), 0,
                                      {.name = "x", .stored_bytes = size, .raw_bytes = size, .crc32 = crc}),
                "zip");
            REQUIRE(archive);
            CHECK((*archive)->stat(kZipEntryName)->size_bytes == size);
            const auto stream = (*archive)->open(kZipEntryName, size, "x");
            REQUIRE(stream);
            std::vector<std::byte> out(100);
            CHECK(*(*stream)->read(out) == std::min<std::uint64_t>(size, 100));
        }
    }
}

}  // namespace fardel::tests::zip_entry_source_test
