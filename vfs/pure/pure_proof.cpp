#include "pure_proof.h"

#include "domain_hash.h"

#include <algorithm>

namespace fardel {
namespace {

constexpr std::size_t kPicksMax = 16;   // of one bundle
constexpr std::size_t kPicksAll = 256;  // of all, if that leaves each bundle one
constexpr std::uint64_t kProofPieceBytes = 65536;

std::span<const std::byte, 32> key_bytes(const Hash& key) {
    return std::as_bytes(std::span<const std::uint8_t, 32>(key.bytes));
}

template <class... Numbers>
std::vector<std::byte> numbers(Numbers... values) {
    std::vector<std::byte> bytes;
    for (const std::uint64_t value : {static_cast<std::uint64_t>(values)...}) {
        const auto more = le64(value);
        bytes.insert(bytes.end(), more.begin(), more.end());
    }
    return bytes;
}

std::uint64_t load_le64(const std::uint8_t* bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 8; ++i)
        value |= static_cast<std::uint64_t>(bytes[i]) << 8 * i;
    return value;
}

void append(std::vector<std::byte>& out, std::span<const std::byte> bytes) {
    out.insert(out.end(), bytes.begin(), bytes.end());
}
template <class Tag>
void append(std::vector<std::byte>& out, const Id32<Tag>& id) {
    append(out, std::as_bytes(std::span(id.bytes)));
}

}  // namespace

Result<std::vector<PurePick>> pick_pieces(const Hash& nonce, std::size_t place, std::size_t count,
                                          const Bundle& bundle) {
    std::vector<PurePick> picks;
    if (bundle.asset_count() == 0)
        return picks;
    const Hash key = domain_hash("fardel pure pick 1", nonce);
    const std::size_t wanted = std::clamp<std::size_t>(kPicksAll / std::max<std::size_t>(count, 1), 1, kPicksMax);
    for (std::size_t i = 0; i < wanted; ++i) {
        const Hash draw = blake3_keyed(key_bytes(key), numbers(place, i));
        PurePick pick;
        pick.asset = AssetIndex{static_cast<std::uint32_t>(load_le64(draw.bytes.data()) % bundle.asset_count())};
        FARDEL_TRY_ASSIGN(const AssetRecord asset, bundle.asset(pick.asset));
        const std::uint64_t pieces =
            std::max<std::uint64_t>(asset.raw_bytes / kProofPieceBytes + (asset.raw_bytes % kProofPieceBytes != 0), 1);
        pick.offset = load_le64(draw.bytes.data() + 8) % pieces * kProofPieceBytes;
        pick.size_bytes = static_cast<std::uint32_t>(std::min(kProofPieceBytes, asset.raw_bytes - pick.offset));
        picks.push_back(pick);
    }
    return picks;
}

Result<Hash> hash_pieces(const Hash& nonce, std::size_t place, std::size_t count, const Bundle& bundle) {
    FARDEL_TRY_ASSIGN(const auto picks, pick_pieces(nonce, place, count, bundle));
    const Hash key = domain_hash("fardel pure piece 1", nonce);
    std::vector<std::byte> told;
    std::vector<std::byte> piece;
    for (const PurePick& pick : picks) {
        piece.resize(pick.size_bytes);
        FARDEL_TRY(bundle.read_at(pick.asset, pick.offset, piece));
        append(told, numbers(static_cast<std::uint32_t>(pick.asset), pick.offset, pick.size_bytes));
        append(told, blake3_keyed(key_bytes(key), piece));
    }
    return blake3_keyed(key_bytes(key), told);
}

Hash prove(const PureAnswer& answer, const ContentSet& content, std::span<const Hash> pieces) {
    PureAnswer unproved = answer;
    unproved.proof = {};
    std::vector<std::byte> told;
    append(told, encode_pure_answer(unproved));
    append(told, content.digest());
    append(told, numbers(pieces.size()));
    for (const Hash& hash : pieces)
        append(told, hash);
    return blake3_keyed(key_bytes(domain_hash("fardel pure proof 1", answer.nonce)), told);
}

bool equal_in_constant_time(const Hash& a, const Hash& b) noexcept {
    volatile std::uint8_t difference = 0;
    for (std::size_t i = 0; i < a.bytes.size(); ++i)
        difference = static_cast<std::uint8_t>(difference | (a.bytes[i] ^ b.bytes[i]));
    return difference == 0;
}

}  // namespace fardel
