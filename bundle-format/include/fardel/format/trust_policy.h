// TrustPolicy: which keys, in which role and number, are trusted for which bundle names, and which are revoked.
//
// A policy is a small text file that a person owns (docs/trust-policy.md). evaluate() is a pure decision over the
// envelopes of one bundle: time is an argument, and nothing is read or remembered. Envelopes are untrusted; the policy
// is trusted. A policy is immutable and may be used from any number of threads at once.
#pragma once

#include <fardel/base/result.h>
#include <fardel/base/unix_time.h>
#include <fardel/format/content_class.h>
#include <fardel/format/ids.h>
#include <fardel/format/statement.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// The time by which dates in signatures and in metadata are judged. The default is the system's clock, so that
// forgetting the time honours dates; ignoring them has to be written down.
class TrustTime {
public:
    TrustTime() = default;  // system()
    static TrustTime system() noexcept { return {}; }
    static TrustTime at(UnixTime now) noexcept { return TrustTime(Kind::fixed, now); }
    // Nothing has expired: for tools that look at old content, and for tests.
    static TrustTime ignored() noexcept { return TrustTime(Kind::ignored, {}); }

    // Nothing if dates are ignored. Reads the clock if the time is the system's.
    std::optional<UnixTime> now() const noexcept;

private:
    enum class Kind : std::uint8_t { system, fixed, ignored };
    TrustTime(Kind kind, UnixTime now) noexcept : kind_(kind), now_(now) {}

    Kind kind_ = Kind::system;
    UnixTime now_;
};

struct PolicyKey {
    std::string label;  // letters, digits, '.', '-', '_'; at most 64
    PublicKey key;

    friend bool operator==(const PolicyKey&, const PolicyKey&) = default;
};

struct RoleThreshold {
    SignerRole role = SignerRole::author;
    std::uint32_t threshold = 1;  // distinct public keys
    std::vector<std::string> labels;

    friend bool operator==(const RoleThreshold&, const RoleThreshold&) = default;
};

// Only the first rule whose pattern matches a bundle's name decides. Every role in it must meet its threshold.
struct AllowRule {
    std::string pattern;  // glob_matches (name.h)
    std::vector<RoleThreshold> roles;
    // Globs over names that its bundles publish, at most limits::kRuleGlobsMax each; find_name_scope() gives the
    // meaning of empty lists.
    std::vector<std::string> publish;    // what they may publish
    std::vector<std::string> overrides;  // where they may replace, hide or extend what bundles of other rules publish
    ContentClass brings = ContentClass::code;  // the most dangerous class of content that they may bring

    friend bool operator==(const AllowRule&, const AllowRule&) = default;
};

// Whose licence tokens count for bundles that require one. Only the first rule whose pattern matches decides.
struct LicenseRule {
    std::string pattern;
    std::vector<std::string> labels;

    friend bool operator==(const LicenseRule&, const LicenseRule&) = default;
};

// Which names the bundles of one rule may publish, as the bundles spell them. Names outside are as if they were not
// published.
struct NameScope {
    AllowRule rule;
    std::vector<std::string> publish;
    std::vector<std::string> overrides;

    bool may_publish(std::string_view name) const;
    bool may_override(std::string_view name) const;
    std::string describe() const;  // "the rule maps/* lets it publish maps/**"; safe to show
};

// Nothing if the rule sets no bounds: its pattern begins with no folder, and it has neither list. Without `publish`,
// the bound is the folder that the pattern begins with ("maps/**" for "maps/*" and "maps/dm01"), or everything.
std::optional<NameScope> find_name_scope(const AllowRule& rule);

template <class Id>
struct Revocation {
    Id id;
    std::string reason;

    friend bool operator==(const Revocation&, const Revocation&) = default;
};

// The content of a policy file, as plain values.
struct TrustRules {
    std::vector<PolicyKey> keys;
    std::vector<AllowRule> allow;
    std::vector<LicenseRule> licenses;
    std::vector<Revocation<PublicKey>> revoked_keys;
    std::vector<Revocation<BundleId>> revoked_bundles;
    bool unsigned_allowed = false;         // development mode: a bundle that is only untrusted is accepted and tainted
    bool expired_content_allowed = false;  // bundles are mounted after the date in their metadata (`expires`)
    bool unlicensed_allowed = false;       // bundles are mounted without the licence token that they require

