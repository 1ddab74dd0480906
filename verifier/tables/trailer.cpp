#include "trailer.h"

#include "bundle_strings.h"

#include <fardel/base/fits.h>
#include <fardel/base/text_fields.h>
#include <fardel/format/envelope.h>
#include <fardel/format/hash.h>
#include <fardel/format/limits.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {
namespace {

std::string envelope_location(std::size_t index) { return "trailer envelope " + std::to_string(index); }

// Whether a finding of a policy is one that the checks here cannot make.
bool only_policy_reports(std::string_view kind) {
    constexpr std::array<std::string_view, 5> kKinds{"no-author-signature", "revoked-key", "unknown-signer",
                                                     "expired-countersignature", "duplicate-key"};
    return std::ranges::find(kKinds, kind) != kKinds.end();
}

void check_signature(std::size_t index, const Envelope& envelope, const EnvelopeSignature& entry, SignerRole role,
                     VerifyFindings& findings) {
    const std::string signature = "the signature of key " + key_id(entry.key);
    const auto report = [&](const std::string& defect) {
        findings.add(VerifierRule::signature_wrong, envelope_location(index), signature + defect);
    };
    if (entry.algorithm != SignatureAlgorithm::ed25519)
        report(" uses algorithm " + std::to_string(static_cast<unsigned>(entry.algorithm)) +
               ", which this program cannot verify");
    else if (entry.role != role)
        report(" has role " + role_name(entry.role) + ", but role " + role_name(role) + " was signed");
    else if (!verify_envelope_signature(envelope, entry))
        report(" does not match what it signs; the statement or the signature was changed");
}

void check_bundle(std::size_t index, const BundleId& bundle, const std::optional<BundleFacts>& facts,
                  VerifyFindings& findings) {
    if (facts && bundle != facts->identity.bundle)
        findings.add(VerifierRule::statement_of_another_bundle, envelope_location(index),
                     "it is about bundle " + bundle.hex() + "; this bundle is " + facts->identity.bundle.hex());
}

// ---- Statements -----------------------------------------------------------------------------------------------------

void check_claims(std::size_t index, const Statement& statement, const BundleFacts& facts, VerifyFindings& findings) {
    const auto expect = [&](std::string_view what, std::uint64_t stated, std::uint64_t found) {
        if (stated != found)
            findings.add(VerifierRule::statement_untrue, envelope_location(index),
                         "it states " + std::to_string(stated) + " " + std::string(what) + "; the bundle has " +
                             std::to_string(found));
    };
    const auto expect_text = [&](std::string_view what, std::string_view stated, std::string_view found) {
        if (facts.is_named && stated != found)
            findings.add(
                VerifierRule::statement_untrue, envelope_location(index),
                "it states the " + std::string(what) + " " + quoted(stated) + "; the manifest says " + quoted(found));
    };
    expect("manifest bytes", statement.manifest_bytes, facts.manifest_bytes);
    expect_text("name", statement.name, facts.identity.name);
    expect_text("version", statement.version, facts.identity.version);
    if (facts.raw_bytes)
        expect("raw bytes", statement.raw_bytes, *facts.raw_bytes);
    // A statement with several layouts states the stored bytes of the largest, which may be another than this one.
    if (facts.stored_bytes && statement.lists(facts.identity.layout) &&
        (statement.layouts.size() == 1 || statement.stored_bytes < *facts.stored_bytes))
        expect("stored bytes", statement.stored_bytes, *facts.stored_bytes);
}

// Returns the statement if it is about this bundle.
std::optional<Statement> check_statement(std::size_t index, const Envelope& envelope,
                                         const std::optional<BundleFacts>& facts, VerifyFindings& findings) {
    for (const EnvelopeSignature& entry : envelope.signatures)
        check_signature(index, envelope, entry, SignerRole::author, findings);
    auto statement = decode_statement(envelope.payload);
    if (!statement) {
        findings.add(VerifierRule::statement_refused, envelope_location(index), statement.error());
        return std::nullopt;
    }
    check_bundle(index, statement->bundle, facts, findings);
    if (!facts || statement->bundle != facts->identity.bundle)
        return std::nullopt;
    check_claims(index, *statement, *facts, findings);
    return std::move(statement).value();
}

// Checks whether the layout is one that the bundle's signers list. `statements` are those about this bundle.
void check_layout(std::span<const Statement> statements, const LayoutId& layout, const VerifyOptions& options,
                  const std::optional<TrustVerdict>& verdict, VerifyFindings& findings) {
    bool listed = std::ranges::any_of(statements, [&](const Statement& one) { return one.lists(layout); });
    bool lists_any = std::ranges::any_of(statements, [](const Statement& one) { return !one.layouts.empty(); });
    // Without a policy every statement counts here, with one only those that it trusts.
    if (verdict && verdict->trusted && !verdict->tainted) {
        listed = verdict->layout_signed;
        lists_any = verdict->statement && !verdict->statement->layouts.empty();
    }
    if (listed || statements.empty())
        return;
    const std::string found = "layout " + layout.hex() + " is not signed";
    if (lists_any && !options.local_layout_allowed)
        findings.add(VerifierRule::layout_not_signed, "layout head",
                     found + "; someone else stored the bundle again, or its layout head was changed");
    else
        findings.add(VerifierRule::layout_local, "layout head",
                     found + "; each block was checked against the manifest instead");
}

// ---- Other envelopes ------------------------------------------------------------------------------------------------

bool countersigns_one_of(std::span<const Envelope> envelopes, const Countersignature& countersignature) {
    return std::ranges::any_of(envelopes, [&](const Envelope& envelope) {
        return envelope.type == EnvelopeType::statement && blake3(envelope.payload) == countersignature.statement &&
               std::ranges::any_of(envelope.signatures, [&](const EnvelopeSignature& entry) {
                   return entry.key == countersignature.author && entry.signature == countersignature.author_signature;
               });
    });
}

void check_countersignature(std::size_t index, std::span<const Envelope> envelopes,
                            const std::optional<BundleFacts>& facts, VerifyFindings& findings) {
    const Envelope& envelope = envelopes[index];
    const auto countersignature = decode_countersignature(envelope.payload);
    if (!countersignature) {
        findings.add(VerifierRule::statement_refused, envelope_location(index), countersignature.error());
        return;
    }
    check_bundle(index, countersignature->bundle, facts, findings);
    for (const EnvelopeSignature& entry : envelope.signatures) {
        check_signature(index, envelope, entry, countersignature->role, findings);
        if (entry.key != countersignature->signer)
            findings.add(
                VerifierRule::signature_wrong, envelope_location(index),
                "key " + key_id(entry.key) + " signed it, but it names key " + key_id(countersignature->signer));
    }
    if (!countersigns_one_of(envelopes, *countersignature))
        findings.add(VerifierRule::signature_wrong, envelope_location(index),
                     "the statement and author's signature that it countersigns are not in this bundle");
}

// An envelope of an unknown type is ignored, unless it contains a statement or countersignature with its type changed.
void check_unknown(std::size_t index, const Envelope& envelope, VerifyFindings& findings) {
    const std::string type = "envelope type " + std::to_string(static_cast<unsigned>(envelope.type));
    if (as_text(envelope.payload).starts_with("FARDELST") || as_text(envelope.payload).starts_with("FARDELCS"))
        findings.add(VerifierRule::signature_wrong, envelope_location(index),
                     type + " contains a statement or countersignature; its type was changed");
    else
        findings.add(VerifierRule::envelope_unknown, envelope_location(index),
                     type + " is unknown to this program and was not checked");
}

// Returns the statements about this bundle.
std::vector<Statement> check_envelopes(std::span<const Envelope> envelopes, const std::optional<BundleFacts>& facts,
                                       VerifyFindings& findings) {
    std::vector<Statement> statements;
    for (std::size_t i = 0; i < envelopes.size(); ++i)
        switch (envelopes[i].type) {
            case EnvelopeType::statement:
                if (auto statement = check_statement(i, envelopes[i], facts, findings))
                    statements.push_back(*std::move(statement));
                break;
            case EnvelopeType::countersignature: check_countersignature(i, envelopes, facts, findings); break;
            default: check_unknown(i, envelopes[i], findings);
        }
    return statements;
}

// ---- The policy -----------------------------------------------------------------------------------------------------

std::optional<TrustVerdict> evaluate(std::span<const Envelope> envelopes, const BundleFacts& facts,
                                     const VerifyOptions& options, VerifyFindings& findings) {
    if (!options.policy) {
        if (envelopes.empty())
            findings.add(VerifierRule::unsigned_bundle, "trailer", "this bundle has no signature");
        return std::nullopt;
    }
    if (!facts.is_named)
        return std::nullopt;  // the damage is a finding already
    auto verdict = options.policy->evaluate(envelopes, facts.identity, options.time.now());
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

VerifiedTrailer check_trailer(const ByteSource& source, std::uint64_t trailer_offset,
                              const std::optional<BundleFacts>& facts, const VerifyOptions& options,
                              VerifyFindings& findings) {
    const std::uint64_t size = source.size_bytes();
    if (trailer_offset > size || size - trailer_offset > limits::kTrailerBytesMax)
        return {};  // reported by check_sections()
    std::vector<std::byte> bytes(in_memory(size - trailer_offset));
    if (Status status = source.read_at(trailer_offset, bytes); !status) {
        findings.add(VerifierRule::file_unreadable, "trailer", status.error());
        return {};
    }
    const auto envelopes = decode_trailer(bytes);
    if (!envelopes) {
        findings.add(
            VerifierRule::trailer_refused, "trailer",
            Error(envelopes.error().code(), envelopes.error().message() + "; no signature in it was accepted"));
        return {};
    }
    VerifiedTrailer trailer{.envelopes = envelopes->size(), .signatures = 0, .verdict = {}};
    for (const Envelope& envelope : *envelopes)
        trailer.signatures += envelope.signatures.size();
    if (facts)
        trailer.verdict = evaluate(*envelopes, *facts, options, findings);
    const std::vector<Statement> statements = check_envelopes(*envelopes, facts, findings);
    if (facts)
        check_layout(statements, facts->identity.layout, options, trailer.verdict, findings);
    return trailer;
}

}  // namespace fardel
