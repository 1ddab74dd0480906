// The texts of a channel: root, release and head, as docs/channels.md defines them; and their signatures.
//
// Plain values. parse_… takes the body of a text and proves no signature: verify_signers does, and ChannelUpdate
// decides which texts follow each other. format_… gives the one body of a value. Texts are untrusted.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle_version.h>
#include <fardel/format/ids.h>
#include <fardel/format/signer.h>
#include <fardel/format/trust_policy.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

enum class ChannelText : std::uint8_t { root, release, head };

// Returns "root", "release" or "head".
std::string_view channel_text_name(ChannelText text) noexcept;

// The name of a channel. Errors: malformed, limit.
Status verify_channel_name(std::string_view name);

// ---- Signed texts ---------------------------------------------------------------------------------------------------

struct TextSignature {
    PublicKey key;
    Signature signature;

    friend bool operator==(const TextSignature&, const TextSignature&) = default;
};

struct SignedText {
    std::string body;
    std::vector<TextSignature> signatures;  // in increasing order of the keys

    friend bool operator==(const SignedText&, const SignedText&) = default;
};

// Separates the signatures from the body, and verifies neither. Errors: malformed (no signature, a wrong line, wrong
// order), limit (the text is longer than such a text may be; more than 16 signatures).
Result<SignedText> parse_signed_text(ChannelText kind, std::string_view file);
// How long a file may be, with its signatures.
std::size_t channel_file_bytes_max(ChannelText kind) noexcept;
std::string format_signed_text(const SignedText& text);

// Adds a signature. Errors: conflict (that key has signed already), limit, those of the signer.
Status sign_text(ChannelText kind, SignedText& text, Signer& signer);

// ---- Root -----------------------------------------------------------------------------------------------------------

// Who must sign: `threshold` distinct keys out of those that the labels name.
struct ChannelRole {
    std::uint32_t threshold = 1;
    std::vector<std::string> labels;

    friend bool operator==(const ChannelRole&, const ChannelRole&) = default;
};

struct ChannelRoot {
    std::string channel;
    Hash id;  // random, and the same in all roots of a channel: what tells two channels of one name apart
    std::uint64_t version = 1;
    UnixTime created;
    UnixTime expires;  // later than created
    ChannelRole root, release, head;
    // Keys with their labels, `allow` and `license` rules, revocations. The other lines of a policy do not occur.
    TrustRules trust;

    const ChannelRole& role(ChannelText text) const noexcept;
    std::vector<PublicKey> keys_of(const ChannelRole& role) const;  // sorted

    friend bool operator==(const ChannelRoot&, const ChannelRoot&) = default;
};

// ---- Release --------------------------------------------------------------------------------------------------------

struct ReleasedBundle {
    BundleId bundle;
    std::uint64_t file_bytes = 0;
    std::uint64_t epoch = 0;
    BundleVersion version;  // not empty
    std::string name;

    friend bool operator==(const ReleasedBundle&, const ReleasedBundle&) = default;
};

// describe_older() about the newest of `there` that has the name of the added one and is another bundle.
std::optional<std::string> describe_older(const ReleasedBundle& added, std::span<const ReleasedBundle> there,
                                          std::string_view where);

struct ChannelRelease {
    std::string channel;
    std::uint64_t version = 1;
    std::uint64_t epoch = 0;
    UnixTime created;
    std::vector<ReleasedBundle> bundles;                 // sorted by name and version, each pair once
    std::vector<Revocation<BundleId>> recalled_bundles;  // sorted by id, each once
    std::vector<Revocation<PublicKey>> recalled_keys;

    friend bool operator==(const ChannelRelease&, const ChannelRelease&) = default;
};

// ---- Head -----------------------------------------------------------------------------------------------------------

struct ChannelHead {
    std::string channel;
    std::uint64_t version = 1;
    UnixTime created;
    UnixTime expires;  // later than created, at most kChannelHeadLifeMaxSeconds
    std::uint64_t root_version = 1;
    std::uint64_t release_version = 1;
    std::uint64_t release_bytes = 0;  // of the release's file, with its signatures
    Hash release_hash;                // BLAKE3-256 of that file

    friend bool operator==(const ChannelHead&, const ChannelHead&) = default;
};

inline constexpr std::uint64_t kChannelNumberMax = (1ull << 53) - 1;  // of versions, epochs, sizes and dates
inline constexpr std::uint64_t kChannelHeadLifeMaxSeconds = 30ull * 24 * 3600;
inline constexpr std::uint64_t kChannelReleasedBundlesMax = 100'000;
inline constexpr std::uint64_t kChannelRecallsMax = 4096;  // of each kind
inline constexpr std::uint64_t kChannelReasonBytesMax = 128;

// Errors of all three: malformed (with the line number), limit, unsupported (another version of the text).
Result<ChannelRoot> parse_channel_root(std::string_view body);
Result<ChannelRelease> parse_channel_release(std::string_view body);
Result<ChannelHead> parse_channel_head(std::string_view body);

// Errors of all three: malformed (a field breaks its rule), limit.
Result<std::string> format_channel_root(const ChannelRoot& root);
Result<std::string> format_channel_release(const ChannelRelease& release);
Result<std::string> format_channel_head(const ChannelHead& head);

// Whether the signatures meet the role: `threshold` distinct keys of it have signed this body. Error: untrusted, whose
// text says how many did.
Status verify_signers(ChannelText kind, const SignedText& text, const ChannelRoot& root, const ChannelRole& role);

}  // namespace fardel
