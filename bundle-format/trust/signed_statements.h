// Collects what is validly signed about one bundle: its statements, each with the good signatures over it and over its
// countersignatures. This is the first half of a trust verdict; trust_verdict.cpp decides whether these signers matter.
#pragma once

#include <fardel/format/envelope.h>
#include <fardel/format/shown_date.h>
#include <fardel/format/trust_policy.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct GoodSignature {
    PublicKey key;
    SignerRole role = SignerRole::author;
    bool revoked = false;
    bool expired = false;  // only for countersignatures
};

struct SignedStatement {
    std::size_t envelope = 0;  // the first that contains it
    Statement statement;
    Hash hash;                               // of its bytes
    std::vector<EnvelopeSignature> authors;  // with good signatures; the author that the statement names is among them
    std::vector<GoodSignature> signatures;   // those of the authors and of countersignatures
};

struct SignedStatements {
    std::vector<SignedStatement> statements;
    std::vector<TrustFinding> findings;
    bool unsupported_seen = false;        // a statement that needs a newer version of this library
    std::optional<std::string> misnamed;  // what is wrong with a statement that gives another name or version
};

// Equal payloads become one statement. A statement that gives another name or version than the bundle's manifest is
// left out. `rules` labels keys and says which are revoked; it decides nothing here.
SignedStatements gather_signed_statements(const TrustRules& rules, std::span<const Envelope> envelopes,
                                          const BundleIdentity& bundle, std::optional<UnixTime> now);

// `sorted`: one of the lists of TrustRules.
template <class Id>
const Revocation<Id>* find_revocation(const std::vector<Revocation<Id>>& sorted, const Id& id) {
    const auto at = std::ranges::lower_bound(sorted, id, {}, &Revocation<Id>::id);
    return at != sorted.end() && at->id == id ? &*at : nullptr;
}

// Texts for messages, all safe to show: "alice (03a107bff3ce10be)"; ": reason", or empty without one.
std::string shown_key(const TrustRules& rules, const PublicKey& key);
std::string shown_reason(std::string_view reason);

}  // namespace fardel
