#include "physfs_io.h"

#include <physfs.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace fardel {
namespace {

struct Position {
    std::shared_ptr<const ByteSource> bytes;
    std::uint64_t offset = 0;
};

Position& position_of(PHYSFS_Io* io) { return *static_cast<Position*>(io->opaque); }

PHYSFS_sint64 read(PHYSFS_Io* io, void* to, PHYSFS_uint64 count) {
    Position& position = position_of(io);
    count = std::min<PHYSFS_uint64>(count, position.bytes->size_bytes() - position.offset);
    const std::span out(static_cast<std::byte*>(to), static_cast<std::size_t>(count));
    if (const Status done = position.bytes->read_at(position.offset, out); !done) {
        PHYSFS_setErrorCode(done.error().code() == ErrorCode::corrupt ? PHYSFS_ERR_CORRUPT : PHYSFS_ERR_IO);
        return -1;
    }
    position.offset += count;
    return static_cast<PHYSFS_sint64>(count);
}

int seek(PHYSFS_Io* io, PHYSFS_uint64 offset) {
    if (offset > position_of(io).bytes->size_bytes()) {
        PHYSFS_setErrorCode(PHYSFS_ERR_PAST_EOF);
        return 0;
    }
    position_of(io).offset = offset;
    return 1;
}

PHYSFS_sint64 tell(PHYSFS_Io* io) { return static_cast<PHYSFS_sint64>(position_of(io).offset); }

PHYSFS_sint64 length(PHYSFS_Io* io) { return static_cast<PHYSFS_sint64>(position_of(io).bytes->size_bytes()); }

PHYSFS_Io* duplicate(PHYSFS_Io* io) { return make_physfs_io(position_of(io).bytes); }

int flush(PHYSFS_Io*) { return 1; }

void destroy(PHYSFS_Io* io) {
    delete &position_of(io);
    delete io;
}

}  // namespace

PHYSFS_Io* make_physfs_io(std::shared_ptr<const ByteSource> bytes) {
    auto position = std::make_unique<Position>(Position{.bytes = std::move(bytes)});
    auto io = std::make_unique<PHYSFS_Io>(PHYSFS_Io{.version = 0,
                                                    .opaque = nullptr,
                                                    .read = read,
                                                    .write = nullptr,
                                                    .seek = seek,
                                                    .tell = tell,
                                                    .length = length,
                                                    .duplicate = duplicate,
                                                    .flush = flush,
                                                    .destroy = destroy});
    io->opaque = position.release();
    return io.release();
}

}  // namespace fardel
