#include "signed_statements.h"

#include <fardel/format/hash.h>
#include <fardel/format/name.h>
#include <fardel/format/printable.h>

#include <algorithm>
#include <chrono>

namespace fardel {
namespace {

// 'maps/x', version 1.0; "no name" for a bundle without.
std::string shown_name(std::string_view name, std::string_view version) {
    return (name.empty() ? "no name" : in_quotes(name)) +
           (version.empty() ? ", no version" : ", version " + printable(version));
}

class Gathering {
public:
    Gathering(const TrustRules& rules, std::span<const Envelope> envelopes, const BundleIdentity& bundle,
              std::optional<UnixTime> now)
        : rules_(rules), envelopes_(envelopes), bundle_(bundle), now_(now) {}

    SignedStatements run() {
        gather_statements();
        gather_countersignatures();
        note_repeated_keys();
        return std::move(found_);
    }

private:
    void note(std::string_view kind, ErrorCode code, std::size_t envelope, std::string text) {
        found_.findings.push_back({kind, code, envelope, std::move(text)});
    }

    void note_bad_payload(std::size_t envelope, const Error& error) {
        note(error.code() == ErrorCode::unsupported ? "unsupported-payload" : "bad-payload", error.code(), envelope,
             error.message());
    }

    // Whether `entry` is a good signature in `role`; records findings about it.
    bool check_signature(std::size_t envelope, const EnvelopeSignature& entry, SignerRole role) {
        // An algorithm that is named in the entry is never looked up by name or replaced (tests/ATTACKS.md, A60).
        if (entry.algorithm != SignatureAlgorithm::ed25519)
            note("unknown-algorithm", ErrorCode::untrusted, envelope,
                 "signature algorithm " + std::to_string(static_cast<unsigned>(entry.algorithm)) + " of " +
                     shown_key(rules_, entry.key));
        else if (entry.role != role)
            note("wrong-role", ErrorCode::untrusted, envelope,
                 role_name(entry.role) + " where " + role_name(role) + " is signed for, of " +
                     shown_key(rules_, entry.key));
        else if (!verify_envelope_signature(envelopes_[envelope], entry))
            note("bad-signature", ErrorCode::untrusted, envelope,
                 "the signature of " + shown_key(rules_, entry.key) + " does not fit what it signs");
        else
            return true;
        return false;
    }

    void add_signature(SignedStatement& signed_statement, std::size_t envelope, GoodSignature signature) {
        if (const auto* revocation = find_revocation(rules_.revoked_keys, signature.key)) {
            signature.revoked = true;
            note("revoked-key", ErrorCode::revoked, envelope,
                 shown_key(rules_, signature.key) + " has been withdrawn" + shown_reason(revocation->reason));
        } else if (std::ranges::find(rules_.keys, signature.key, &PolicyKey::key) == rules_.keys.end()) {
            note("unknown-signer", ErrorCode::untrusted, envelope,
                 shown_key(rules_, signature.key) + " signed as " + role_name(signature.role));
        }
        signed_statement.signatures.push_back(signature);
    }

    // Returns the signed_statement of this payload, since several envelopes may contain the same statement.
    SignedStatement& statement_for(std::size_t envelope, Statement statement) {
        const Hash hash = blake3(envelopes_[envelope].payload);
        const auto at = std::ranges::find(found_.statements, hash, &SignedStatement::hash);
        if (at != found_.statements.end())
            return *at;
        SignedStatement signed_statement;
        signed_statement.envelope = envelope;
        signed_statement.statement = std::move(statement);
        signed_statement.hash = hash;
        return found_.statements.emplace_back(std::move(signed_statement));
    }

    void gather_statements() {
        for (std::size_t i = 0; i < envelopes_.size(); ++i) {
            const Envelope& envelope = envelopes_[i];
            if (envelope.type == EnvelopeType::countersignature)
                continue;
            if (envelope.type != EnvelopeType::statement) {
                note("unknown-envelope", ErrorCode::unsupported, i,
                     "envelope type " + std::to_string(static_cast<unsigned>(envelope.type)) + " is not known");
                continue;
            }
            auto statement = decode_statement(envelope.payload);
            if (!statement) {
                note_bad_payload(i, statement.error());
                found_.unsupported_seen |= statement.error().code() == ErrorCode::unsupported;
            } else if (statement->bundle != bundle_.bundle) {
                note("wrong-bundle", ErrorCode::untrusted, i,
                     "a statement about another bundle, " + statement->bundle.hex());
            } else if (statement->name != bundle_.name || statement->version != bundle_.version) {
                // A key could otherwise sign a foreign bundle under a name that its own rule covers (tests/ATTACKS.md,
                // A123).
                found_.misnamed = "it is signed as " + shown_name(statement->name, statement->version) +
                                  ", and its manifest says " + shown_name(bundle_.name, bundle_.version);
                note("wrong-name", ErrorCode::untrusted, i, *found_.misnamed);
            } else {
                gather_authors(i, statement_for(i, std::move(*statement)));
            }
        }
        // Without its author's own signature a statement is a claim about that author by others.
        std::erase_if(found_.statements, [&](const SignedStatement& signed_statement) {
            if (std::ranges::find(signed_statement.authors, signed_statement.statement.author,
                                  &EnvelopeSignature::key) != signed_statement.authors.end())
                return false;
            note("no-author-signature", ErrorCode::untrusted, signed_statement.envelope,
                 "a statement that " + shown_key(rules_, signed_statement.statement.author) +
                     ", its author, has not signed");
            return true;
        });
    }

