// The keyed hash of an answer: what a client can only make that has the content at hand. docs/pure-mode.md, "Proof".
#pragma once

#include <fardel/format/bundle.h>
#include <fardel/format/ids.h>
#include <fardel/format/result.h>
#include <fardel/vfs/pure_messages.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace fardel {

// A piece of an asset, in bytes as the game sees them: two layouts of one bundle give the same.
struct PurePick {
    AssetIndex asset{};
    std::uint64_t offset = 0;
    std::uint32_t size_bytes = 0;
};

// What the nonce picks in bundle number `place` of `count`; nothing in a bundle without assets. Errors: those of
// Bundle.
Result<std::vector<PurePick>> pick_pieces(const Hash& nonce, std::size_t place, std::size_t count,
                                          const Bundle& bundle);

// Hash of the picked pieces, read now and verified on the way. Errors: those of Bundle::read_at.
Result<Hash> hash_pieces(const Hash& nonce, std::size_t place, std::size_t count, const Bundle& bundle);

// `pieces`: hash_pieces() of each bundle of the content set, in its order.
Hash prove(const PureAnswer& answer, const ContentSet& content, std::span<const Hash> pieces);

// In time that does not depend on where they differ.
bool equal_in_constant_time(const Hash& a, const Hash& b) noexcept;

}  // namespace fardel
