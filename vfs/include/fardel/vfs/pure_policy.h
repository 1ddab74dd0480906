// PurePolicy: the content that a server allows its clients to see. PureReport: what a client's mounts have against it.
// docs/pure-mode.md.
//
// The policy is a small text file that the server writes and every client reads: the content set in order, and the few
// things that may differ from client to client. It is checked by digest, so its delivery need not be trusted. The
// client sends its report beside its answer, so on the server the report is untrusted text; names and reasons in it are
// always safe to show. Policies are immutable and may be used from any number of threads at once.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>
#include <fardel/format/name.h>
#include <fardel/format/trust_policy.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

class ContentSet;  // <fardel/format/content_set.h>

// ---- Policy ---------------------------------------------------------------------------------------------------------

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

// So many distinct ones of these keys have signed in this role.
struct PureRole {
    SignerRole role = SignerRole::author;
    std::uint32_t threshold = 1;
    std::vector<PublicKey> keys;  // sorted

    friend auto operator<=>(const PureRole&, const PureRole&) = default;
};

// Allows bundles outside the content set: those whose name matches, that the client's own trust policy accepts, and
// that this key has signed in any role, or, with `role`, keys of the role. Only their paths of the tree that match
// `paths` are visible, and these win over the content set's.
struct PureException {
    std::string bundles;  // a glob over the names in statements
    PublicKey signer;     // zero with `role`
    std::string paths;    // a glob over paths of the tree, without the '/' at the front
    std::optional<PureRole> role;

    friend auto operator<=>(const PureException&, const PureException&) = default;
};

// A channel that bundles of the content set come from. A client that follows it applies its recalls; none begins to
// follow it because a server names it.
struct PureChannel {
    std::string name;
    Hash id;  // of its roots

    friend auto operator<=>(const PureChannel&, const PureChannel&) = default;
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
    std::vector<PureChannel> channels;
    bool unsigned_allowed = false;  // the content set need not be signed by a key that the client trusts

    friend bool operator==(const PureRules&, const PureRules&) = default;
};

class PurePolicy {
public:
    static constexpr std::size_t kBytesMax = 4u << 20;
    static constexpr std::size_t kAxesMax = 16;
    static constexpr std::size_t kTagsMax = 32;        // of one axis
    static constexpr std::size_t kPatternsMax = 1024;  // of each kind
    static constexpr std::size_t kRoleKeysMax = 16;    // of one exception
    static constexpr std::size_t kChannelsMax = 64;

    // Errors: malformed (with the line number), limit, conflict (a bundle is listed twice), unsupported (another
    // version of the file).
    static Result<PurePolicy> parse(std::string_view text);
    // The same checks on values.
    static Result<PurePolicy> make(PureRules rules);

    const PureRules& rules() const noexcept { return rules_; }
    const ContentSet& content() const noexcept { return *content_; }
    // Canonical text without comments, sorted where order does not matter. parse(format()) gives the same rules.
    std::string format() const;
    // BLAKE3-256 of: le64(20), "fardel pure policy 1", le64(size of the canonical text), that text.
    const Hash& digest() const noexcept { return digest_; }

private:
    PurePolicy(PureRules rules, std::shared_ptr<const ContentSet> content);
    PureRules rules_;
    std::shared_ptr<const ContentSet> content_;
    Hash digest_;
};

// ---- Recalls --------------------------------------------------------------------------------------------------------

// What a channel that the client follows has recalled: a ChannelState has it (<fardel/delivery/channel_follow.h>).
struct PureRecalls {
    PureChannel channel;
    std::vector<Revocation<BundleId>> bundles;
    std::vector<Revocation<PublicKey>> keys;
};
// The client's own rules, without what those of `followed` recall that the policy names: the content of the server is
// mounted with a policy of these rules (MountOptions::policy). A channel that has the name and another id recalls
// nothing here.
TrustRules without_recalled(TrustRules own, const PurePolicy& policy, std::span<const PureRecalls> followed);

// ---- Report ---------------------------------------------------------------------------------------------------------

enum class PureFault : std::uint8_t {
    missing,      // "missing": a bundle of the content set is not mounted
    wrong,        // "wrong": it is damaged, or mounted elsewhere or with another case rule
    unsigned_,    // "unsigned": no key that the client trusts has signed it
    revoked,      // "revoked": the bundle, or the key of a signer, is withdrawn
    not_allowed,  // "not-allowed": a loose file, a signer or a variant that the policy does not allow
    extra,        // "extra": a bundle that the policy does not mention
};
inline constexpr std::size_t kPureFaults = 6;
std::string_view pure_fault_text(PureFault fault) noexcept;

struct PureProblem {
    PureFault fault = PureFault::missing;
    BundleId bundle;   // zero: none, or one that could not be opened
    std::string name;  // the bundle's, or a label, path or variant
    std::string text;  // the reason

    friend bool operator==(const PureProblem&, const PureProblem&) = default;
};
// Makes name and text safe to show.
PureProblem make_pure_problem(PureFault fault, const BundleId& bundle, std::string_view name, std::string_view text);

// The problems of a client, and their canonical text for the server.
class PureReport {
public:
    static constexpr std::size_t kProblemsMax = 10'000;  // with more, the last one says how many
    static constexpr std::size_t kTextBytesMax = 200;    // of each name and reason; printable() adds "…"
    static constexpr std::size_t kBytesMax = 8u << 20;

    PureReport() = default;
    explicit PureReport(std::vector<PureProblem> problems);
    // The text is untrusted. Errors: malformed (not in the form of format()), limit, unsupported.
    static Result<PureReport> parse(std::string_view text);

    std::span<const PureProblem> problems() const noexcept { return problems_; }
    bool empty() const noexcept { return problems_.empty(); }
    std::array<std::uint32_t, kPureFaults> counts() const noexcept;  // by fault
    std::string format() const;
    // BLAKE3-256 of: le64(20), "fardel pure report 1", le64(size of the text), the text.
    Hash digest() const;

private:
    std::vector<PureProblem> problems_;
};

}  // namespace fardel
