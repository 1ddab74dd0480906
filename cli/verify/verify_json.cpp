#include "verify/verify_outcome.h"

#include <optional>
#include <utility>

namespace fardel {
namespace {

Json json_of(const std::vector<VerifyFinding>& findings) {
    const auto hit = [](const AffectedAsset& one) { return Json{{"asset", one.id.hex()}, {"name", one.name}}; };
    return json_list(findings, [&](const VerifyFinding& finding) {
        return Json{{"severity", severity_name(finding.severity)},
                    {"code", error_code_name(finding.code)},
                    {"rule", finding.rule},
                    {"where", finding.where},
                    {"text", finding.text},
                    {"hits", json_list(finding.affected, hit)}};
    });
}

Json json_of_trust(const std::optional<TrustVerdict>& verdict) {
    if (!verdict)
        return nullptr;
    Json signers = json_list(verdict->signers, [](const TrustedSigner& signer) {
        return Json{{"label", signer.label}, {"role", role_name(signer.role)}, {"key", signer.key.hex()}};
    });
    return Json{{"trusted", verdict->trusted},
                {"tainted", verdict->tainted},
                {"name", verdict->statement ? Json(verdict->statement->name) : Json()},
                {"version", verdict->statement ? Json(verdict->statement->version) : Json()},
                {"rule", verdict->rule ? Json(verdict->rule->pattern) : Json()},
                {"layout_signed", verdict->layout_signed},
                {"signers", std::move(signers)}};
}

Json json_of(const std::string& file, const VerifyReport& report) {
    return Json{
        {"file", file},
        {"good", report.good()},
        {"bundle", json_id(report.bundle.id)},
        {"layout", json_id(report.bundle.layout)},
        {"name", report.bundle.name},
        {"version", report.bundle.version},
        {"assets", report.counts.assets},
        {"names", report.counts.names},
        {"blocks", report.counts.blocks},
        {"signatures", report.trailer.signatures},
        {"file_bytes", report.sizes.file_bytes},
        {"raw_bytes", report.sizes.raw_bytes},
        {"stored_bytes", report.sizes.stored_bytes},
        {"raw_bytes_proved", report.sizes.raw_bytes_proved},
        {"trust", json_of_trust(report.trailer.verdict)},
        {"errors", report.found.errors},
        {"warnings", report.found.warnings},
        {"notes", report.found.notes},
        {"findings", json_of(report.findings)},
    };
}

Json json_of_rebuild(const std::optional<RebuildOutcome>& rebuilt) {
    if (!rebuilt)
        return nullptr;
    return Json{{"project", rebuilt->project},
                {"jobs", rebuilt->jobs},
                {"jobs_run", rebuilt->jobs_run},
                {"compared", rebuilt->compared},
                {"same", rebuilt->same}};
}

Json json_of_provenance(const std::optional<ProvenanceOutcome>& provenance) {
    if (!provenance)
        return nullptr;
    Json signers = json_list(provenance->signers, [](const ProvenanceSigner& signer) {
        return Json{{"label", signer.label}, {"key", signer.key.hex()}};
    });
    return Json{
        {"file", provenance->file},
        {"signatures", provenance->signatures},
        {"signers", std::move(signers)},
        {"bundles", provenance->bundles},
        {"files", provenance->read},
        {"jobs", provenance->jobs},
        {"rebuilt", json_of_rebuild(provenance->rebuilt)},
    };
}

}  // namespace

Json json_of(const VerifyOutcome& outcome) {
    const FindingCounts totals = totals_of(outcome.set);
    Json bundles = Json::array();
    for (std::size_t i = 0; i < outcome.files.size(); ++i)
        bundles.push_back(json_of(outcome.files[i], outcome.set.bundles[i]));
    return Json{
        {"good", totals.errors == 0},
        {"policy", outcome.policy.empty() ? Json() : Json(outcome.policy)},
        {"errors", totals.errors},
        {"warnings", totals.warnings},
        {"notes", totals.notes},
        {"bundles", std::move(bundles)},
        {"set_findings", json_of(outcome.set.findings)},
        {"whole", outcome.whole.empty() ? Json() : Json(outcome.whole)},
        {"provenance", json_of_provenance(outcome.provenance)},
    };
}

}  // namespace fardel
