// TrustPolicy::evaluate: judges the signatures of one bundle under a policy. docs/trust-policy.md, "Verdict".

#include <fardel/format/trust_policy.h>

#include "signed_statements.h"
#include "threshold.h"

#include <fardel/format/limits.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <tuple>

namespace fardel {
namespace {

// The verdict on one statement.
struct Judgement {
    std::optional<Error> refusal;
    std::vector<TrustedSigner> signers;
    std::optional<AllowRule> rule;  // if not refused
};

// Which signatures to count, in order to find the obstacle.
struct Reckoning {
    bool with_revoked = false;
    bool with_expired = false;
};

// Finds the first rule that matches a name. Case variants of the name also match, so that none of them escapes the
// rule.
const AllowRule* first_rule(const TrustRules& rules, std::string_view name) {
    const std::string folded = fold_name(name);
    const auto at = std::ranges::find_if(rules.allow, [&](const AllowRule& rule) {
        return glob_matches(rule.pattern, name) || glob_matches(fold_name(rule.pattern), folded);
    });
    return at == rules.allow.end() ? nullptr : &*at;
}

// The policy has checked that `label` is one of its labels.
const PublicKey& key_of(const TrustRules& rules, const std::string& label) {
    return std::ranges::lower_bound(rules.keys, label, {}, &PolicyKey::label)->key;
}

// Returns the keys of a role that have signed in that role.
RoleKeys signed_keys(const TrustRules& rules, const RoleThreshold& required, const SignedStatement& statement,
                     Reckoning with) {
    RoleKeys found{required.threshold, {}};
    for (const std::string& label : required.labels) {
        const PublicKey& key = key_of(rules, label);
        const auto counts = [&](const GoodSignature& signature) {
            return signature.key == key && signature.role == required.role &&
                   (with.with_revoked || !signature.revoked) && (with.with_expired || !signature.expired);
        };
        if (std::ranges::any_of(statement.signatures, counts))
            found.keys.push_back(key);
    }
    return found;
}

bool is_met(const TrustRules& rules, const AllowRule& rule, const SignedStatement& statement, Reckoning with) {
    std::vector<RoleKeys> roles;
    for (const RoleThreshold& required : rule.roles)
        roles.push_back(signed_keys(rules, required, statement, with));
    return thresholds_met(roles);
}

// Returns the reason why a rule is not met.
Error obstacle(const TrustRules& rules, const AllowRule& rule, const SignedStatement& statement) {
    // The nearest obstacle is the error: what would be accepted a day earlier is expired, and not untrusted.
    if (is_met(rules, rule, statement, {.with_expired = true}))
        return Error(ErrorCode::expired, "a countersignature that the rule " + rule.pattern + " wants has expired");
    if (is_met(rules, rule, statement, {.with_revoked = true, .with_expired = true}))
        return Error(ErrorCode::revoked,
                     "a signature that the rule " + rule.pattern + " wants is of a key that has been withdrawn");
    std::string wants;
    for (const RoleThreshold& required : rule.roles) {
        const RoleKeys found = signed_keys(rules, required, statement, {});
        if (!thresholds_met(std::span(&found, 1)))
            wants +=
                (wants.empty() ? " " : ", ") + std::to_string(required.threshold) + " of " + role_name(required.role);
    }
    return Error(ErrorCode::untrusted, "the rule " + rule.pattern + " wants" +
                                           (wants.empty() ? " different keys for its roles"
                                                          : wants + "; too few of the keys that it names have signed"));
}

std::vector<TrustedSigner> counted(const TrustRules& rules, const AllowRule& rule, const SignedStatement& statement) {
    std::vector<TrustedSigner> signers;
    for (const RoleThreshold& required : rule.roles) {
        std::vector<PublicKey> keys = signed_keys(rules, required, statement, {}).keys;
        for (const std::string& label : required.labels)
            if (std::erase(keys, key_of(rules, label)) != 0)  // if a key has two labels, its first one is used
                signers.push_back({label, required.role, key_of(rules, label)});
    }
    return signers;
}

Judgement judge(const TrustRules& rules, const SignedStatement& signed_statement, std::optional<UnixTime> now) {
    const Statement& statement = signed_statement.statement;
    const AllowRule* const rule = first_rule(rules, statement.name);
    Judgement judgement;
    // First of all: no other finding may hide that a key was withdrawn (tests/ATTACKS.md, A72).
    if (const auto* revocation = find_revocation(rules.revoked_keys, statement.author))
        judgement.refusal = Error(ErrorCode::revoked, "its author's key, " + shown_key(rules, statement.author) +
                                                          ", has been withdrawn" + shown_reason(revocation->reason));
    else if (rule == nullptr)
        judgement.refusal =
            Error(ErrorCode::untrusted, "no rule of the trust policy is about the name " + printable(statement.name));
    else if (!glob_matches(rule->pattern, statement.name))  // tests/ATTACKS.md, A69
        judgement.refusal =
            Error(ErrorCode::untrusted, "the name " + printable(statement.name) + " is one of the rule " +
                                            rule->pattern + " in other letter case");
    else if (!is_met(rules, *rule, signed_statement, {}))
        judgement.refusal = obstacle(rules, *rule, signed_statement);
    else if (has_passed(statement.expires, now))
        judgement.refusal = Error(ErrorCode::expired, "its statement expired on " + shown_date(*statement.expires));
    else {
        judgement.signers = counted(rules, *rule, signed_statement);
        judgement.rule = *rule;
    }
    return judgement;
}

// Returns the verdict on the statement that ranks first: trusted before others, then by higher epoch, later creation,
// whether it lists the file's layout, greater hash. So the order of statements in the trailer does not matter. The
// layout counts because a file can be signed and repacked within one second. All have the bundle's name, and so one
// rule.
TrustVerdict choose(const TrustRules& rules, const SignedStatements& found, const LayoutId& layout,
                    std::optional<UnixTime> now) {
    TrustVerdict verdict;
    const SignedStatement* best = nullptr;
    Judgement judgement;
    const auto rank = [&](const SignedStatement& of, const Judgement& judged) {
        return std::tuple(!judged.refusal, of.statement.epoch, of.statement.created, of.statement.lists(layout),
                          of.hash);
    };
    for (const SignedStatement& next : found.statements) {
        Judgement judged = judge(rules, next, now);
        if (best && rank(next, judged) < rank(*best, judgement))
            continue;
        best = &next;
        judgement = std::move(judged);
    }
    if (best) {
        verdict.statement = best->statement;
        verdict.refusal = std::move(judgement.refusal);
        verdict.signers = std::move(judgement.signers);
        verdict.rule = std::move(judgement.rule);
        if (verdict.rule)
            verdict.brings = verdict.rule->brings;
    } else if (found.unsupported_seen) {
        verdict.refusal = Error(ErrorCode::unsupported, "its statement needs a newer version of this library");
    } else if (found.misnamed) {
        verdict.refusal = Error(ErrorCode::untrusted, *found.misnamed);
    } else {
        verdict.refusal = Error(ErrorCode::untrusted, "nobody has signed a statement about this bundle");
    }
    return verdict;
}

// The verdict of both on a bundle that the first one accepts.
TrustVerdict join(TrustVerdict own, TrustVerdict other) {
    // Without demands of his own, the follower of a channel accepts anything, and the channel's verdict counts.
    if (!other.trusted || own.tainted)
        return other;
    // Bounds of published names are those of one part: the follower's, or if there are none, the channel's.
    if (!own.rule || !find_name_scope(*own.rule))
        own.rule = std::move(other.rule);
    own.brings = std::min(own.brings, other.brings);
    return own;
}

// Removes the statements for other channels, unless there is no other. Then it returns why none of them counts.
std::optional<Error> keep_those_for(const std::string& channel, std::vector<SignedStatement>& statements) {
    const auto is_other = [&](const SignedStatement& signed_statement) {
        const std::string& stated = signed_statement.statement.channel;
        return !channel.empty() && !stated.empty() && stated != channel;
    };
    if (!statements.empty() && std::ranges::all_of(statements, is_other))
        return Error(ErrorCode::untrusted, "it is signed for the channel " +
                                               printable(statements.front().statement.channel) + ", and not for " +
                                               printable(channel));
    std::erase_if(statements, is_other);
    return std::nullopt;
}

bool is_mere_distrust(const Error& refusal) {
    return refusal.code() == ErrorCode::untrusted || refusal.code() == ErrorCode::unsupported;
}

}  // namespace

std::string describe_limit(ContentClass brings) {
    return std::string("the trust policy lets its signers bring ") + (brings == ContentClass::data ? "data only"
                                                                      : brings == ContentClass::script
                                                                          ? "data and scripts only"
                                                                          : "everything");
}

const AllowRule* TrustPolicy::find_rule(std::string_view bundle_name) const { return first_rule(rules_, bundle_name); }

Result<TrustVerdict> TrustPolicy::evaluate(std::span<const Envelope> envelopes, const BundleIdentity& bundle,
                                           std::optional<UnixTime> now) const {
    std::size_t signatures = 0;
    for (const Envelope& envelope : envelopes)
        signatures += envelope.signatures.size();
    // Counted before any cryptography, which is what a flood of signatures would cost (tests/ATTACKS.md, A56).
    if (envelopes.size() > limits::kEnvelopesMax || signatures > limits::kSignaturesMax)
        return Error(ErrorCode::limit, std::to_string(signatures) + " signatures in " +
                                           std::to_string(envelopes.size()) + " envelopes; at most " +
                                           std::to_string(limits::kSignaturesMax) + " in " +
                                           std::to_string(limits::kEnvelopesMax) + " are looked at");

    SignedStatements found = gather_signed_statements(rules_, envelopes, bundle, now);
    const std::optional<Error> for_another = keep_those_for(channel_, found.statements);
    TrustVerdict verdict = choose(rules_, found, bundle.layout, now);
    // That a key was withdrawn is said first of all (tests/ATTACKS.md, A72).
    if (for_another && !(verdict.refusal && verdict.refusal->code() == ErrorCode::revoked)) {
        verdict.refusal = for_another;
        verdict.signers.clear();
        verdict.rule.reset();
    }
    // After the choice: a bundle that was withdrawn is so whichever statement ranks first.
    if (const auto* revocation = find_revocation(rules_.revoked_bundles, bundle.bundle)) {
        verdict.refusal =
            Error(ErrorCode::revoked, "this bundle has been withdrawn" + shown_reason(revocation->reason));
        verdict.signers.clear();
        verdict.rule.reset();
    }
    verdict.findings = std::move(found.findings);
    verdict.trusted = !verdict.refusal;
    if (verdict.trusted) {
        verdict.layout_signed = verdict.statement->lists(bundle.layout);
        // Development mode forgives missing trust; what was withdrawn or has expired stays refused.
        // What is unsigned may be anybody's; what is signed for another channel is not meant for this one.
    } else if (rules_.unsigned_allowed && !for_another && is_mere_distrust(*verdict.refusal)) {
        verdict.findings.push_back({"unsigned-allowed", verdict.refusal->code(), 0,
                                    "accepted in development mode only: " + verdict.refusal->message()});
        verdict.trusted = verdict.tainted = true;
        verdict.refusal.reset();
    }
    if (!verdict.trusted || !other_)
        return verdict;
    FARDEL_TRY_ASSIGN(TrustVerdict other, other_->evaluate(envelopes, bundle, now));
    return join(std::move(verdict), std::move(other));
}

}  // namespace fardel