    void gather_authors(std::size_t envelope, SignedStatement& signed_statement) {
        for (const EnvelopeSignature& entry : envelopes_[envelope].signatures) {
            if (!check_signature(envelope, entry, SignerRole::author))
                continue;
            signed_statement.authors.push_back(entry);
            add_signature(signed_statement, envelope, {entry.key, SignerRole::author, false, false});
        }
    }

    void gather_countersignatures() {
        for (std::size_t i = 0; i < envelopes_.size(); ++i) {
            if (envelopes_[i].type != EnvelopeType::countersignature)
                continue;
            auto countersignature = decode_countersignature(envelopes_[i].payload);
            if (!countersignature)
                note_bad_payload(i, countersignature.error());
            else if (countersignature->bundle != bundle_.bundle)
                note("wrong-bundle", ErrorCode::untrusted, i,
                     "a countersignature for another bundle, " + countersignature->bundle.hex());
            else if (SignedStatement* signed_statement = find_countersigned(*countersignature))
                gather_countersigners(i, *countersignature, *signed_statement);
            else  // tests/ATTACKS.md, A57
                note("stray-countersignature", ErrorCode::untrusted, i,
                     "a countersignature by " + shown_key(rules_, countersignature->signer) +
                         " of a statement or signature that is not here");
        }
    }

    SignedStatement* find_countersigned(const Countersignature& countersignature) {
        const auto at = std::ranges::find(found_.statements, countersignature.statement, &SignedStatement::hash);
        if (at == found_.statements.end() || at->statement.author != countersignature.author)
            return nullptr;
        const auto is_countersigned = [&](const EnvelopeSignature& entry) {
            return entry.key == countersignature.author && entry.signature == countersignature.author_signature;
        };
        return std::ranges::any_of(at->authors, is_countersigned) ? &*at : nullptr;
    }

    void gather_countersigners(std::size_t envelope, const Countersignature& countersignature,
                               SignedStatement& signed_statement) {
        const bool expired = has_passed(countersignature.expires, now_);
        if (expired)
            note("expired-countersignature", ErrorCode::expired, envelope,
                 "the countersignature by " + shown_key(rules_, countersignature.signer) + " expired on " +
                     shown_date(*countersignature.expires));
        for (const EnvelopeSignature& entry : envelopes_[envelope].signatures) {
            if (entry.key != countersignature.signer)
                note("wrong-signer", ErrorCode::untrusted, envelope,
                     shown_key(rules_, entry.key) + " signed the countersignature of " +
                         shown_key(rules_, countersignature.signer));
            else if (check_signature(envelope, entry, countersignature.role))
                add_signature(signed_statement, envelope, {entry.key, countersignature.role, false, expired});
        }
    }

    void note_repeated_keys() {
        for (const SignedStatement& signed_statement : found_.statements)
            for (std::size_t i = 0; i < signed_statement.signatures.size(); ++i) {
                const auto before = std::span(signed_statement.signatures).first(i);
                if (std::ranges::find(before, signed_statement.signatures[i].key, &GoodSignature::key) != before.end())
                    note("duplicate-key", ErrorCode::untrusted, signed_statement.envelope,
                         shown_key(rules_, signed_statement.signatures[i].key) +
                             " signed more than once; it counts once");
            }
    }

    const TrustRules& rules_;
    std::span<const Envelope> envelopes_;
    const BundleIdentity& bundle_;
    std::optional<UnixTime> now_;
    SignedStatements found_;
};

}  // namespace

SignedStatements gather_signed_statements(const TrustRules& rules, std::span<const Envelope> envelopes,
                                          const BundleIdentity& bundle, std::optional<UnixTime> now) {
    return Gathering(rules, envelopes, bundle, now).run();
}

std::string shown_key(const TrustRules& rules, const PublicKey& key) {
    const auto at = std::ranges::find(rules.keys, key, &PolicyKey::key);
    return at == rules.keys.end() ? "unknown key " + key_id(key) : at->label + " (" + key_id(key) + ")";
}

std::string shown_date(UnixTime date) {
    if (date.seconds > 253'402'300'799)
        return "a day after the year 9999";
    using namespace std::chrono;
    const year_month_day day(sys_days(days(date.seconds / 86'400)));
    const auto two = [](unsigned value) { return (value < 10 ? "0" : "") + std::to_string(value); };
    return std::to_string(static_cast<int>(day.year())) + "-" + two(static_cast<unsigned>(day.month())) + "-" +
           two(static_cast<unsigned>(day.day())) + " UTC";
}

std::string shown_reason(std::string_view reason) { return reason.empty() ? "" : ": " + printable(reason); }

}  // namespace fardel
