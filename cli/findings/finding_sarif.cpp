// SARIF: Static Analysis Results Interchange Format, version 2.1.0 of OASIS.

#include "findings/finding_list.h"

#include <fardel/base/ascii.h>
#include <fardel/base/path_text.h>
#include <fardel/format/hash.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

namespace fardel {
namespace {

constexpr std::string_view kSarifSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
constexpr std::size_t kSarifLocationsMax = 10;  // of a finding about several files

// The same finding has the same fingerprint in the next run, so that a program can tell new findings from known ones.
std::string fingerprint_of(const ListedFinding& finding) {
    const std::string text = fmt::format("{}\n{}\n{}", finding.rule, finding.where, finding.files.front());
    return blake3(std::as_bytes(std::span(text))).hex().substr(0, 32);
}

Json location_of(const std::string& file, const ListedFinding& finding) {
    Json physical{{"artifactLocation", {{"uri", uri_of(file)}}}};
    if (finding.line != 0)
        physical.set("region", {{"startLine", finding.line}});
    Json location{{"physicalLocation", std::move(physical)}};
    if (!finding.places.empty())
        location.set("logicalLocations", json_list(finding.places, [](const FindingPlace& place) {
                         return Json{{"fullyQualifiedName", place.name}, {"kind", place.kind}};
                     }));
    return location;
}

Json json_of(const FindingRule& rule) {
    return Json{{"id", rule.id},
                {"defaultConfiguration", {{"level", severity_name(rule.severity)}}},
                {"help", {{"text", rule.help}}},
                {"properties", {{"code", error_code_name(rule.code)}}}};
}

Json result_of(const ListedFinding& finding, const std::map<std::string_view, std::size_t>& rules) {
    const std::span<const std::string> files(finding.files);
    Json locations = Json::array();
    for (const std::string& file : files.first(std::min(files.size(), kSarifLocationsMax)))
        locations.push_back(location_of(file, finding));
    Json result{{"ruleId", finding.rule},
                {"level", severity_name(finding.severity)},
                {"message", {{"text", finding.where.empty() ? finding.text : finding.where + ": " + finding.text}}},
                {"locations", std::move(locations)},
                {"partialFingerprints", {{"fardel/1", fingerprint_of(finding)}}},
                {"properties", {{"code", error_code_name(finding.code)}}}};
    if (const auto index = rules.find(finding.rule); index != rules.end())
        result.set("ruleIndex", index->second);
    return result;
}

}  // namespace

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

Json sarif_of(const FindingList& list) {
    std::map<std::string_view, std::size_t> indexes;
    for (const FindingRule& rule : list.rules)
        indexes.emplace(rule.id, indexes.size());
    Json results = Json::array();
    for (const FindingSuite& suite : list.suites)
        for (const ListedFinding& finding : suite.findings)
            results.push_back(result_of(finding, indexes));
    const auto rule_json = [](const FindingRule& rule) { return json_of(rule); };
    Json driver{{"name", list.verb}, {"version", FARDEL_VERSION}, {"rules", json_list(list.rules, rule_json)}};
    return Json{{"$schema", kSarifSchema},
                {"version", "2.1.0"},
                {"runs", Json::array({Json{{"tool", {{"driver", std::move(driver)}}},
                                           {"invocations", Json::array({Json{{"executionSuccessful", true}}})},
                                           {"artifacts", list.artifacts},
                                           {"results", std::move(results)}}})}};
}

}  // namespace fardel
