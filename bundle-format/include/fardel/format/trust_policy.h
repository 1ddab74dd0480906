// TrustPolicy: which keys, in which role and number, are trusted for which bundle names, and which are revoked.
//
// A policy is a small text file that a person owns (docs/trust-policy.md). evaluate() is a pure decision over the
// envelopes of one bundle: time is an argument, and nothing is read or remembered. Envelopes are untrusted; the policy
// is trusted. A policy is immutable and may be used from any number of threads at once.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>
#include <fardel/format/statement.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

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

    friend bool operator==(const AllowRule&, const AllowRule&) = default;
};

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
    std::vector<Revocation<PublicKey>> revoked_keys;
    std::vector<Revocation<BundleId>> revoked_bundles;
    bool unsigned_allowed = false;  // development mode: a bundle that is only untrusted is accepted and tainted

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
    std::vector<TrustedSigner> signers;  // the signers that counted
    std::vector<TrustFinding> findings;
};

class TrustPolicy {
public:
    // Errors: malformed (with the line number), limit, unsupported (another version of the file).
    static Result<TrustPolicy> parse(std::string_view text);
    // Makes the same checks on values. Errors: malformed, limit.
    static Result<TrustPolicy> make(TrustRules rules);

    const TrustRules& rules() const noexcept { return rules_; }
    // Returns canonical text without comments; parse(format()) gives the same rules.
    std::string format() const;

    // Error: limit (too many envelopes or signatures; counted before any cryptography). The rest is in the verdict.
    Result<TrustVerdict> evaluate(std::span<const Envelope> envelopes, const BundleIdentity& bundle,
                                  std::uint64_t now_s) const;

private:
    explicit TrustPolicy(TrustRules rules) : rules_(std::move(rules)) {}
    TrustRules rules_;
};

// Returns a policy of one rule: any one of `authors` and, if there are `registries`, any one of those, for names that
// match `pattern`. Errors: those of TrustPolicy::make.
Result<TrustPolicy> make_policy(std::span<const PolicyKey> authors, std::span<const PolicyKey> registries,
                                std::string_view pattern = "**");

// Reads a policy file. Errors: missing, denied, io, and those of parse.
Result<TrustPolicy> read_trust_policy(const std::string& path);

}  // namespace fardel
