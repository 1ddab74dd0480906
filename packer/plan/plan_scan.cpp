#include <fardel/packer/plan_scan.h>

#include "included_macros.h"
#include "plan_asset.h"
#include "resolve/reference_target.h"
#include "scan/pattern_scanner.h"
#include "scan/reference_scanners.h"
#include "scan_programs.h"
#include "text/record_fields.h"

#include <fardel/base/parallel.h>
#include <fardel/format/limits.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace fardel {
namespace {

// A scanner that is not a program.
struct PlannedScanner {
    Hash configuration;                        // of everything that decides what it finds in given bytes
    const ProjectScanner* declared = nullptr;  // nullptr: a built-in scanner
    std::optional<PatternScanner> pattern;
};

constexpr std::string_view kBuiltinSchema = "fardel scanner 1";
constexpr std::string_view kPatternSchema = "fardel pattern scanner 1";

Hash builtin_configuration(std::string_view word, const GameProfile& profile) {
    RecordWriter writer;
    writer.text(kBuiltinSchema);
    writer.number(kScannersVersion);
    writer.text(word);
    writer.texts(profile.image_words);
    return writer.digest();
}

Hash pattern_configuration(const ProjectScanner& scanner) {
    RecordWriter writer;
    writer.text(kPatternSchema);
    writer.number(kScannersVersion);
    writer.text(scanner.pattern);
    writer.number(scanner.use);
    writer.number(scanner.form);
    writer.number(scanner.optional);
    return writer.digest();
}

Hash key_of(const PlannedScanner& scanner, const AssetId& asset) {
    RecordWriter writer;
    writer.id(scanner.configuration);
    writer.id(asset);
    return writer.digest();
}

Result<std::vector<PlannedScanner>> parse_scanners(std::span<const ProjectScanner> scanners) {
    std::vector<PlannedScanner> parsed;
    for (const ProjectScanner& scanner : scanners) {
        if (scanner.pattern.empty())
            continue;
        FARDEL_TRY_ASSIGN(PatternScanner pattern, PatternScanner::parse(scanner.pattern));
        parsed.push_back(
            {.configuration = pattern_configuration(scanner), .declared = &scanner, .pattern = std::move(pattern)});
    }
    return parsed;
}

// Adds what a further scanner found in the same asset.
Status append(ScanFindings more, ScanFindings& findings) {
    if (findings.references.size() + more.references.size() > limits::kReferencesPerAssetMax ||
        findings.defines.size() + more.defines.size() > limits::kReferencesPerAssetMax)
        return Error(ErrorCode::limit,
                     "more than " + std::to_string(limits::kReferencesPerAssetMax) + " names in one asset");
    if (findings.macros.size() + more.macros.size() > limits::kReferencesPerAssetMax ||
        findings.by_macro.size() + more.by_macro.size() > limits::kReferencesPerAssetMax)
        return Error(ErrorCode::limit,
                     "more than " + std::to_string(limits::kReferencesPerAssetMax) + " macros in one asset");
    std::ranges::move(more.macros, std::back_inserter(findings.macros));
    std::ranges::move(more.by_macro, std::back_inserter(findings.by_macro));
    for (std::string& mistake : more.mistakes)
        if (findings.mistakes.size() < kMistakesPerAssetMax)
            findings.mistakes.push_back(std::move(mistake));
    if (findings.other_format.empty())
        findings.other_format = std::move(more.other_format);
    const auto first_definition = static_cast<std::uint32_t>(findings.defines.size());
    std::ranges::move(more.defines, std::back_inserter(findings.defines));
    std::set<std::tuple<std::string, ReferenceUse, ReferenceForm>> known;
    for (const FoundReference& reference : findings.references)
        if (reference.defined_in == kNoDefinition)
            known.emplace(reference.spelling, reference.use, reference.form);
    for (FoundReference& reference : more.references) {
        if (reference.defined_in != kNoDefinition)
            reference.defined_in += first_definition;
        else if (!known.emplace(reference.spelling, reference.use, reference.form).second)
            continue;
        findings.references.push_back(std::move(reference));
    }
    return ok();
}

void mark_broken(std::string why, AssetScan& scan) {
    scan.findings = {};
    scan.broken = std::move(why);
}

void add(ScanRecord more, AssetScan& scan) {
    if (!scan.broken.empty())
        return;
    if (!more.broken.empty())
        mark_broken(std::move(more.broken), scan);
    else if (is_empty(scan.findings))
        scan.findings = std::move(more.findings);
    else if (const Status appended = append(std::move(more.findings), scan.findings); !appended)
        mark_broken(appended.error().text(), scan);
}

std::vector<PlannedScanner> scanners_for(std::string_view name, std::string_view content_type,
                                         std::span<const PlannedScanner> patterns, const GameProfile& profile) {
    std::vector<PlannedScanner> scanners;
    if (const std::string_view word = scanner_for(name, content_type, profile); !word.empty())
        scanners.push_back({.configuration = builtin_configuration(word, profile)});
    for (const PlannedScanner& scanner : patterns)
        if (glob_matches(scanner.declared->match, name))
            scanners.push_back(scanner);
    return scanners;
}

Result<std::optional<ScanRecord>> scan_with(const PlannedScanner& scanner, std::string_view name,
                                            std::string_view content_type, AssetReader& reader,
                                            const GameProfile& profile) {
    FARDEL_TRY_ASSIGN(const auto bytes, reader.bytes());
    auto findings = scanner.pattern ? scanner.pattern->scan(bytes, scanner.declared->use, scanner.declared->form,
                                                            scanner.declared->optional)
                                    : scan_references(name, content_type, bytes, false, profile);
    return std::optional(findings ? ScanRecord{.findings = *std::move(findings)}
                                  : ScanRecord{.broken = findings.error().text()});
}

// `name`: the first one of the asset.
Status scan_asset(const BundlePlan& plan, std::uint32_t at, std::string_view name,
                  std::span<const PlannedScanner> patterns, const PlanScanOptions& options, AssetScan& scan) {
    if (options.stop.stop_requested())
        return Error(ErrorCode::cancelled, "asked to stop");
    const PlannedAsset& asset = plan.assets[at];
    // What the job itself reports replaces the scanners: it knows the format that it wrote.
    if (const auto reported = options.job_references.find(at); reported != options.job_references.end()) {
        if (asset.known)
            scan.id = asset.known->asset;
        return append({.references = reported->second}, scan.findings);
    }
    const GameProfile& profile = options.profile ? *options.profile : no_profile();
    const auto scanners = scanners_for(name, asset.content_type, patterns, profile);
    if (scanners.empty())
        return ok();
    scan.has_scanner = true;
    if (scan.size_bytes > kScannedBytesMax) {
        scan.broken =
            std::to_string(scan.size_bytes) + " bytes; at most " + std::to_string(kScannedBytesMax) + " are scanned";
        return ok();
    }
    AssetReader reader(asset, scan.size_bytes);
    // Findings are remembered by scanner and bytes; an asset whose bytes are known is not even read.
    FARDEL_TRY_ASSIGN(scan.id, reader.id());
    for (const PlannedScanner& scanner : scanners) {
        const Hash key = key_of(scanner, *scan.id);
        auto found = options.memory ? options.memory->find(key) : std::nullopt;
        if (!found) {
            scan.was_read = true;
            FARDEL_TRY_ASSIGN(found, scan_with(scanner, name, asset.content_type, reader, profile));
            if (options.memory)
                options.memory->add(key, *found);
        }
        add(*std::move(found), scan);
    }
    return ok();
}

}  // namespace

