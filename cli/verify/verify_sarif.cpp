// SARIF: Static Analysis Results Interchange Format, version 2.1.0 of OASIS.

#include "verify/verify_outcome.h"

#include <fardel/base/ascii.h>
#include <fardel/base/path_text.h>
#include <fardel/format/hash.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace fardel {
namespace {

constexpr std::string_view kSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
constexpr std::size_t kLocationsMax = 10;  // of a finding about several files

// The path as a relative reference, or an absolute one as a URI, or a URL; what may not stand in one is escaped.
std::string uri_of(const std::string& file) {
    const std::string path = with_slashes(file);
    const bool is_absolute = is_absolute_path(path);
    const bool is_url = !is_absolute && path.find("://") != path.npos;
    const std::string_view plain = is_url ? "/-_.~:@?#[]!$&'()*+,;=%" : "/-_.~";
    std::string uri = is_absolute ? path.starts_with('/') ? "file://" : "file:///" : "";  // "file:///C%3A/a"
    for (const char c : path)
        if (is_ascii_letter_or_digit(c) || plain.find(c) != plain.npos)
            uri += c;
        else
            uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    return uri;
}

// The same finding has the same fingerprint in the next run, so that a program can tell new findings from known ones.
std::string fingerprint_of(const VerifyFinding& finding, std::string_view file) {
    const std::string text = fmt::format("{}\n{}\n{}", finding.rule, finding.where, file);
    return blake3(std::as_bytes(std::span(text))).hex().substr(0, 32);
}

Json location_of(const std::string& file, const VerifyFinding& finding) {
    Json logical = Json::array();
    if (!finding.where.empty())
        logical.push_back({{"fullyQualifiedName", finding.where}, {"kind", "member"}});
    for (const AffectedAsset& hit : finding.affected)
        logical.push_back(
            {{"fullyQualifiedName", hit.name.empty() ? "/assets/" + hit.id.hex() : hit.name}, {"kind", "resource"}});
    Json location{{"physicalLocation", {{"artifactLocation", {{"uri", uri_of(file)}}}}}};
    if (logical.size() != 0)
        location.set("logicalLocations", std::move(logical));
    return location;
}

class SarifResults {
public:
    SarifResults() {
        for (const VerifierRuleFacts& rule : verifier_rules()) {
            indexes_.emplace(rule.id, rules_.size());
            rules_.push_back({{"id", rule.id},
                              {"defaultConfiguration", {{"level", severity_name(rule.severity)}}},
                              {"help", {{"text", "See the rule " + std::string(rule.id) + " in docs/verifier.md."}}},
                              {"properties", {{"code", error_code_name(rule.code)}}}});
        }
    }

    void add(const VerifyFinding& finding, std::span<const std::string> files) {
        Json locations = Json::array();
        for (const std::string& file : files.first(std::min(files.size(), kLocationsMax)))
            locations.push_back(location_of(file, finding));
        Json result{{"ruleId", finding.rule},
                    {"level", severity_name(finding.severity)},
                    {"message", {{"text", finding.where.empty() ? finding.text : finding.where + ": " + finding.text}}},
                    {"locations", std::move(locations)},
                    {"partialFingerprints", {{"fardel/1", fingerprint_of(finding, files.front())}}},
                    {"properties", {{"code", error_code_name(finding.code)}}}};
        if (const auto index = indexes_.find(finding.rule); index != indexes_.end())
            result.set("ruleIndex", index->second);
        results_.push_back(std::move(result));
    }

    Json take_rules() { return std::move(rules_); }
    Json take_results() { return std::move(results_); }

private:
    Json rules_ = Json::array();
    Json results_ = Json::array();
    std::map<std::string, std::size_t, std::less<>> indexes_;  // of rules, by id
};

}  // namespace

Json sarif_of(const VerifyOutcome& outcome) {
    SarifResults found;
    Json artifacts = Json::array();
    const std::span<const std::string> files(outcome.files);
    for (std::size_t i = 0; i < files.size(); ++i) {
        const VerifyReport& report = outcome.set.bundles[i];
        artifacts.push_back({{"location", {{"uri", uri_of(files[i])}}},
                             {"length", report.sizes.file_bytes},
                             {"properties", {{"bundle", json_id(report.bundle.id)}}}});
        for (const VerifyFinding& finding : report.findings)
            found.add(finding, files.subspan(i, 1));
    }
    const std::span<const std::string> whole(&outcome.whole, 1);
    for (const VerifyFinding& finding : outcome.set.findings)
        found.add(finding, outcome.whole.empty() ? files : whole);
    Json driver{{"name", "fardel verify"}, {"version", FARDEL_VERSION}, {"rules", found.take_rules()}};
    return Json{{"$schema", kSchema},
                {"version", "2.1.0"},
                {"runs", Json::array({Json{{"tool", {{"driver", std::move(driver)}}},
                                           {"invocations", Json::array({Json{{"executionSuccessful", true}}})},
                                           {"artifacts", std::move(artifacts)},
                                           {"results", found.take_results()}}})}};
}

}  // namespace fardel
