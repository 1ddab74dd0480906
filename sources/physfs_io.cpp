#include <fardel/sources/physfs_io.h>

#include <physfs.h>

#include <algorithm>
#include <span>
#include <utility>

namespace fardel {
namespace {

struct Position {
    Result<std::shared_ptr<const ByteSource>> bytes;
    std::uint64_t offset = 0;
};

Position& position_of(PHYSFS_Io* io) noexcept { return *static_cast<Position*>(io->opaque); }

// The bytes, or nullptr with PhysicsFS's error set.
const ByteSource* bytes_of(PHYSFS_Io* io) noexcept {
    const auto& bytes = position_of(io).bytes;
    if (!bytes)
        set_physfs_error(bytes.error());
    return bytes ? bytes->get() : nullptr;
}

PHYSFS_sint64 read(PHYSFS_Io* io, void* to, PHYSFS_uint64 count) noexcept {
    const ByteSource* const bytes = bytes_of(io);
    if (bytes == nullptr)
        return -1;
    std::uint64_t& offset = position_of(io).offset;
    count = std::min<PHYSFS_uint64>(count, bytes->size_bytes() - offset);
    const std::span out(static_cast<std::byte*>(to), static_cast<std::size_t>(count));
    if (const Status done = bytes->read_at(offset, out); !done) {
        set_physfs_error(done.error());
        return -1;
    }
    offset += count;
    return static_cast<PHYSFS_sint64>(count);
}

PHYSFS_sint64 write(PHYSFS_Io*, const void*, PHYSFS_uint64) noexcept {
    PHYSFS_setErrorCode(PHYSFS_ERR_READ_ONLY);
    return -1;
}

int seek(PHYSFS_Io* io, PHYSFS_uint64 offset) noexcept {
    const ByteSource* const bytes = bytes_of(io);
    if (bytes == nullptr)
        return 0;
    if (offset > bytes->size_bytes()) {
        PHYSFS_setErrorCode(PHYSFS_ERR_PAST_EOF);
        return 0;
    }
    position_of(io).offset = offset;
    return 1;
}

PHYSFS_sint64 tell(PHYSFS_Io* io) noexcept { return static_cast<PHYSFS_sint64>(position_of(io).offset); }

PHYSFS_sint64 length(PHYSFS_Io* io) noexcept {
    const ByteSource* const bytes = bytes_of(io);
    return bytes != nullptr ? static_cast<PHYSFS_sint64>(bytes->size_bytes()) : -1;
}

PHYSFS_Io* duplicate(PHYSFS_Io* io) noexcept { return make_physfs_io(position_of(io).bytes); }

int flush(PHYSFS_Io*) noexcept { return 1; }

void destroy(PHYSFS_Io* io) noexcept {
    delete &position_of(io);
    delete io;
}

PHYSFS_ErrorCode physfs_code_of(ErrorCode code) noexcept {
    switch (code) {
        case ErrorCode::missing: return PHYSFS_ERR_NOT_FOUND;
        case ErrorCode::corrupt:
        case ErrorCode::malformed:
        case ErrorCode::limit: return PHYSFS_ERR_CORRUPT;
        case ErrorCode::untrusted:
        case ErrorCode::revoked:
        case ErrorCode::expired:
        case ErrorCode::denied: return PHYSFS_ERR_PERMISSION;
        case ErrorCode::unsupported: return PHYSFS_ERR_UNSUPPORTED;
        case ErrorCode::conflict: return PHYSFS_ERR_DUPLICATE;
        case ErrorCode::busy: return PHYSFS_ERR_BUSY;
        case ErrorCode::no_space: return PHYSFS_ERR_NO_SPACE;
        case ErrorCode::io: return PHYSFS_ERR_IO;
        default: return PHYSFS_ERR_OTHER_ERROR;
    }
}

}  // namespace

PHYSFS_Io* make_physfs_io(Result<std::shared_ptr<const ByteSource>> bytes) {
    auto position = std::make_unique<Position>(Position{.bytes = std::move(bytes)});
    auto io = std::make_unique<PHYSFS_Io>(PHYSFS_Io{.version = 0,
                                                    .opaque = nullptr,
                                                    .read = read,
                                                    .write = write,
                                                    .seek = seek,
                                                    .tell = tell,
                                                    .length = length,
                                                    .duplicate = duplicate,
                                                    .flush = flush,
                                                    .destroy = destroy});
    io->opaque = position.release();
    return io.release();
}

void set_physfs_error(const Error& error) noexcept { PHYSFS_setErrorCode(physfs_code_of(error.code())); }

}  // namespace fardel
