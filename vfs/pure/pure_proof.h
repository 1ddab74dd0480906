// The keyed hash of an answer, which only a client with the content can compute. docs/pure-mode.md, "Proof".
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/ids.h>
#include <fardel/vfs/pure_check.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fardel {

// A piece of an asset, in raw bytes: the same in every layout of a bundle.
struct PurePick {
    AssetIndex asset{};
    std::uint64_t offset = 0;
    std::uint32_t size_bytes = 0;
};

// The pieces that the nonce picks in the bundle at `position` in a content set of `count`; none in a bundle without
// assets. Errors: those of Bundle.
Result<std::vector<PurePick>> pick_pieces(const Hash& nonce, std::size_t position, std::size_t count,
                                          const Bundle& bundle);

// Hash of the picked pieces, read now and verified on the way. Errors: those of Bundle::read_at.
Result<Hash> hash_pieces(const Hash& nonce, std::size_t position, std::size_t count, const Bundle& bundle);

// `pieces`: hash_pieces() of each bundle of the content set, in its order.
Hash prove(const PureAnswer& answer, const ContentSet& content, std::span<const Hash> pieces);

// In time that does not depend on where they differ.
bool equal_in_constant_time(const Hash& a, const Hash& b) noexcept;

}  // namespace fardel