    friend bool operator==(const TrustRules&, const TrustRules&) = default;
};

struct TrustedSigner {
    std::string label;
    SignerRole role = SignerRole::author;
    PublicKey key;
};

// A remark of evaluate(), which may or may not have changed the verdict.
struct TrustFinding {
    std::string_view kind;  // a stable word from docs/trust-policy.md, e.g. "unknown-signer"
    ErrorCode code;
    std::size_t envelope = 0;  // its index in the trailer
    std::string text;          // safe to show
};

// What a statement must be about, or it does not count.
struct BundleIdentity {
    BundleId bundle;
    LayoutId layout;      // it need not list this one: see TrustVerdict::layout_signed
    std::string name;     // in the manifest's metadata; empty: the bundle has none, and no statement counts
    std::string version;  // empty: it has none
};

struct TrustVerdict {
    bool trusted = false;
    bool tainted = false;          // trusted only because the policy says `unsigned allow`
    bool layout_signed = false;    // the trusted statement lists this layout: its signers made or checked this file
    std::optional<Error> refusal;  // set when not trusted: untrusted, revoked, expired or unsupported
    std::optional<Statement>
        statement;  // the statement that the verdict is about; rely on it only if trusted and not tainted
    std::vector<TrustedSigner> signers;        // the signers that counted
    std::optional<AllowRule> rule;             // that accepted the statement; nothing if not trusted, or tainted
    ContentClass brings = ContentClass::code;  // the most dangerous class that all policies asked let it bring
    std::vector<TrustFinding> findings;
};

// "the trust policy lets its signers bring data only"
std::string describe_limit(ContentClass brings);

class TrustPolicy {
public:
    // Errors: malformed (with the line number), limit, unsupported (another version of the file).
    static Result<TrustPolicy> parse(std::string_view text);
    // Makes the same checks on values. Errors: malformed, limit.
    static Result<TrustPolicy> make(TrustRules rules);

    // Returns a policy that accepts what this one and `other` both accept; licence tokens as well, unless one of them
    // has no rule about any. rules(), format() and the rule of a verdict are those of this one, but a bundle that this
    // one accepts only as tainted, or without bounds of names, has the other's rule. Its classes of content are those
    // that both allow.
    TrustPolicy requiring(TrustPolicy other) const;
    // Returns the same policy for bundles of a channel: statements for another channel do not count, and a bundle that
    // has no other statement is untrusted, also where unsigned ones are allowed.
    TrustPolicy for_channel(std::string channel) const;

    const TrustRules& rules() const noexcept { return rules_; }
    // The rule that decides about bundles with this name; nullptr: none does.
    const AllowRule* find_rule(std::string_view bundle_name) const;
    // Returns canonical text without comments; parse(format()) gives the same rules.
    std::string format() const;

    // Without `now`, dates are ignored (TrustTime::now). Error: limit (too many envelopes or signatures; counted before
    // any cryptography). The rest is in the verdict.
    Result<TrustVerdict> evaluate(std::span<const Envelope> envelopes, const BundleIdentity& bundle,
                                  std::optional<UnixTime> now) const;

    // Whether one of the tokens permits the use of a bundle that requires one. Errors: missing (none is about it),
    // untrusted (no rule, another key, a wrong signature), revoked, expired, limit (too many tokens).
    Status verify_license(std::span<const Envelope> tokens, const BundleIdentity& bundle,
                          std::optional<UnixTime> now) const;

private:
    explicit TrustPolicy(TrustRules rules) : rules_(std::move(rules)) {}
    Status verify_own_license(std::span<const Envelope> tokens, const BundleIdentity& bundle,
                              std::optional<UnixTime> now) const;

    TrustRules rules_;
    std::string channel_;                       // empty: any
    std::shared_ptr<const TrustPolicy> other_;  // must accept, too; nullptr: none
};

// Returns a policy of one rule: any one of `authors` and, if there are `registries`, any one of those, for names that
// match `pattern`. Errors: those of TrustPolicy::make.
Result<TrustPolicy> make_policy(std::span<const PolicyKey> authors, std::span<const PolicyKey> registries,
                                std::string_view pattern = "**");

// Reads a policy file. Errors: missing, denied, io, and those of parse.
Result<TrustPolicy> read_trust_policy(const std::string& path);

}  // namespace fardel
