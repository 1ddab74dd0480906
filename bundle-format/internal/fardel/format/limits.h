// Every limit of the format. A number read from a file meets its limit here before it sizes, indexes or repeats
// anything. docs/bundle-format.md lists them; changing one is a change of the format.
#pragma once

#include <cstdint>

namespace fardel::limits {

// Names (docs/names.md).
inline constexpr std::uint32_t kNameBytesMax = 1024;
inline constexpr std::uint32_t kNamePartBytesMax = 255;
inline constexpr std::uint32_t kNameDepthMax = 64;

// Bundle file.
inline constexpr std::uint32_t kHeadBytes = 4096;
inline constexpr std::uint32_t kPageBytes = 4096;
inline constexpr std::uint64_t kManifestBytesMax = 16ull << 30;  // all tables and page trees together
inline constexpr std::uint64_t kLayoutBytesMax = 16ull << 30;
inline constexpr std::uint64_t kStringsBytesMax = 0xffff'fff0ull;
inline constexpr std::uint32_t kAssetsMax = 100'000'000;
inline constexpr std::uint32_t kNamesMax = 100'000'000;
inline constexpr std::uint32_t kBlocksMax = 0xffff'fff0u;
inline constexpr std::uint32_t kDependenciesMax = 65'536;
inline constexpr std::uint32_t kVariantsPerNameMax = 256;
inline constexpr std::uint32_t kTagsPerVariantMax = 16;
inline constexpr std::uint32_t kReferencesPerAssetMax = 1'000'000;
inline constexpr std::uint32_t kMetadataPerSubjectMax = 1024;
inline constexpr std::uint32_t kStringBytesMax = 65'535;     // one string (a name has its own, smaller limit)
inline constexpr std::uint64_t kAssetBytesMax = 1ull << 46;  // 64 TiB
inline constexpr std::uint32_t kNameHashCollisionsMax = 64;  // names of one bundle with one 64-bit hash
inline constexpr std::uint32_t kBucketRecordsMax = 256;  // assets in one bucket of the look-up table (uniform: 1 to 2)
inline constexpr std::uint32_t kNameSpillMax =
    36;  // greatest distance, in buckets, between a name and its own bucket (uniform: 0 to 5)

// Blocks: raw bytes of one block.
inline constexpr std::uint32_t kBlockLog2 = 16;        // 64 KiB
inline constexpr std::uint32_t kStreamBlockLog2 = 18;  // 256 KiB, types that are streamed
inline constexpr std::uint32_t kBlockBytesMax = 1u << kStreamBlockLog2;
inline constexpr std::uint32_t kRawBlockAlign = 4096;

// Trailer and trust.
inline constexpr std::uint64_t kTrailerBytesMax = 1u << 20;
inline constexpr std::uint32_t kEnvelopesMax = 16;
inline constexpr std::uint32_t kSignaturesMax =
    16;                                            // in all envelopes of a bundle together, counted before cryptography
inline constexpr std::uint32_t kLayoutIdsMax = 8;  // in one statement
inline constexpr std::uint32_t kLicenseTokensMax = 4096;  // of one user
inline constexpr std::uint32_t kStatementBytesMax = 4096;
inline constexpr std::uint32_t kCommentBytesMax = 1024;
inline constexpr std::uint32_t kKeyFileBytesMax = 4096;
inline constexpr std::uint64_t kKdfMemoryBytesMax = 1ull << 30;  // 1 GiB (Argon2id; scrypt in minisign files)
inline constexpr std::uint64_t kKdfOperationsMax = 16;
inline constexpr std::uint64_t kTrustPolicyBytesMax = 1u << 20;
inline constexpr std::uint32_t kTrustPolicyLinesMax = 20'000;
inline constexpr std::uint32_t kRuleGlobsMax = 64;               // of each kind, in one rule of a trust policy
inline constexpr std::uint32_t kVersionBytesMax = 64;            // of a bundle, in a statement
inline constexpr std::uint32_t kLabelBytesMax = 64;              // of a key, in a trust policy
inline constexpr std::uint64_t kScryptOperationsMax = 1u << 25;  // minisign files; what minisign itself uses
inline constexpr std::uint32_t kPassphraseBytesMax = 1024;

}  // namespace fardel::limits
