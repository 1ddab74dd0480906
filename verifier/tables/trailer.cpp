#include "trailer.h"

#include "bundle_strings.h"

#include <fardel/format/envelope.h>
#include <fardel/format/hash.h>
#include <fardel/format/limits.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {
namespace {

std::string envelope_location(std::size_t index) { return "trailer envelope " + std::to_string(index); }

bool begins_with(std::span<const std::byte> bytes, std::string_view magic) {
    return bytes.size() >= magic.size() &&
           std::equal(magic.begin(), magic.end(), bytes.begin(),
                      [](char a, std::byte b) { return static_cast<std::byte>(a) == b; });
}

// Whether a finding of a policy is one that the checks here cannot make.
bool only_policy_reports(std::string_view kind) {
    constexpr std::array<std::string_view, 5> kKinds{"no-author-signature", "revoked-key", "unknown-signer",
                                                     "expired-countersignature", "duplicate-key"};
    return std::ranges::find(kKinds, kind) != kKinds.end();
}

class TrailerCheck {
public:
    TrailerCheck(std::vector<Envelope> envelopes, const std::optional<BundleFacts>& facts, VerifyFindings& findings)
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

    // Checks whether the layout is one that the bundle's signers list.
    void check_layout(const VerifyOptions& options, const std::optional<TrustVerdict>& verdict) {
        if (!facts_)
            return;
        bool listed = lists_this_layout_;
        bool lists_any = lists_any_layout_;
        // Without a policy every statement counts here, with one only those that it trusts.
        if (verdict && verdict->trusted && !verdict->tainted) {
            listed = verdict->layout_signed;
            lists_any = verdict->statement && !verdict->statement->layouts.empty();
        }
        if (listed || !has_statement_)
            return;
        const std::string found = "layout " + facts_->identity.layout.hex() + " is not signed";
        if (lists_any && !options.local_layout_allowed)
            findings_.add(VerifierRule::layout_not_signed, "layout head",
                          found + "; someone else stored the bundle again, or its layout head was changed");
        else
            findings_.add(VerifierRule::layout_local, "layout head",
                          found + "; each block was checked against the manifest instead");
    }

private:
    void check_signature(std::size_t index, const Envelope& envelope, const EnvelopeSignature& entry, SignerRole role) {
        const std::string signature = "the signature of key " + key_id(entry.key);
        if (entry.algorithm != SignatureAlgorithm::ed25519)
            findings_.add(VerifierRule::signature_wrong, envelope_location(index),
                          signature + " uses algorithm " + std::to_string(static_cast<unsigned>(entry.algorithm)) +
                              ", which this program cannot verify");
        else if (entry.role != role)
            findings_.add(
                VerifierRule::signature_wrong, envelope_location(index),
                signature + " has role " + role_name(entry.role) + ", but role " + role_name(role) + " was signed");
        else if (!verify_envelope_signature(envelope, entry))
            findings_.add(VerifierRule::signature_wrong, envelope_location(index),
                          signature + " does not match what it signs; the statement or the signature was changed");
    }

    void check_bundle(std::size_t index, const BundleId& bundle) {
        if (facts_ && bundle != facts_->identity.bundle)
            findings_.add(VerifierRule::statement_of_another_bundle, envelope_location(index),
                          "it is about bundle " + bundle.hex() + "; this bundle is " + facts_->identity.bundle.hex());
    }

    void check_statement(std::size_t index, const Envelope& envelope) {
        for (const EnvelopeSignature& entry : envelope.signatures)
            check_signature(index, envelope, entry, SignerRole::author);
        const auto statement = decode_statement(envelope.payload);
        if (!statement) {
            findings_.add(VerifierRule::statement_refused, envelope_location(index), statement.error());
            return;
        }
        check_bundle(index, statement->bundle);
        if (facts_ && statement->bundle == facts_->identity.bundle)
            check_facts(index, *statement);
    }

    void check_facts(std::size_t index, const Statement& statement) {
        const auto expect = [&](std::string_view what, std::uint64_t stated, std::uint64_t found) {
            if (stated != found)
                findings_.add(VerifierRule::statement_untrue, envelope_location(index),
                              "it states " + std::to_string(stated) + " " + std::string(what) + "; the bundle has " +
                                  std::to_string(found));
        };
        has_statement_ = true;
        lists_any_layout_ = lists_any_layout_ || !statement.layouts.empty();
        const bool listed = std::ranges::find(statement.layouts, facts_->identity.layout) != statement.layouts.end();
        lists_this_layout_ = lists_this_layout_ || listed;
        expect("manifest bytes", statement.manifest_bytes, facts_->manifest_bytes);
        const auto expect_text = [&](std::string_view what, std::string_view stated, std::string_view found) {
            if (facts_->is_named && stated != found)
                findings_.add(VerifierRule::statement_untrue, envelope_location(index),
                              "it states the " + std::string(what) + " " + quoted(stated) + "; the manifest says " +
                                  quoted(found));
        };
        expect_text("name", statement.name, facts_->identity.name);
        expect_text("version", statement.version, facts_->identity.version);
        if (facts_->raw_bytes)
            expect("raw bytes", statement.raw_bytes, *facts_->raw_bytes);
        // A statement with several layouts states the stored bytes of the largest, which may be another than this one.
        if (facts_->stored_bytes && listed &&
            (statement.layouts.size() == 1 || statement.stored_bytes < *facts_->stored_bytes))
            expect("stored bytes", statement.stored_bytes, *facts_->stored_bytes);
    }

