#include "pure_proof.h"

#include "domain_hash.h"

#include <fardel/base/byte_writer.h>
#include <fardel/base/little_endian.h>
#include <fardel/format/content_set.h>
#include <fardel/format/manifest.h>

#include <algorithm>

namespace fardel {
namespace {

constexpr std::size_t kPicksMax = 16;   // of one bundle
constexpr std::size_t kPicksAll = 256;  // of all, if that leaves each bundle one
constexpr std::uint64_t kProofPieceBytes = 65536;

std::span<const std::byte, 32> key_bytes(const Hash& key) {
    return std::as_bytes(std::span<const std::uint8_t, 32>(key.bytes));
}

}  // namespace

Result<std::vector<PurePick>> pick_pieces(const Hash& nonce, std::size_t position, std::size_t count,
                                          const Bundle& bundle) {
    std::vector<PurePick> picks;
    if (bundle.asset_count() == 0)
        return picks;
    const Hash key = domain_hash("fardel pure pick 1", nonce);
    const std::size_t wanted = std::clamp<std::size_t>(kPicksAll / std::max<std::size_t>(count, 1), 1, kPicksMax);
    for (std::size_t i = 0; i < wanted; ++i) {
        ByteWriter what;
        what.u64(position);
        what.u64(i);
        const Hash draw = blake3_keyed(key_bytes(key), what.bytes());
        PurePick pick;
        pick.asset =
            AssetIndex{static_cast<std::uint32_t>(load_le<std::uint64_t>(draw.bytes.data()) % bundle.asset_count())};
        FARDEL_TRY_ASSIGN(const AssetRecord asset, bundle.asset(pick.asset));
        const std::uint64_t pieces =
            std::max<std::uint64_t>(asset.raw_bytes / kProofPieceBytes + (asset.raw_bytes % kProofPieceBytes != 0), 1);
        pick.offset = load_le<std::uint64_t>(draw.bytes.data() + 8) % pieces * kProofPieceBytes;
        pick.size_bytes = static_cast<std::uint32_t>(std::min(kProofPieceBytes, asset.raw_bytes - pick.offset));
        picks.push_back(pick);
    }
    return picks;
}

Result<Hash> hash_pieces(const Hash& nonce, std::size_t position, std::size_t count, const Bundle& bundle) {
    FARDEL_TRY_ASSIGN(const auto picks, pick_pieces(nonce, position, count, bundle));
    const Hash key = domain_hash("fardel pure piece 1", nonce);
    ByteWriter picked;
    std::vector<std::byte> piece;
    for (const PurePick& pick : picks) {
        piece.resize(pick.size_bytes);
        FARDEL_TRY(bundle.read_at(pick.asset, pick.offset, piece));
        picked.u64(static_cast<std::uint32_t>(pick.asset));
        picked.u64(pick.offset);
        picked.u64(pick.size_bytes);
        picked.fixed(blake3_keyed(key_bytes(key), piece));
    }
    return blake3_keyed(key_bytes(key), picked.bytes());
}

Hash prove(const PureAnswer& answer, const ContentSet& content, std::span<const Hash> pieces) {
    PureAnswer unproved = answer;
    unproved.proof = {};
    ByteWriter proved;
    proved.raw(encode_pure_answer(unproved));
    proved.fixed(content.digest());
    proved.u64(pieces.size());
    for (const Hash& hash : pieces)
        proved.fixed(hash);
    return blake3_keyed(key_bytes(domain_hash("fardel pure proof 1", answer.nonce)), proved.bytes());
}

bool equal_in_constant_time(const Hash& a, const Hash& b) noexcept {
    volatile std::uint8_t difference = 0;
    for (std::size_t i = 0; i < a.bytes.size(); ++i)
        difference = static_cast<std::uint8_t>(difference | (a.bytes[i] ^ b.bytes[i]));
    return difference == 0;
}

}  // namespace fardel
