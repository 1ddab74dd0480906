#include "physfs_archive.h"

#include <fardel/sources/physfs_io.h>

#include <physfs.h>

#include <algorithm>
#include <atomic>
#include <utility>

namespace fardel {
namespace {

struct CloseFile {
    void operator()(PHYSFS_File* file) const noexcept { PHYSFS_close(file); }
};
using File = std::unique_ptr<PHYSFS_File, CloseFile>;

class PhysfsStream final : public BlobStream {
public:
    PhysfsStream(std::shared_ptr<const PhysfsArchive> archive, File file, std::uint64_t size_bytes, std::string label)
        : archive_(std::move(archive)), file_(std::move(file)), left_bytes_(size_bytes), label_(std::move(label)) {}

    Result<std::size_t> read(std::span<std::byte> out) override {
        out = out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), left_bytes_)));
        if (out.empty())
            return std::size_t{0};
        PHYSFS_getLastErrorCode();  // clears the error of an earlier call
        const PHYSFS_sint64 count = PHYSFS_readBytes(file_.get(), out.data(), out.size());
        // An end before the announced size is an error: the caller would otherwise hash a truncated entry.
        if (count <= 0)
            return physfs_error(label_);
        left_bytes_ -= static_cast<std::uint64_t>(count);
        return static_cast<std::size_t>(count);
    }

private:
    std::shared_ptr<const PhysfsArchive> archive_;  // stays mounted until the file is closed
    File file_;
    std::uint64_t left_bytes_;
    std::string label_;
};

// Called by C code, so it must not throw.
PHYSFS_EnumerateCallbackResult collect_name(void* names, const char*, const char* name) noexcept {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return PHYSFS_ENUM_OK;
}

// Every failure to mount means a broken archive, even "out of memory" for some of them, except an error of the disk.
Error mount_error() {
    Error error = physfs_error("a broken archive; PhysicsFS says");
    return error.code() == ErrorCode::io ? std::move(error) : Error(ErrorCode::malformed, error.message());
}

}  // namespace

Result<std::shared_ptr<const PhysfsArchive>> PhysfsArchive::mount(std::shared_ptr<const ByteSource> bytes,
                                                                  std::string_view extension) {
    FARDEL_TRY_ASSIGN(auto session, PhysfsSession::open());
    // Each archive has a mount point of its own, so that equal names of two archives never meet.
    static std::atomic<std::uint64_t> next_number = 0;
    const std::string mount_point = "fardel-" + std::to_string(next_number++);
    const std::shared_ptr<PhysfsArchive> archive(
        new PhysfsArchive(std::move(session), mount_point, mount_point + '.' + std::string(extension)));

    PHYSFS_Io* io = make_physfs_io(std::move(bytes));
    if (PHYSFS_mountIo(io, archive->file_name_.c_str(), archive->mount_point_.c_str(), 1) == 0) {
        Error error = mount_error();
        // PhysicsFS owns the reader only if the mount succeeds.
        io->destroy(io);
        return error;
    }
    archive->mounted_ = true;
    return std::shared_ptr<const PhysfsArchive>(archive);
}

PhysfsArchive::~PhysfsArchive() {
    if (mounted_)
        PHYSFS_unmount(file_name_.c_str());
}

Result<std::vector<std::string>> PhysfsArchive::list(const std::string& folder) const {
    std::vector<std::string> names;
    if (PHYSFS_enumerate(path_of(folder).c_str(), collect_name, &names) == 0)
        return physfs_error("cannot be listed");
    std::ranges::sort(names);
    return names;
}

Result<PhysfsArchive::Item> PhysfsArchive::stat(const std::string& name) const {
    PHYSFS_Stat status{};
    if (PHYSFS_stat(path_of(name).c_str(), &status) == 0)
        return physfs_error("PhysicsFS lists it and cannot find it");
    if (status.filetype == PHYSFS_FILETYPE_DIRECTORY)
        return Item{.is_folder = true};
    if (status.filetype != PHYSFS_FILETYPE_REGULAR || status.filesize < 0)
        return Error(ErrorCode::malformed, "not a file");
    return Item{.size_bytes = static_cast<std::uint64_t>(status.filesize)};
}

Result<std::unique_ptr<BlobStream>> PhysfsArchive::open(const std::string& name, std::uint64_t size_bytes,
                                                        const std::string& label) const {
    File file(PHYSFS_openRead(path_of(name).c_str()));
    if (!file)
        return physfs_error(label);
    return std::unique_ptr<BlobStream>(
        std::make_unique<PhysfsStream>(shared_from_this(), std::move(file), size_bytes, label));
}

}  // namespace fardel
