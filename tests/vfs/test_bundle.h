// Bundles for the tests of the Vfs: signed with real keys, and damaged or forged on purpose; and how they are mounted
// and read.
#pragma once

#include "kit/bundles.h"

#include <fardel/format/manifest.h>
#include <fardel/format/signer.h>
#include <fardel/format/trust_policy.h>
#include <fardel/vfs/file.h>
#include <fardel/vfs/inspect.h>
#include <fardel/vfs/pure_check.h>
#include <fardel/vfs/pure_policy.h>
#include <fardel/vfs/vfs.h>

#include <functional>

namespace fardel::tests {

// 32 unpredictable bytes, for nonces and keys.
Hash random_hash();

// One signer, and a policy that accepts only this signer.
class Author {
public:
    Author();
    const TrustPolicy& policy() const { return policy_; }
    const PublicKey& key() const { return key_; }
    // Returns the bundle with a signed statement in its trailer, under the bundle's own name or under another one.
    Bytes sign(Bytes bundle, std::string_view under = {}, std::optional<UnixTime> expires = {});

private:
    std::unique_ptr<Signer> signer_;
    PublicKey key_;
    TrustPolicy policy_;
};

// Replaces `claimed_content` in the bundle with `true_content` of the same size. The tables still claim the old asset
// id; the layout is consistent and has a new id. `claimed_content` must be in a raw block.
Bytes forge_content(Bytes bundle, std::string_view claimed_content, std::string_view true_content);
// Changes one byte of the stored form of the asset's first block.
Bytes damage_content(Bytes bundle, const AssetId& asset);
// Changes one byte of each page of a table.
Bytes damage_table(Bytes bundle, TableKind table);
// Changes one page of a manifest table and corrects all hashes, as a hostile packer could. The
// bundle id is new.
Bytes rewrite_table(Bytes bundle, TableKind table, const std::function<void(std::span<std::byte>)>& change);
// Makes all names of a small bundle claim this hash.
Bytes flood_name_buckets(Bytes bundle, std::uint64_t hash);

// Options of an unsigned mount, which most cases need.
MountOptions unsigned_at(std::string mount_point = {}, int priority = 0);
inline MountOptions labelled(std::string label, int priority = 0) {
    return {.priority = priority, .allow_unsigned = true, .label = std::move(label)};
}
// Mounts the bundle; fails the test on an error.
MountId mount(Vfs& vfs, Bytes bundle, MountOptions options = unsigned_at());
// The content at `path`, or the error's text.
std::string content_at(const Vfs& vfs, std::string_view path);
// The same, where only this bundle is mounted.
std::string content_at(std::shared_ptr<const ByteSource> bundle, std::string_view path);
// "maps/ readme", with '/' after folders and '@' after links, or the error's text.
std::string listing_of(const Vfs& vfs, std::string_view path);
// An id or key whose 64 hexadecimal digits are equal.
inline BundleId bundle_of(char digit) { return BundleId::parse(std::string(64, digit)).value(); }
inline PublicKey key_of(char digit) { return PublicKey::parse(std::string(64, digit)).value(); }
// The faults of a report, with spaces between them.
std::string faults_of(const PureReport& report);
// The error's code name, or "ok".
template <class R>
std::string outcome_of(const R& result) {
    return result ? "ok" : std::string(error_code_name(result.error().code()));
}

}  // namespace fardel::tests