bool has_scanner(std::string_view name, std::string_view content_type) {
    return !scanner_for(name, content_type).empty();
}

Result<PlanScan> scan_plan(const BundlePlan& plan, std::vector<AssetScan> assets, const PlanScanOptions& options) {
    if (assets.size() != plan.assets.size())
        return Error(ErrorCode::malformed,
                     std::to_string(plan.assets.size()) + " assets and " + std::to_string(assets.size()) + " sizes");
    FARDEL_TRY_ASSIGN(const auto patterns, parse_scanners(options.scanners));
    const std::vector<std::string_view> names = first_names_of(plan);
    FARDEL_TRY(try_parallel_for(assets.size(), worker_count(options.jobs, kScanWorkersMax), [&](std::size_t at) {
        Status done = scan_asset(plan, static_cast<std::uint32_t>(at), names[at], patterns, options, assets[at]);
        return done ? ok()
                    : Status(std::move(done).error().with_context("asset \"" + printable(plan.assets[at].key) + "\""));
    }));
    FARDEL_TRY_ASSIGN(ProgramFindings programs, scan_with_programs(plan, assets, options));
    for (ProgramFindings::Of& one : programs.found) {
        AssetScan& scan = assets[one.asset];
        scan.id = one.id;
        scan.has_scanner = true;
        scan.was_read = scan.was_read || one.was_run;
        add({.findings = std::move(one.findings)}, scan);
    }
    FARDEL_TRY(add_references_by_macros(plan, assets));
    return PlanScan{.assets = std::move(assets), .logs = std::move(programs.logs)};
}

namespace {

// Keeps the references on which all assets of `group`, which have equal bytes, agree.
void leave_agreed(std::span<const std::uint32_t> group, std::vector<ResolvedAsset>& assets) {
    std::map<std::string, const PlannedReference*> first;
    std::map<std::string, std::size_t> agreeing;
    for (const std::uint32_t asset : group)
        for (const PlannedReference& reference : assets[asset].references) {
            const auto placed = first.emplace(reference.spelling, &reference);
            agreeing[reference.spelling] += placed.first->second->target == reference.target;
        }
    for (const std::uint32_t asset : group)
        // In the bundle they are one asset with one list of references. What was found by the name of one of them, such
        // as a relative path, would be wrong for the other.
        std::erase_if(assets[asset].references, [&](const PlannedReference& reference) {
            return agreeing.at(reference.spelling) != group.size();
        });
}

}  // namespace

void leave_agreed_references(std::span<const AssetScan> scans, std::vector<ResolvedAsset>& assets) {
    std::map<AssetId, std::vector<std::uint32_t>> by_id;
    for (std::uint32_t asset = 0; asset < scans.size(); ++asset)
        if (scans[asset].id)
            by_id[*scans[asset].id].push_back(asset);
    for (const auto& group : by_id)
        if (group.second.size() > 1)
            leave_agreed(group.second, assets);
}

}  // namespace fardel
