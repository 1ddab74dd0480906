#include "physfs_file.h"

#include <physfs.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace fardel {
namespace {

struct OpenFile {
    Result<File> file;
    std::uint64_t offset = 0;
};

OpenFile& open_file_of(PHYSFS_Io* io) noexcept { return *static_cast<OpenFile*>(io->opaque); }

// Whether there is a file; if not, PhysicsFS's error is set.
bool has_file(const OpenFile& open) noexcept {
    if (!open.file)
        set_physfs_error(open.file.error());
    return open.file.has_value();
}

PHYSFS_sint64 read(PHYSFS_Io* io, void* to, PHYSFS_uint64 count) noexcept {
    OpenFile& open = open_file_of(io);
    if (!has_file(open))
        return -1;
    count = std::min<PHYSFS_uint64>(count, open.file->size_bytes() - open.offset);
    const auto got = open.file->read_at(open.offset, {static_cast<std::byte*>(to), static_cast<std::size_t>(count)});
    if (!got) {
        set_physfs_error(got.error());
        return -1;
    }
    open.offset += *got;
    return static_cast<PHYSFS_sint64>(*got);
}

PHYSFS_sint64 write(PHYSFS_Io*, const void*, PHYSFS_uint64) noexcept {
    PHYSFS_setErrorCode(PHYSFS_ERR_READ_ONLY);
    return -1;
}

int seek(PHYSFS_Io* io, PHYSFS_uint64 offset) noexcept {
    OpenFile& open = open_file_of(io);
    if (!has_file(open))
        return 0;
    if (offset > open.file->size_bytes()) {
        PHYSFS_setErrorCode(PHYSFS_ERR_PAST_EOF);
        return 0;
    }
    open.offset = offset;
    return 1;
}

PHYSFS_sint64 tell(PHYSFS_Io* io) noexcept { return static_cast<PHYSFS_sint64>(open_file_of(io).offset); }

PHYSFS_sint64 length(PHYSFS_Io* io) noexcept {
    const OpenFile& open = open_file_of(io);
    return has_file(open) ? static_cast<PHYSFS_sint64>(open.file->size_bytes()) : -1;
}

PHYSFS_Io* duplicate(PHYSFS_Io* io) noexcept { return make_physfs_file(open_file_of(io).file); }

int flush(PHYSFS_Io*) noexcept { return 1; }

void destroy(PHYSFS_Io* io) noexcept {
    delete &open_file_of(io);
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

PHYSFS_Io* make_physfs_file(Result<File> file) {
    auto open = std::make_unique<OpenFile>(OpenFile{std::move(file)});
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
    io->opaque = open.release();
    return io.release();
}

void set_physfs_error(const Error& error) noexcept { PHYSFS_setErrorCode(physfs_code_of(error.code())); }

}  // namespace fardel
