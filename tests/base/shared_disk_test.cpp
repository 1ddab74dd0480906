// Which file systems give locks that other computers do not see, which are those of SMB, and what leads to a folder
// that has moved.
#include "kit/files.h"

#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/base/shared_disk.h>

namespace fardel::tests::shared_disk_test {

TEST_CASE("shared disk: locks that only their own computer sees are known by the type and options of the mount") {
    CHECK(has_unseen_locks("fuse.sshfs", "rw,user_id=0"));
    CHECK(has_unseen_locks("fuse.rclone", "rw"));
    CHECK(has_unseen_locks("nfs", "rw,vers=3,nolock,local_lock=none"));
    CHECK(has_unseen_locks("nfs", "rw,local_lock=all"));
    CHECK(has_unseen_locks("nfs4", "local_lock=flock,rw"));
    CHECK(has_unseen_locks("cifs", "rw,vers=3.1.1"));
    CHECK(has_unseen_locks("smb3", "rw"));
    CHECK_FALSE(has_unseen_locks("nfs4", "rw,vers=4.2,local_lock=none"));
    CHECK_FALSE(has_unseen_locks("nfs", "rw,local_lock=posix"));
    CHECK_FALSE(has_unseen_locks("fuse.sshfs2", "rw"));
    CHECK_FALSE(has_unseen_locks("ext4", "rw,nolock"));
    CHECK_FALSE(has_unseen_locks("", ""));
}

TEST_CASE("shared disk: SMB is known by the type of the mount, whichever client it is") {
    for (const char* const type : {"cifs", "smb3", "fuse.smbnetfs"}) {
        CHECK(is_smb(type));
        CHECK(has_unseen_locks(type, "rw"));
    }
    for (const char* const type : {"", "smb", "cifs2", "fuse", "smbnetfs", "fuse.sshfs", "nfs", "nfs4", "9p", "ext4"})
        CHECK_FALSE(is_smb(type));
}

TEST_CASE("shared disk: a file of a local disk can be locked, and is not over SMB") {
    const ScratchFolder scratch;
    const Descriptor file = value_of(create_file(scratch.path("file"), "file"));
    CHECK_FALSE(find_unseen_locks(file));
    CHECK_FALSE(find_smb(file));
    CHECK(value_of(lock_file(file, "file")));
}

TEST_CASE("file names: an open file has its name until it is renamed, replaced or removed") {
    const ScratchFolder scratch;
    const std::string path = scratch.path("file");
    const Descriptor file = value_of(create_file(path, path));
    CHECK(value_of(has_name(file, path, path)));
    REQUIRE(rename_own(path, scratch.path("other")));
    CHECK_FALSE(value_of(has_name(file, path, path)));
    CHECK(value_of(has_name(file, scratch.path("other"), path)));
    scratch.write("file", "another");
    CHECK_FALSE(value_of(has_name(file, path, path)));
    std::filesystem::remove(path);
    std::filesystem::create_symlink(scratch.path("other"), path);
    CHECK_FALSE(value_of(has_name(file, path, path)));
}

TEST_CASE("file names: a file that somebody removed before it was renamed is a conflict; without its folder, missing") {
    const ScratchFolder scratch;
    check_error(rename_own(scratch.path("gone"), scratch.path("new")), ErrorCode::conflict, "try again");
    CHECK(code_of(rename_own(scratch.path("no/gone"), scratch.path("no/new"))) == ErrorCode::missing);
}

}  // namespace fardel::tests::shared_disk_test
