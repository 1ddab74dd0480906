#include <fardel/vfs/fardel_archives.h>

#include "kit/archives.h"
#include "kit/files.h"

namespace fardel::tests::c_archives_test {

TEST_CASE("C archives: a VFS mounts an archive once archives are enabled, and not before") {
    const ScratchFolder scratch;
    const std::string path = scratch.write("pak0.pk3", build_zip({{.name = "hello.txt", .content = "hello"}}));
    fardel_vfs* vfs = nullptr;
    REQUIRE(fardel_vfs_create(nullptr, &vfs, nullptr) == FARDEL_OK);
    fardel_mount_options options = FARDEL_MOUNT_OPTIONS_INIT;
    options.flags = FARDEL_MOUNT_ALLOW_UNSIGNED;
    fardel_error error = FARDEL_ERROR_INIT;
    CHECK(fardel_mount_file(vfs, path.c_str(), &options, nullptr, &error) == FARDEL_ERROR_UNSUPPORTED);
    CHECK(std::string(error.text).find("fardel_enable_archives") != std::string::npos);

    REQUIRE(fardel_enable_archives(vfs, &error) == FARDEL_OK);
    REQUIRE(fardel_mount_file(vfs, path.c_str(), &options, nullptr, &error) == FARDEL_OK);
    fardel_file* file = nullptr;
    REQUIRE(fardel_open(vfs, "/hello.txt", &file, &error) == FARDEL_OK);
    CHECK(fardel_file_size(file) == 5);
    fardel_close(file);
    fardel_vfs_destroy(vfs);

    CHECK(fardel_enable_archives(nullptr, &error) == FARDEL_ERROR_ARGUMENT);
}

}  // namespace fardel::tests::c_archives_test
