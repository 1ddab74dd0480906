#include "verify/verify_provenance.h"

#include "console/figures.h"

#include <fardel/format/name.h>
#include <fardel/format/printable.h>
#include <fardel/format/signing_rule.h>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

namespace fardel {
namespace {

bool is_refusal(ErrorCode code) {
    return code == ErrorCode::malformed || code == ErrorCode::unsupported || code == ErrorCode::limit;
}

// ---- Signatures -----------------------------------------------------------------------------------------------------

// The key that a signature names, or else every key of the policy: other tools write other key ids.
std::vector<PublicKey> provenance_keys(const ProvenanceSignature& signature, const TrustPolicy* policy) {
    if (const auto key = PublicKey::parse(signature.key_id))
        return {*key};
    std::vector<PublicKey> keys;
    if (policy != nullptr)
        std::ranges::transform(policy->rules().keys, std::back_inserter(keys), &PolicyKey::key);
    return keys;
}

bool names_key(const ProvenanceSignature& signature) { return PublicKey::parse(signature.key_id).has_value(); }

std::string policy_label(const PublicKey& key, const TrustPolicy* policy) {
    if (policy == nullptr)
        return {};
    const auto& keys = policy->rules().keys;
    const auto known = std::ranges::find(keys, key, &PolicyKey::key);
    return known == keys.end() ? std::string() : known->label;
}

// Returns the keys whose signatures are right; a wrong one is a finding.
std::vector<ProvenanceSigner> find_provenance_signers(const ProvenanceFile& file, const std::string& path,
                                                      const TrustPolicy* policy, VerifySetReport& set) {
    std::vector<ProvenanceSigner> signers;
    for (const ProvenanceSignature& one : file.signatures) {
        const std::vector<PublicKey> keys = provenance_keys(one, policy);
        const auto signed_by = std::ranges::find_if(keys, [&](const PublicKey& key) {
            return verify_signature(key, std::as_bytes(std::span(file.signed_text)), one.signature);
        });
        if (signed_by != keys.end())
            signers.push_back({.label = policy_label(*signed_by, policy), .key = *signed_by});
        else if (names_key(one))
            add_finding(set, "provenance-signature-wrong", path,
                        Error(ErrorCode::untrusted, "the signature of the key " + keys.front().hex() +
                                                        " does not fit: the provenance was changed after it was "
                                                        "signed, or another key has signed it"));
    }
    return signers;
}

// The first role in which the policy's rule about the bundle lists the key. Errors: those of find_signing_rule.
Status verify_speaks_for(const TrustPolicy& policy, const std::string& name, const PublicKey& key) {
    Status refused = ok();
    for (const SignerRole role : {SignerRole::author, SignerRole::registry, SignerRole::release}) {
        const auto rule = find_signing_rule(policy, name, key, role);
        if (rule)
            return ok();
        if (refused)
            refused = rule.error();
    }
    return refused;
}

// Whether the policy lets one of the signers speak about the bundle.
Status verify_provenance_signers(const TrustPolicy& policy, const std::string& name,
                                 const ProvenanceOutcome& provenance) {
    if (provenance.signatures == 0)
        return Error(ErrorCode::untrusted,
                     "the provenance is unsigned, and the trust policy requires signatures: "
                     "build with --key");
    if (provenance.signers.empty())
        return Error(ErrorCode::untrusted, "no signature of the provenance is one of the trust policy's keys");
    Status refused = ok();
    for (const ProvenanceSigner& signer : provenance.signers) {
        const Status counts = verify_speaks_for(policy, name, signer.key);
        if (counts)
            return ok();
        if (refused)
            refused = Error(counts.error().code(), "the provenance is signed by the key " + signer.key.hex() +
                                                       ", which does not count: " + counts.error().message());
    }
    return refused;
}

// ---- Subjects -------------------------------------------------------------------------------------------------------

std::string claimed_title(const std::string& name, const std::string& version) {
    return format_title(printable(name), printable(version));
}

Error not_a_subject(const ProvenanceClaim& claim, const VerifyReport& report) {
    std::string text = fmt::format("the bundle {} is none of the {} that the provenance is about",
                                   report.bundle.id->hex(), format_count(claim.bundles.size(), "bundle", "bundles"));
    const auto same_name = std::ranges::find(claim.bundles, report.bundle.name, &ClaimedBundle::name);
    if (same_name != claim.bundles.end())
        text +=
            fmt::format("; its {} is {}", claimed_title(same_name->name, same_name->version), same_name->bundle.hex());
    return Error(ErrorCode::conflict, std::move(text));
}

// Whether the bundle is a subject: the same content, the same name and version, and the same file.
Status check_subject(const ProvenanceClaim& claim, const std::string& file, const VerifyReport& report,
                     VerifySetReport& set) {
    const auto subject = std::ranges::find(claim.bundles, *report.bundle.id, &ClaimedBundle::bundle);
    if (subject == claim.bundles.end()) {
        add_finding(set, "provenance-of-another-bundle", file, not_a_subject(claim, report));
        return ok();
    }
    if (subject->name != report.bundle.name || subject->version != report.bundle.version)
        add_finding(set, "provenance-of-another-bundle", file,
                    Error(ErrorCode::conflict, fmt::format("the provenance calls it {}, and the bundle is {}",
                                                           claimed_title(subject->name, subject->version),
                                                           claimed_title(report.bundle.name, report.bundle.version))));
    FARDEL_TRY_ASSIGN(const std::string sha256, sha256_of_file(file));
    if (sha256 != subject->sha256)
        add_finding(set, "provenance-of-another-file", file,
                    Error(ErrorCode::conflict,
                          "the content is that of the provenance, but not the whole file: it was "
                          "signed or packed again after it was built; its SHA-256 is " +
                              sha256));
    return ok();
}

}  // namespace

Result<std::optional<ProvenanceClaim>> add_provenance(VerifyOutcome& outcome, const std::string& path,
                                                      const TrustPolicy* policy) {
    VerifySetReport& set = outcome.set;
    Result<ProvenanceFile> file = read_provenance(path);
    if (!file && !is_refusal(file.error().code()))
        return std::move(file).error();
    if (!file) {
        add_finding(set, "provenance-refused", "", file.error());  // which names the file
        return std::optional<ProvenanceClaim>();
    }
    ProvenanceOutcome& provenance = outcome.provenance.emplace(ProvenanceOutcome{.file = path});
    provenance.signatures = file->signatures.size();
    provenance.signers = find_provenance_signers(*file, path, policy, set);
    provenance.bundles = file->claim.bundles.size();
    provenance.read = file->claim.read.size();
    provenance.jobs = file->claim.jobs.size();
    if (policy == nullptr && std::ranges::none_of(file->signatures, names_key))
        add_finding(set, "provenance-unsigned", path,
                    Error(ErrorCode::untrusted, provenance.signatures == 0
                                                    ? "the provenance is unsigned: anybody can have written it"
                                                    : "the provenance does not name the keys that have signed it: "
                                                      "--trust POLICY says which to try"));
    for (std::size_t i = 0; i < outcome.files.size(); ++i) {
        const VerifyReport& report = set.bundles[i];
        if (!report.bundle.id)
            continue;  // what is wrong with it is a finding already
        FARDEL_TRY(check_subject(file->claim, outcome.files[i], report, set));
        if (policy == nullptr)
            continue;
        if (const Status trusted = verify_provenance_signers(*policy, report.bundle.name, provenance); !trusted)
            add_finding(set, "provenance-untrusted", outcome.files[i], trusted.error());
    }
    return std::optional(std::move(file->claim));
}

}  // namespace fardel
