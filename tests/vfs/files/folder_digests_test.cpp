// Digests of mounted folders that are kept on disk: what the second mount reads, and an index that is wrong.
#include "kit/files.h"
#include "vfs/test_bundle.h"

#include <fardel/format/digest_index.h>
#include <fardel/format/sealed_record.h>
#include <fardel/sources/source_scan.h>

namespace fardel::tests::folder_digests_test {

// Bytes that this process has read from files so far.
std::uint64_t bytes_read() {
    std::ifstream counters("/proc/self/io");
    std::string name;
    std::uint64_t value = 0;
    counters >> name >> value;
    REQUIRE(name == "rchar:");
    return value;
}

struct MountedFolder {
    explicit MountedFolder(const ScratchFolder& scratch) {
        vfs = std::make_unique<Vfs>(VfsOptions{.digest_folder = scratch.path("digests")});
        const std::uint64_t before = bytes_read();
        value_of(vfs->mount(scratch.path("game"), unsigned_at()));
        read = bytes_read() - before;
        bundle = vfs->mounts().at(0).bundle;
    }

    std::unique_ptr<Vfs> vfs;
    std::uint64_t read = 0;  // while it was mounted
    BundleId bundle;
};

std::string index_file_of(const ScratchFolder& scratch) {
    return index_path_of(scratch.path("digests"), fs::canonical(scratch.path("game")).string(), ".digests");
}

// Two files of 2 MiB, and a hundred small ones.
void write_game(const ScratchFolder& scratch) {
    scratch.write("game/large.raw", noise_text(2u << 20, 1));
    scratch.write("game/other.raw", noise_text(2u << 20, 2));
    for (int i = 0; i < 100; ++i)
        scratch.write("game/cfg/" + std::to_string(i) + ".cfg", "set number " + std::to_string(i) + "\n");
    grow_old();
}

constexpr std::uint64_t kLittle = 200'000;  // the index, and a page of /proc

// Replaces the digest of each file of 2 MiB.
void change_index(const ScratchFolder& scratch, void (*change)(BlobDigest&)) {
    const std::string path = index_file_of(scratch);
    DigestIndex index = value_of(decode_digest_index(bytes_of(read_file(path))));
    for (KnownDigest& known : index) {
        BlobDigest digest = *known.digest;
        if (digest.raw_bytes == 2u << 20)
            change(digest);
        known.digest = std::make_shared<const BlobDigest>(std::move(digest));
    }
    write_file(path, encode_digest_index(index));
}

TEST_CASE("folder digests: the second mount reads an index and no file, and gives the same bundle") {
    const ScratchFolder scratch;
    write_game(scratch);
    const MountedFolder first(scratch);
    CHECK(first.read > 4u << 20);
    const MountedFolder second(scratch);
    CHECK(second.read < kLittle);
    CHECK(second.bundle == first.bundle);
    CHECK(content_at(*second.vfs, "/large.raw") == noise_text(2u << 20, 1));
    CHECK(content_at(*second.vfs, "/cfg/7.cfg") == "set number 7\n");
    CHECK(second.vfs->stat("/cfg/7.cfg").value().content_type == first.vfs->stat("/cfg/7.cfg").value().content_type);
}

TEST_CASE("folder digests: only what changed is read again, also under its old times") {  // A110
    const ScratchFolder scratch;
    write_game(scratch);
    const MountedFolder first(scratch);
    const auto time = fs::last_write_time(scratch.path("game/other.raw"));
    scratch.write("game/other.raw", noise_text(2u << 20, 3));
    fs::last_write_time(scratch.path("game/other.raw"), time);
    fs::remove(scratch.path("game/cfg/9.cfg"));
    SUBCASE("old when it is mounted") {
        grow_old();
        const MountedFolder second(scratch);
        CHECK(second.read > 2u << 20);
        CHECK(second.read < 3u << 20);
        CHECK(content_at(*second.vfs, "/other.raw") == noise_text(2u << 20, 3));
        CHECK(outcome_of(second.vfs->open("/cfg/9.cfg")) == "missing");
        CHECK(MountedFolder(scratch).read < kLittle);
        CHECK(value_of(decode_digest_index(bytes_of(read_file(index_file_of(scratch))))).size() == 101);
    }
    SUBCASE("young files are read at each mount") {
        fs::last_write_time(scratch.path("game/other.raw"), fs::file_time_type::clock::now() + std::chrono::hours(1));
        for (int i = 0; i < 2; ++i) {
            const MountedFolder again(scratch);
            CHECK(again.read > 2u << 20);
            CHECK(again.read < 3u << 20);
        }
    }
}

TEST_CASE("folder digests: an index that is damaged, deleted or cannot be written costs reading, and nothing else") {
    const ScratchFolder scratch;
    write_game(scratch);
    const BundleId right = MountedFolder(scratch).bundle;
    bool is_kept = true;
    SUBCASE("damaged") {
        std::string bytes = read_file(index_file_of(scratch));
        bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
        write_file(index_file_of(scratch), bytes);
    }
    SUBCASE("of another version") {
        std::string bytes = read_file(index_file_of(scratch));
        bytes[8] = 2;
        write_file(index_file_of(scratch), bytes);
    }
    SUBCASE("empty") { write_file(index_file_of(scratch), ""); }
    SUBCASE("deleted") { fs::remove_all(scratch.path("digests")); }
    SUBCASE("a file in place of the folder") {
        fs::remove_all(scratch.path("digests"));
        scratch.write("digests", "a file");
        is_kept = false;
    }
    SUBCASE("a link") {
        fs::rename(index_file_of(scratch), scratch.path("moved"));
        fs::create_symlink(scratch.path("moved"), index_file_of(scratch));
    }
    const MountedFolder again(scratch);
    CHECK(again.read > 4u << 20);
    CHECK(again.bundle == right);
    CHECK((MountedFolder(scratch).read < kLittle) == is_kept);
}

TEST_CASE("folder digests: a hostile index makes reads fail, and never gives other bytes") {  // A105
    const ScratchFolder scratch;
    write_game(scratch);
    static_cast<void>(MountedFolder(scratch));
    std::string outcome = "corrupt";
    SUBCASE("other hashes of pieces") {
        change_index(scratch, [](BlobDigest& digest) { digest.pieces[3].bytes[0] ^= 1; });
    }
    SUBCASE("another size") {
        change_index(scratch, [](BlobDigest& digest) {
            digest.raw_bytes = 3u << 20;
            digest.pieces.resize(48);
        });
        outcome = "conflict";
    }
    SUBCASE("an endless size is refused") {
        change_index(scratch, [](BlobDigest& digest) { digest.raw_bytes = UINT64_MAX; });
        outcome = "";
    }
    const MountedFolder mounted(scratch);
    const auto read = mounted.vfs->open("/large.raw").value().read_all();
    if (outcome.empty())
        CHECK(text_of(value_of(read)) == noise_text(2u << 20, 1));
    else
        CHECK(outcome_of(read) == outcome);
    CHECK(content_at(*mounted.vfs, "/cfg/7.cfg") == "set number 7\n");
}

TEST_CASE("folder digests: a folder of 50 GB is mounted without reading it") {
    constexpr std::uint64_t kFileBytes = 10ull << 30;
    constexpr std::uint64_t kPiece = 256u << 10;
    const ScratchFolder scratch;
    fs::create_directories(scratch.path("game"));
    for (int i = 0; i < 5; ++i) {
        const std::string path = scratch.write("game/" + std::to_string(i) + ".webm", "");
        fs::resize_file(path, kFileBytes);  // sparse
    }
    grow_old();
    // What hashing the files would give, except for the ids, which would take a minute.
    const std::string folder = scratch.path("game");
    const ScanResult scan = value_of(scan_sources(std::span(&folder, 1), {}, nullptr));
    DigestIndex index;
    for (const SourceEntry& entry : scan.entries)
        index.push_back({.version = entry.blob->find_version().value(),
                         .digest = std::make_shared<const BlobDigest>(
                             BlobDigest{.id = id_of(entry.name.text()),
                                        .raw_bytes = kFileBytes,
                                        .piece_log2 = 18,
                                        .pieces = std::vector<Hash>(kFileBytes / kPiece, blake3(Bytes(kPiece)))})});
    std::ranges::sort(index, {}, &KnownDigest::version);
    const Bytes encoded = encode_digest_index(index);
    fs::create_directories(scratch.path("digests"));
    write_file(index_file_of(scratch), encoded);

    const MountedFolder mounted(scratch);
    CHECK(mounted.read < encoded.size() + kLittle);  // 6.6 MB
    const File file = mounted.vfs->open("/4.webm").value();
    CHECK(file.size_bytes() == kFileBytes);
    Bytes end(1000, std::byte{1});
    CHECK(value_of(file.read_at(kFileBytes - 1000, end)) == 1000);
    CHECK(end == Bytes(1000));
}

}  // namespace fardel::tests::folder_digests_test
