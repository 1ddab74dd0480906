#include <fardel/format/digest_index.h>

#include "blob_digest.h"

#include <fardel/base/folder.h>
#include <fardel/format/limits.h>
#include <fardel/format/sealed_record.h>
#include <fardel/format/whole_file.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace fardel {
namespace {

constexpr SealedKind kDigestIndexKind{.subject = "digest index", .magic = "FARDELDG", .version = 1};
constexpr std::string_view kDigestIndexEnding = ".digests";
constexpr std::size_t kKnownDigestBytesMin = 32 + 32 + 8 + 1 + 1;

// A blob of one piece has no piece hashes: its id is the hash.
std::uint64_t piece_hashes_of(const BlobDigest& digest) {
    const std::uint64_t pieces = (digest.raw_bytes >> digest.piece_log2) +
                                 ((digest.raw_bytes & ((std::uint64_t{1} << digest.piece_log2) - 1)) != 0 ? 1 : 0);
    return pieces > 1 ? pieces : 0;
}

KnownDigest read_known(ByteReader& reader) {
    KnownDigest known;
    known.version = reader.fixed<Hash>();
    BlobDigest digest;
    digest.id = reader.fixed<AssetId>();
    digest.raw_bytes = reader.u64();
    if (digest.raw_bytes > limits::kAssetBytesMax)
        reader.fail(ErrorCode::limit, "a file is larger than an asset may be");
    digest.piece_log2 = reader.u8();
    if (!reader.failed() && digest.piece_log2 != limits::kBlockLog2 && digest.piece_log2 != limits::kStreamBlockLog2)
        reader.fail(ErrorCode::malformed, "pieces of that size do not exist");
    const auto head = reader.sized<std::uint8_t>(kBlobHeadBytes, "head");
    std::ranges::copy(head, digest.head.begin());
    if (!reader.failed() && head.size() != digest.first_bytes().size())
        reader.fail(ErrorCode::malformed, "a head is not as long as the file allows");
    if (!reader.failed()) {
        const std::uint64_t pieces = piece_hashes_of(digest);
        const auto hashes = reader.raw(pieces * sizeof(Hash));  // at most 2^30 of them
        ByteReader each(hashes);
        digest.pieces.resize(hashes.size() / sizeof(Hash));
        for (Hash& piece : digest.pieces)
            piece = each.fixed<Hash>();
    }
    known.digest = std::make_shared<const BlobDigest>(std::move(digest));
    return known;
}

}  // namespace

std::vector<std::byte> encode_digest_index(const DigestIndex& index) {
    ByteWriter writer = begin_sealed(kDigestIndexKind);
    writer.u32(static_cast<std::uint32_t>(index.size()));
    for (const auto& [version, digest] : index) {
        writer.fixed(version);
        writer.fixed(digest->id);
        writer.u64(digest->raw_bytes);
        writer.u8(digest->piece_log2);
        writer.sized<std::uint8_t>(digest->first_bytes());
        for (const Hash& piece : digest->pieces)
            writer.fixed(piece);
    }
    return seal(std::move(writer));
}

Result<DigestIndex> decode_digest_index(std::span<const std::byte> bytes) {
    if (bytes.size() > kDigestIndexBytesMax)
        return Error(ErrorCode::limit, "digest index: " + std::to_string(bytes.size()) + " bytes");
    FARDEL_TRY_ASSIGN(ByteReader reader, open_sealed(bytes, kDigestIndexKind));
    const std::uint64_t count = reader.count<std::uint32_t>(kKnownDigestBytesMin);
    if (count > DigestCache::kDigestsMax)
        return Error(ErrorCode::limit, "digest index: " + std::to_string(count) + " files");
    DigestIndex index;
    index.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
        KnownDigest known = read_known(reader);
        if (!reader.failed() && !index.empty() && known.version <= index.back().version)
            reader.fail(ErrorCode::malformed, "its versions are not in order");
        index.push_back(std::move(known));
    }
    FARDEL_TRY(reader.finish());
    return index;
}

KeptDigests::KeptDigests(const std::string& index_folder, const std::string& folder, DigestCache& digests) {
    if (index_folder.empty())
        return;
    path_ = index_path_of(index_folder, folder, kDigestIndexEnding);
    const auto bytes = read_unlinked_file(path_, kDigestIndexBytesMax);
    auto index = bytes ? decode_digest_index(*bytes) : Result<DigestIndex>(bytes.error());
    if (!index)
        return;
    present_ = *std::move(index);
    for (const auto& [version, digest] : present_)
        digests.put(version, digest);
}

void KeptDigests::write(DigestIndex known, const DigestCache& digests) const {
    if (path_.empty())
        return;
    std::ranges::sort(known, {}, &KnownDigest::version);
    DigestIndex index;
    index.reserve(known.size());
    std::size_t bytes = 0;
    for (auto& [version, digest] : known) {
        if (!digest)
            digest = digests.find(version);
        if (!digest || (!index.empty() && index.back().version == version))
            continue;
        bytes += kKnownDigestBytesMin + digest->first_bytes().size() + digest->pieces.size() * sizeof(Hash);
        index.push_back({version, std::move(digest)});
    }
    const auto same = [](const KnownDigest& a, const KnownDigest& b) {
        return a.version == b.version && a.digest == b.digest;
    };
    // An index above the limits would be refused when it is read, and an equal one is not written again.
    if (bytes > kDigestIndexBytesMax - 1024 || index.size() > DigestCache::kDigestsMax ||
        std::ranges::equal(index, present_, same))
        return;
    if (create_folders(folder_of_path(path_)))
        static_cast<void>(write_small_file(path_, encode_digest_index(index)));
}

}  // namespace fardel
