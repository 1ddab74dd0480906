#include "incoming/used_packs.h"

#include <fardel/format/hash.h>
#include <fardel/format/source_pieces.h>

#include <utility>

namespace fardel {

bool UsedPacks::open(const StorePack& pack) {
    if (damaged_.contains(pack.id))
        return false;
    if (sources_.contains(pack.id))
        return true;
    // The lease comes first: a pack that is open and not held may be removed by a collection before the record names
    // it.
    if (sources_.size() >= kSharedPacksMax || !lease_->hold({.bundles = {}, .packs = {pack.id}}))
        return false;
    auto source = folder_->open_pack(pack);
    if (!source)
        return false;
    sources_.emplace(pack.id, *std::move(source));
    return true;
}

Status UsedPacks::prove(const StorePack& pack, const std::string& subject, const std::stop_token& stop) {
    Hasher hasher;
    Status read = ok();
    if (const auto source = folder_->open_pack(pack))
        read = read_pieces(**source, subject, stop, [&](std::uint64_t, std::span<const std::byte> piece) {
            hasher.update(piece);
            return ok();
        });
    if (!read && read.error().code() == ErrorCode::cancelled)
        return read;
    if (!read || hasher.finish() != pack.id)
        damaged_.insert(pack.id);
    return ok();
}

}  // namespace fardel
