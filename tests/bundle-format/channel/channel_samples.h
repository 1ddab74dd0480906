// A channel with its keys, for tests: texts that are right unless a test changes one field, signed by whom it says.
#pragma once

#include "bundle-format/trust/signing_vectors.h"

#include <fardel/format/channel.h>
#include <fardel/format/channel_update.h>
#include <fardel/format/hash.h>

namespace fardel::tests {

inline constexpr const char* kSampleChannel = "mygame/stable";
inline constexpr std::uint64_t kChannelDay = 24 * 3600;
inline constexpr UnixTime kChannelNow{1'700'000'000};

// Numbers of keys. Root 1 requires two of the first three.
inline constexpr std::uint8_t kRootKeyA = 1, kRootKeyB = 2, kRootKeyC = 3, kReleaseKey = 4, kHeadKey = 5,
                              kAuthorKey = 6, kOtherKey = 7;

inline std::string key_label(std::uint8_t number) { return "key" + std::to_string(number); }

inline PolicyKey policy_key(std::uint8_t number) { return {key_label(number), numbered_key(number).public_key()}; }

inline ChannelRoot sample_root(std::uint64_t version = 1) {
    ChannelRoot root;
    root.channel = kSampleChannel;
    root.id.bytes.fill(0x22);
    root.version = version;
    root.created = kChannelNow - kChannelDay;
    root.expires = kChannelNow + 365 * kChannelDay;
    root.root = {2, {key_label(kRootKeyA), key_label(kRootKeyB), key_label(kRootKeyC)}};
    root.release = {1, {key_label(kReleaseKey)}};
    root.head = {1, {key_label(kHeadKey)}};
    for (std::uint8_t number = kRootKeyA; number <= kAuthorKey; ++number)
        root.trust.keys.push_back(policy_key(number));
    return root;
}

inline BundleId sample_bundle(std::uint8_t number) {
    BundleId id;
    id.bytes.fill(number);
    return id;
}

inline ChannelRelease sample_release(std::uint64_t version = 1) {
    ChannelRelease release;
    release.channel = kSampleChannel;
    release.version = version;
    release.created = kChannelNow;
    release.bundles.push_back({sample_bundle(1), 20'480, 3, value_of(BundleVersion::parse("1.0")), "mygame/base"});
    release.bundles.push_back({sample_bundle(static_cast<std::uint8_t>(version + 1)), 1000, 0,
                               value_of(BundleVersion::parse("2")), "mygame/maps"});
    return release;
}

inline std::string signed_file(ChannelText kind, std::string body, const std::vector<std::uint8_t>& keys) {
    SignedText text{.body = std::move(body), .signatures = {}};
    for (const std::uint8_t number : keys) {
        const auto signer = make_key_signer(numbered_key(number));
        REQUIRE(sign_text(kind, text, *signer));
    }
    return format_signed_text(text);
}

inline std::string root_file(const ChannelRoot& root, const std::vector<std::uint8_t>& keys = {kRootKeyA, kRootKeyB}) {
    return signed_file(ChannelText::root, value_of(format_channel_root(root)), keys);
}

inline std::string release_file(const ChannelRelease& release, std::uint8_t key = kReleaseKey) {
    return signed_file(ChannelText::release, value_of(format_channel_release(release)), {key});
}

inline ChannelHead head_for(std::uint64_t version, const std::string& release, std::uint64_t release_version,
                            std::uint64_t root_version = 1) {
    ChannelHead head;
    head.channel = kSampleChannel;
    head.version = version;
    head.created = kChannelNow;
    head.expires = kChannelNow + 7 * kChannelDay;
    head.root_version = root_version;
    head.release_version = release_version;
    head.release_bytes = release.size();
    head.release_hash = blake3(std::as_bytes(std::span(release)));
    return head;
}

inline std::string head_file(const ChannelHead& head, std::uint8_t key = kHeadKey) {
    return signed_file(ChannelText::head, value_of(format_channel_head(head)), {key});
}

// What a client has accepted: root 1, and release `release_version` by head `head_version`.
inline ChannelFiles accepted_files(std::uint64_t head_version = 5, std::uint64_t release_version = 3) {
    ChannelFiles files;
    files.root = root_file(sample_root());
    files.release = release_file(sample_release(release_version));
    files.head = head_file(head_for(head_version, files.release, release_version));
    return files;
}

inline ChannelUpdate begun(const ChannelFiles& files, UnixTime now = kChannelNow) {
    return value_of(ChannelUpdate::begin(files, now));
}

}  // namespace fardel::tests
