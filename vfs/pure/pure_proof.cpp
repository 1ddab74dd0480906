#include "pure_proof.h"

#include "domain_hash.h"

#include <fardel/base/byte_writer.h>
#include <fardel/base/little_endian.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <unordered_map>

namespace fardel {
namespace {

constexpr std::uint64_t kProofPieceBytes = 65536;

std::span<const std::byte, 32> key_bytes(const Hash& key) {
    return std::as_bytes(std::span<const std::uint8_t, 32>(key.bytes));
}

// One of several numbers that an epoch's key gives for a pick.
std::uint64_t draw(const Hash& epoch, std::size_t number, std::size_t field) {
    ByteWriter what;
    what.u64(number);
    const Hash drawn = blake3_keyed(key_bytes(domain_hash("fardel pure pick 2", epoch)), what.bytes());
    return load_le<std::uint64_t>(drawn.bytes.data() + 8 * field);
}

// The hash of a piece's place and bytes.
Result<Hash> hash_piece(const Hash& key, const Hash& epoch, std::size_t number, const Bundle& bundle) {
    FARDEL_TRY_ASSIGN(const PurePick pick, pick_piece(epoch, number, bundle));
    std::vector<std::byte> piece(pick.size_bytes);
    if (pick.size_bytes != 0)
        FARDEL_TRY(bundle.read_at(pick.asset, pick.offset, piece));
    ByteWriter picked;
    picked.fixed(bundle.id());
    picked.u64(static_cast<std::uint32_t>(pick.asset));
    picked.u64(pick.offset);
    picked.raw(piece);
    return blake3_keyed(key_bytes(key), picked.bytes());
}

}  // namespace

std::vector<const Bundle*> find_pure_bundles(const ContentSet& content, PureBundles bundles) {
    std::unordered_map<BundleId, const Bundle*> by_id;
    for (const auto& bundle : bundles)
        by_id.emplace(bundle->id(), bundle.get());
    std::vector<const Bundle*> found;
    for (const BundleId& id : content.bundles()) {
        const auto at = by_id.find(id);
        found.push_back(at != by_id.end() ? at->second : nullptr);
    }
    return found;
}

Result<std::vector<const Bundle*>> find_all_pure_bundles(const ContentSet& content, PureBundles bundles) {
    auto found = find_pure_bundles(content, bundles);
    if (const auto gap = std::ranges::find(found, nullptr); gap != found.end())
        return Error(ErrorCode::missing, "bundle " +
                                             content.bundles()[static_cast<std::size_t>(gap - found.begin())].hex() +
                                             " of the policy: the server has no copy to check with");
    return found;
}

std::size_t pick_bundle(const Hash& epoch, std::size_t number, std::size_t count) {
    return static_cast<std::size_t>((count <= kPurePicks ? number : draw(epoch, number, 0)) % count);
}

Result<PurePick> pick_piece(const Hash& epoch, std::size_t number, const Bundle& bundle) {
    PurePick pick;
    if (bundle.asset_count() == 0)
        return pick;
    pick.asset = AssetIndex{static_cast<std::uint32_t>(draw(epoch, number, 1) % bundle.asset_count())};
    FARDEL_TRY_ASSIGN(const AssetRecord asset, bundle.asset(pick.asset));
    const std::uint64_t pieces =
        std::max<std::uint64_t>(asset.raw_bytes / kProofPieceBytes + (asset.raw_bytes % kProofPieceBytes != 0), 1);
    pick.offset = draw(epoch, number, 2) % pieces * kProofPieceBytes;
    pick.size_bytes = static_cast<std::uint32_t>(std::min(kProofPieceBytes, asset.raw_bytes - pick.offset));
    return pick;
}

Hash hash_content(const Hash& epoch, const ContentSet& content, OrderedBundles bundles, const PickFailed& failed) {
    const Hash key = domain_hash("fardel pure piece 2", epoch);
    ByteWriter picked;
    picked.fixed(content.digest());
    for (std::size_t number = 0; number < kPurePicks && !bundles.empty(); ++number) {
        const std::size_t position = pick_bundle(epoch, number, bundles.size());
        if (bundles[position] == nullptr)
            continue;
        const auto piece = hash_piece(key, epoch, number, *bundles[position]);
        if (piece)
            picked.fixed(*piece);
        else
            failed(position, piece.error());
    }
    return blake3_keyed(key_bytes(key), picked.bytes());
}

Hash prove(const PureAnswer& answer, const Hash& content) {
    PureAnswer unproved = answer;
    unproved.proof = {};
    ByteWriter proved;
    proved.raw(encode_pure_answer(unproved));
    proved.fixed(content);
    return blake3_keyed(key_bytes(domain_hash("fardel pure proof 2", answer.nonce)), proved.bytes());
}

bool equal_in_constant_time(const Hash& a, const Hash& b) noexcept {
    volatile std::uint8_t difference = 0;
    for (std::size_t i = 0; i < a.bytes.size(); ++i)
        difference = static_cast<std::uint8_t>(difference | (a.bytes[i] ^ b.bytes[i]));
    return difference == 0;
}

}  // namespace fardel
