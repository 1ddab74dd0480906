#include "trailer.h"

#include <fardel/format/hash.h>
#include <fardel/format/limits.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {
namespace {

std::string envelope_place(std::size_t index) { return "trailer envelope " + std::to_string(index); }

bool begins_with(std::span<const std::byte> bytes, std::string_view magic) {
    return bytes.size() >= magic.size() &&
           std::equal(magic.begin(), magic.end(), bytes.begin(),
                      [](char a, std::byte b) { return static_cast<std::byte>(a) == b; });
}

// What a policy says that the checks here do not say without one.
bool is_policy_matter(std::string_view kind) {
    constexpr std::array<std::string_view, 5> kMatters{"no-author-signature", "revoked-key", "unknown-signer",
                                                       "expired-countersignature", "duplicate-key"};
    return std::ranges::find(kMatters, kind) != kMatters.end();
}

class TrailerCheck {
public:
    TrailerCheck(std::vector<Envelope> envelopes, const std::optional<BundleFacts>& facts, Findings& findings)
        : envelopes_(std::move(envelopes)), facts_(facts), findings_(findings) {}

    void check() {
        for (std::size_t i = 0; i < envelopes_.size(); ++i) {
            const Envelope& envelope = envelopes_[i];
            switch (envelope.type) {
                case EnvelopeType::statement: check_statement(i, envelope); break;
                case EnvelopeType::countersignature: check_countersignature(i, envelope); break;
                default: check_unknown(i, envelope);
            }
        }
    }

    // Whether this layout is one that the bundle's signers have seen.
    void check_layout(const VerifyOptions& options, const std::optional<TrustVerdict>& verdict) {
        if (!facts_)
            return;
        bool listed = lists_this_layout_;
        bool lists_any = lists_any_layout_;
        if (verdict && verdict->trusted && !verdict->tainted) {
            listed = verdict->layout_signed;
            lists_any = verdict->statement && !verdict->statement->layouts.empty();
        }
        if (listed || !has_statement_)
            return;
        const std::string found = "layout " + facts_->layout.hex() + " is not one that was signed";
        if (lists_any && !options.local_layout_allowed)
            findings_.add(Rule::layout_not_signed, "layout head",
                          found + "; the bundle was stored again by somebody else, or its layout head was changed");
        else
            findings_.add(Rule::layout_local, "layout head",
                          found + "; each block was checked against the manifest instead");
    }

private:
    void check_signature(std::size_t index, const Envelope& envelope, const EnvelopeSignature& entry, SignerRole role) {
        const std::string who = "the signature of key " + key_id(entry.key);
        if (entry.algorithm != SignatureAlgorithm::ed25519)
            findings_.add(Rule::signature_wrong, envelope_place(index),
                          who + " is of algorithm " + std::to_string(static_cast<unsigned>(entry.algorithm)) +
                              ", which nobody here can verify");
        else if (entry.role != role)
            findings_.add(
                Rule::signature_wrong, envelope_place(index),
                who + " is marked as " + role_name(entry.role) + "; " + role_name(role) + " is what was signed");
        else if (!verify_envelope_signature(envelope, entry))
            findings_.add(Rule::signature_wrong, envelope_place(index),
                          who + " does not fit what it signs; the statement or the signature was changed");
    }

    void check_bundle(std::size_t index, const BundleId& bundle) {
        if (facts_ && bundle != facts_->bundle)
            findings_.add(Rule::statement_of_another_bundle, envelope_place(index),
                          "it is about bundle " + bundle.hex() + "; this is " + facts_->bundle.hex());
    }

    void check_statement(std::size_t index, const Envelope& envelope) {
        for (const EnvelopeSignature& entry : envelope.signatures)
            check_signature(index, envelope, entry, SignerRole::author);
        const auto statement = decode_statement(envelope.payload);
        if (!statement) {
            findings_.add(Rule::statement_refused, envelope_place(index), statement.error());
            return;
        }
        check_bundle(index, statement->bundle);
        if (facts_ && statement->bundle == facts_->bundle)
            check_facts(index, *statement);
    }

    void check_facts(std::size_t index, const Statement& statement) {
        const auto expect = [&](std::string_view what, std::uint64_t said, std::uint64_t found) {
            if (said != found)
                findings_.add(Rule::statement_untrue, envelope_place(index),
                              "it says " + std::to_string(said) + " " + std::string(what) + "; the bundle has " +
                                  std::to_string(found));
        };
        has_statement_ = true;
        lists_any_layout_ = lists_any_layout_ || !statement.layouts.empty();
        const bool listed = std::ranges::find(statement.layouts, facts_->layout) != statement.layouts.end();
        lists_this_layout_ = lists_this_layout_ || listed;
        expect("manifest bytes", statement.manifest_bytes, facts_->manifest_bytes);
        if (facts_->raw_bytes)
            expect("raw bytes", statement.raw_bytes, *facts_->raw_bytes);
        // The largest of several layouts may be another than this.
        if (facts_->stored_bytes && listed &&
            (statement.layouts.size() == 1 || statement.stored_bytes < *facts_->stored_bytes))
            expect("stored bytes", statement.stored_bytes, *facts_->stored_bytes);
    }