    void check_countersignature(std::size_t index, const Envelope& envelope) {
        const auto countersignature = decode_countersignature(envelope.payload);
        if (!countersignature) {
            findings_.add(VerifierRule::statement_refused, envelope_location(index), countersignature.error());
            return;
        }
        check_bundle(index, countersignature->bundle);
        for (const EnvelopeSignature& entry : envelope.signatures) {
            check_signature(index, envelope, entry, countersignature->role);
            if (entry.key != countersignature->signer)
                findings_.add(
                    VerifierRule::signature_wrong, envelope_location(index),
                    "key " + key_id(entry.key) + " signed it, but it names key " + key_id(countersignature->signer));
        }
        if (!countersigns_present_statement(*countersignature))
            findings_.add(VerifierRule::signature_wrong, envelope_location(index),
                          "the statement and author's signature that it countersigns are not in this bundle");
    }

    bool countersigns_present_statement(const Countersignature& countersignature) const {
        return std::ranges::any_of(envelopes_, [&](const Envelope& envelope) {
            return envelope.type == EnvelopeType::statement && blake3(envelope.payload) == countersignature.statement &&
                   std::ranges::any_of(envelope.signatures, [&](const EnvelopeSignature& entry) {
                       return entry.key == countersignature.author &&
                              entry.signature == countersignature.author_signature;
                   });
        });
    }

    // An envelope of an unknown type is ignored, unless it contains a statement or countersignature with its type
    // changed.
    void check_unknown(std::size_t index, const Envelope& envelope) {
        const std::string type = "envelope type " + std::to_string(static_cast<unsigned>(envelope.type));
        if (begins_with(envelope.payload, "FARDELST") || begins_with(envelope.payload, "FARDELCS"))
            findings_.add(VerifierRule::signature_wrong, envelope_location(index),
                          type + " contains a statement or countersignature; its type was changed");
        else
            findings_.add(VerifierRule::envelope_unknown, envelope_location(index),
                          type + " is unknown to this program and was not checked");
    }

    const std::vector<Envelope> envelopes_;
    const std::optional<BundleFacts>& facts_;
    VerifyFindings& findings_;
    bool has_statement_ = false;  // about this bundle
    bool lists_any_layout_ = false;
    bool lists_this_layout_ = false;
};

std::optional<TrustVerdict> evaluate(std::span<const Envelope> envelopes, const BundleFacts& facts,
                                     const VerifyOptions& options, VerifyFindings& findings) {
    if (!options.policy) {
        if (envelopes.empty())
            findings.add(VerifierRule::unsigned_bundle, "trailer", "this bundle has no signature");
        return std::nullopt;
    }
    if (!facts.is_named)
        return std::nullopt;  // the damage is a finding already
    auto verdict = options.policy->evaluate(envelopes, facts.identity, options.time.now_s());
    if (!verdict) {
        findings.add(VerifierRule::trust_refused, "trailer", verdict.error());
        return std::nullopt;
    }
    for (const TrustFinding& finding : verdict->findings) {
        const std::string where = envelopes.empty() ? "trailer" : envelope_location(finding.envelope);
        if (finding.kind == "unsigned-allowed")
            findings.add(VerifierRule::trust_tainted, "trailer", Error(finding.code, finding.text));
        if (only_policy_reports(finding.kind))
            findings.add(VerifierRule::trust_finding, where,
                         Error(finding.code, std::string(finding.kind) + ": " + finding.text));
    }
    if (verdict->refusal)
        findings.add(VerifierRule::trust_refused, "trailer", *verdict->refusal);
    return std::move(verdict).value();
}

}  // namespace

TrailerSummary check_trailer(const ByteSource& source, std::uint64_t trailer_offset,
                             const std::optional<BundleFacts>& facts, const VerifyOptions& options,
                             VerifyFindings& findings) {
    TrailerSummary summary;
    const std::uint64_t size = source.size_bytes();
    if (trailer_offset > size || size - trailer_offset > limits::kTrailerBytesMax)
        return summary;  // reported by check_sections()
    std::vector<std::byte> bytes(size - trailer_offset);
    if (Status status = source.read_at(trailer_offset, bytes); !status) {
        findings.add(VerifierRule::file_unreadable, "trailer", status.error());
        return summary;
    }
    auto envelopes = decode_trailer(bytes);
    if (!envelopes) {
        findings.add(
            VerifierRule::trailer_refused, "trailer",
            Error(envelopes.error().code(), envelopes.error().message() + "; no signature in it was accepted"));
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
