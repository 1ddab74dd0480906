#include "physfs_source.h"

#include <physfs.h>

namespace fardel {
namespace {

Error io_error(const char* what) {
    const PHYSFS_ErrorCode code = PHYSFS_getLastErrorCode();
    const char* reason = code == PHYSFS_ERR_OK ? nullptr : PHYSFS_getErrorByCode(code);
    return Error(ErrorCode::io,
                 std::string(what) + (reason != nullptr ? ": PhysicsFS says: " + std::string(reason) : ""));
}

}  // namespace

Result<std::shared_ptr<PhysfsSource>> PhysfsSource::open(PHYSFS_Io* io) {
    const PHYSFS_sint64 length = io->length(io);
    if (length < 0)
        return io_error("the archive's length is not known");
    return std::shared_ptr<PhysfsSource>(new PhysfsSource(io, static_cast<std::uint64_t>(length)));
}

PhysfsSource::~PhysfsSource() {
    if (owned_)
        io_->destroy(io_);
}

Status PhysfsSource::read_at(std::uint64_t offset, std::span<std::byte> out) const {
    if (offset > size_bytes_ || out.size() > size_bytes_ - offset)
        return Error(ErrorCode::corrupt, "the file ends too early");
    const std::lock_guard lock(position_);
    if (io_->seek(io_, offset) == 0)
        return io_error("cannot seek");
    while (!out.empty()) {
        const PHYSFS_sint64 count = io_->read(io_, out.data(), out.size());
        if (count < 0)
            return io_error("cannot read");
        if (count == 0 || static_cast<std::uint64_t>(count) > out.size())
            return Error(ErrorCode::corrupt, "the file is shorter than it was");
        out = out.subspan(static_cast<std::size_t>(count));
    }
    return ok();
}

}  // namespace fardel