    void check_countersignature(std::size_t index, const Envelope& envelope) {
        const auto countersignature = decode_countersignature(envelope.payload);
        if (!countersignature) {
            findings_.add(Rule::statement_refused, envelope_place(index), countersignature.error());
            return;
        }
        check_bundle(index, countersignature->bundle);
        for (const EnvelopeSignature& entry : envelope.signatures) {
            check_signature(index, envelope, entry, countersignature->role);
            if (entry.key != countersignature->signer)
                findings_.add(
                    Rule::signature_wrong, envelope_place(index),
                    "key " + key_id(entry.key) + " signed it, but it names key " + key_id(countersignature->signer));
        }
        if (!is_here(*countersignature))
            findings_.add(Rule::signature_wrong, envelope_place(index),
                          "the statement and author's signature that it countersigns are not in this bundle");
    }

    bool is_here(const Countersignature& countersignature) const {
        return std::ranges::any_of(envelopes_, [&](const Envelope& envelope) {
            return envelope.type == EnvelopeType::statement && blake3(envelope.payload) == countersignature.statement &&
                   std::ranges::any_of(envelope.signatures, [&](const EnvelopeSignature& entry) {
                       return entry.key == countersignature.author &&
                              entry.signature == countersignature.author_signature;
                   });
        });
    }

    // A later version's envelope is none of our business, unless it is one of ours with its type changed.
    void check_unknown(std::size_t index, const Envelope& envelope) {
        const std::string type = "envelope type " + std::to_string(static_cast<unsigned>(envelope.type));
        if (begins_with(envelope.payload, "FARDELST") || begins_with(envelope.payload, "FARDELCS"))
            findings_.add(Rule::signature_wrong, envelope_place(index),
                          type + " hides a statement or countersignature; its type was changed");
        else
            findings_.add(Rule::envelope_unknown, envelope_place(index),
                          type + " is not known here and was not checked");
    }

    const std::vector<Envelope> envelopes_;
    const std::optional<BundleFacts>& facts_;
    Findings& findings_;
    bool has_statement_ = false;  // about this bundle
    bool lists_any_layout_ = false;
    bool lists_this_layout_ = false;
};

std::optional<TrustVerdict> evaluate(std::span<const Envelope> envelopes, const BundleFacts& facts,
                                     const VerifyOptions& options, Findings& findings) {
    if (!options.policy) {
        if (envelopes.empty())
            findings.add(Rule::unsigned_bundle, "trailer", "nobody has signed this bundle");
        return std::nullopt;
    }
    auto verdict = options.policy->evaluate(envelopes, facts.bundle, facts.layout, options.now_s);
    if (!verdict) {
        findings.add(Rule::trust_refused, "trailer", verdict.error());
        return std::nullopt;
    }
    for (const TrustFinding& finding : verdict->findings) {
        const std::string where = envelopes.empty() ? "trailer" : envelope_place(finding.envelope);
        if (finding.kind == "unsigned-allowed")
            findings.add(Rule::trust_tainted, "trailer", Error(finding.code, finding.text));
        if (is_policy_matter(finding.kind))
            findings.add(Rule::trust_finding, where,
                         Error(finding.code, std::string(finding.kind) + ": " + finding.text));
    }
    if (verdict->refusal)
        findings.add(Rule::trust_refused, "trailer", *verdict->refusal);
    return std::move(verdict).value();
}

}  // namespace

TrailerSummary check_trailer(const ByteSource& source, std::uint64_t trailer_offset,
                             const std::optional<BundleFacts>& facts, const VerifyOptions& options,
                             Findings& findings) {
    TrailerSummary summary;
    const std::uint64_t size = source.size_bytes();
    if (trailer_offset > size || size - trailer_offset > limits::kTrailerBytesMax)
        return summary;  // check_sections has said so
    std::vector<std::byte> bytes(size - trailer_offset);
    if (Status status = source.read_at(trailer_offset, bytes); !status) {
        findings.add(Rule::file_unreadable, "trailer", status.error());
        return summary;
    }
    auto envelopes = decode_trailer(bytes);
    if (!envelopes) {
        findings.add(
            Rule::trailer_refused, "trailer",
            Error(envelopes.error().code(), envelopes.error().message() + "; no signature in it was believed"));
        return summary;
    }
    summary.envelopes = envelopes->size();
    for (const Envelope& envelope : *envelopes)
        summary.signatures += envelope.signatures.size();
    if (facts)
        summary.verdict = evaluate(*envelopes, *facts, options, findings);
    TrailerCheck check(std::move(envelopes).value(), facts, findings);
    check.check();
    check.check_layout(options, summary.verdict);
    return summary;
}

}  // namespace fardel
