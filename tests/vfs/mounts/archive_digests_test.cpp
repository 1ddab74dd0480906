// Digests of mounted archives that are kept on disk.
#include <fardel/format/digest_index.h>
#include <fardel/format/sealed_record.h>
#include <fardel/sources/legacy_archives.h>

#include "kit/archives.h"
#include "kit/files.h"
#include "vfs/test_bundle.h"

namespace fardel::tests::archive_digests_test {

struct MountedArchive {
    explicit MountedArchive(const ScratchFolder& scratch) : vfs(VfsOptions{.digest_folder = scratch.path("digests")}) {
        MountOptions options = unsigned_at();
        options.archives = make_archive_reader();
        value_of(vfs.mount(scratch.path("game.pk3"), options));
        bundle = vfs.mounts().at(0).bundle;
    }

    Vfs vfs;
    BundleId bundle;
};

// The one index; its name is a hash of the archive's path.
std::string index_path(const ScratchFolder& scratch) {
    const std::vector<fs::path> files = paths_below(scratch.path("digests"));
    REQUIRE(files.size() == 1);
    return files.front().string();
}

DigestIndex index_of(const ScratchFolder& scratch) {
    return value_of(decode_digest_index(bytes_of(read_file(index_path(scratch)))));
}

void write_archive(const ScratchFolder& scratch, const std::string& map) {
    scratch.write("game.pk3", build_zip({{.name = "maps/dm01.bsp", .content = map, .deflated = true},
                                         {.name = "default.cfg", .content = "bind x quit"},
                                         {.name = "large.raw", .content = noise_text(300'000, 1)}}));
}

TEST_CASE("archive digests: the second mount takes them from an index, and an archive that changed is read again") {
    const ScratchFolder scratch;
    write_archive(scratch, "a map");
    grow_old();
    const BundleId right = MountedArchive(scratch).bundle;
    DigestIndex index = index_of(scratch);
    CHECK(index.size() == 3);

    // Nothing was read if the wrong digest counts.
    for (KnownDigest& known : index)
        if (known.digest->raw_bytes == 5) {
            BlobDigest wrong = *known.digest;
            wrong.id = id_of("another map");
            known.digest = std::make_shared<const BlobDigest>(wrong);
        }
    write_file(index_path(scratch), encode_digest_index(index));
    {
        const MountedArchive mounted(scratch);
        CHECK(mounted.bundle != right);
        CHECK(outcome_of(mounted.vfs.open("/maps/dm01.bsp").value().read_all()) == "corrupt");
        CHECK(content_at(mounted.vfs, "/default.cfg") == "bind x quit");
        CHECK(content_at(mounted.vfs, "/large.raw") == noise_text(300'000, 1));
    }
    fs::remove_all(scratch.path("digests"));
    CHECK(MountedArchive(scratch).bundle == right);
    CHECK(MountedArchive(scratch).bundle == right);

    write_archive(scratch, "b map");
    grow_old();
    const MountedArchive changed(scratch);
    CHECK(changed.bundle != right);
    CHECK(content_at(changed.vfs, "/maps/dm01.bsp") == "b map");
    CHECK(index_of(scratch).size() == 3);
}

}  // namespace fardel::tests::archive_digests_test
