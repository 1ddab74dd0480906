// PurePolicy: the content that a server allows its clients to see. docs/pure-mode.md.
//
// A small text file that the server writes and every client reads: the content set in order, and the few things that
// may differ from client to client. It is checked by digest, so its delivery need not be trusted. A policy is
// immutable and may be used from any number of threads at once.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/content_set.h>
#include <fardel/format/ids.h>
#include <fardel/format/name.h>
#include <fardel/format/trust_policy.h>

#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct PureBundle {
    BundleId bundle;
    CaseRule case_rule = CaseRule::exact;
    std::string mount_point;  // as MountOptions::mount_point
    std::string name;         // for reports; a well-formed name, or empty

    friend bool operator==(const PureBundle&, const PureBundle&) = default;
};

// A client may choose among these tags. On an axis that the policy does not list, it may choose any tag.
struct PureAxis {
    std::string axis;
    std::vector<std::string> tags;  // sorted

    friend bool operator==(const PureAxis&, const PureAxis&) = default;
};

// Allows bundles outside the content set: those whose name matches and that this key has signed as author or registry.
// Only their paths of the tree that match `paths` are visible, and these win over the content set's.
struct PureException {
    std::string bundles;  // a glob over the names in statements
    PublicKey signer;
    std::string paths;  // a glob over paths of the tree, without the '/' at the front

    friend auto operator<=>(const PureException&, const PureException&) = default;
};

// The content of a policy file, as plain values.
struct PureRules {
    std::vector<PureBundle> bundles;  // in the order of mounting: later ones win
    std::vector<PureAxis> variants;
    std::vector<PureException> exceptions;
    // Globs over paths of the tree at which files without a bundle are tolerated, where no bundle has the name. The
    // part before the first '/' is plain: no pattern allows a kind of file everywhere.
    std::vector<std::string> loose;
    std::vector<Revocation<PublicKey>> revoked_keys;
    std::vector<Revocation<BundleId>> revoked_bundles;
    bool unsigned_allowed = false;  // the content set need not be signed by a key that the client trusts

    friend bool operator==(const PureRules&, const PureRules&) = default;
};

class PurePolicy {
public:
    static constexpr std::size_t kBytesMax = 1u << 20;
    static constexpr std::size_t kAxesMax = 16;
    static constexpr std::size_t kTagsMax = 32;        // of one axis
    static constexpr std::size_t kPatternsMax = 1024;  // of each kind

    // Errors: malformed (with the line number), limit, conflict (a bundle is listed twice), unsupported (another
    // version of the file).
    static Result<PurePolicy> parse(std::string_view text);
    // The same checks on values.
    static Result<PurePolicy> make(PureRules rules);

    const PureRules& rules() const noexcept { return rules_; }
    const ContentSet& content() const noexcept { return content_; }
    // Canonical text without comments, sorted where order does not matter. parse(format()) gives the same rules.
    std::string format() const;
    // BLAKE3-256 of: le64(20), "fardel pure policy 1", le64(size of the canonical text), that text.
    const Hash& digest() const noexcept { return digest_; }

private:
    PurePolicy(PureRules rules, ContentSet content);
    PureRules rules_;
    ContentSet content_;
    Hash digest_;
};

}  // namespace fardel
