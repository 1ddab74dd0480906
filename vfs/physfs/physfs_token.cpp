#include "physfs_token.h"

#include <physfs.h>

#include <utility>

namespace fardel {
namespace {

using Held = std::shared_ptr<const PhysfsToken>;

const Held& held_by(const PHYSFS_Io* io) noexcept { return *static_cast<const Held*>(io->opaque); }

PHYSFS_sint64 read_token(PHYSFS_Io*, void*, PHYSFS_uint64) noexcept { return 0; }
PHYSFS_sint64 token_size(PHYSFS_Io*) noexcept { return 0; }
int seek_token(PHYSFS_Io*, PHYSFS_uint64 offset) noexcept {
    if (offset == 0)
        return 1;
    PHYSFS_setErrorCode(PHYSFS_ERR_PAST_EOF);
    return 0;
}
PHYSFS_Io* duplicate_token(PHYSFS_Io* io) noexcept { return make_token_io(held_by(io)); }
int flush_token(PHYSFS_Io*) noexcept { return 1; }
void destroy_token(PHYSFS_Io* io) noexcept {
    delete &held_by(io);
    delete io;
}

}  // namespace

PHYSFS_Io* make_token_io(std::shared_ptr<const PhysfsToken> token) {
    return new PHYSFS_Io{.version = 0,
                         .opaque = new Held(std::move(token)),
                         .read = read_token,
                         .write = nullptr,
                         .seek = seek_token,
                         .tell = token_size,
                         .length = token_size,
                         .duplicate = duplicate_token,
                         .flush = flush_token,
                         .destroy = destroy_token};
}

std::shared_ptr<const PhysfsToken> find_token(const PHYSFS_Io* io) {
    return io != nullptr && io->read == read_token ? held_by(io) : nullptr;
}

}  // namespace fardel
