#include <fardel/packer/plan_scan.h>

#include "plan_asset.h"
#include "resolve/reference_target.h"
#include "scan_programs.h"
#include "text/record_bytes.h"

#include <fardel/format/hash.h>
#include <fardel/format/limits.h>
#include <fardel/format/name.h>
#include <fardel/packer/pattern_scanner.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace fardel {
namespace {

Hash digest_of(const RecordWriter& writer) { return blake3(std::as_bytes(std::span(writer.bytes()))); }

// A scanner that is no program, with all that decides what it finds in given bytes.
struct PlannedScanner {
    Hash configuration;
    const ProjectScanner* said = nullptr;  // nothing: a built-in one
    std::optional<PatternScanner> pattern;
};

constexpr std::string_view kBuiltinSchema = "fardel scanner 1";
constexpr std::string_view kPatternSchema = "fardel pattern scanner 1";

Hash builtin_configuration(std::string_view word) {
    RecordWriter writer;
    writer.text(kBuiltinSchema);
    writer.number(kScannersVersion);
    writer.text(word);
    return digest_of(writer);
}

Hash pattern_configuration(const ProjectScanner& scanner) {
    RecordWriter writer;
    writer.text(kPatternSchema);
    writer.number(kScannersVersion);
    writer.text(scanner.pattern);
    writer.number(static_cast<std::uint64_t>(scanner.use));
    writer.number(static_cast<std::uint64_t>(scanner.form));
    writer.number(scanner.optional ? 1 : 0);
    return digest_of(writer);
}

Hash key_of(const PlannedScanner& scanner, const AssetId& asset) {
    RecordWriter writer;
    writer.id(scanner.configuration);
    writer.id(asset);
    return digest_of(writer);
}

Result<std::vector<PlannedScanner>> parse_scanners(std::span<const ProjectScanner> scanners) {
    std::vector<PlannedScanner> parsed;
    for (const ProjectScanner& scanner : scanners) {
        if (scanner.pattern.empty())
            continue;
        FARDEL_TRY_ASSIGN(PatternScanner pattern, PatternScanner::parse(scanner.pattern));
        parsed.push_back(
            {.configuration = pattern_configuration(scanner), .said = &scanner, .pattern = std::move(pattern)});
    }
    return parsed;
}

// What two scanners, or a job, found in one asset.
Status append(ScanFindings more, ScanFindings& findings) {
    if (findings.references.size() + more.references.size() > limits::kReferencesPerAssetMax ||
        findings.defines.size() + more.defines.size() > limits::kReferencesPerAssetMax)
        return Error(ErrorCode::limit,
                     "more than " + std::to_string(limits::kReferencesPerAssetMax) + " names in one asset");
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

class Scan {
public:
    Scan(const BundlePlan& plan, std::span<const std::uint64_t> sizes, const PlanScanOptions& options,
         std::vector<PlannedScanner> own)
        : plan_(plan),
          sizes_(sizes),
          options_(options),
          own_(std::move(own)),
          names_(first_names_of(plan)),
          errors_(plan.assets.size()) {
        out_.scanned.resize(plan.assets.size());
        out_.ids.resize(plan.assets.size());
        known_.resize(plan.assets.size());
        read_.resize(plan.assets.size());
    }

    void work() {
        for (std::size_t asset = next_++; asset < plan_.assets.size() && !failed_; asset = next_++)
            if (Status done = scan(asset); !done) {
                errors_[asset] = std::move(done).error();
                failed_ = true;
            }
    }

    bool failed() const { return failed_; }

    Result<PlanScan> take(ProgramFindings programs) && {
        for (std::size_t asset = 0; asset < errors_.size(); ++asset)
            if (errors_[asset])
                return std::move(*errors_[asset]).with_context("asset \"" + printable(plan_.assets[asset].key) + "\"");
        for (ProgramFindings::Of& one : programs.found) {
            out_.ids[one.asset] = one.id;
            known_[one.asset] = true;
            read_[one.asset] = read_[one.asset] || one.asked;
            take_in({.findings = std::move(one.findings), .broken = {}}, out_.scanned[one.asset]);
        }
        out_.logs = std::move(programs.logs);
        out_.assets = static_cast<std::uint64_t>(std::ranges::count_if(known_, [](char known) { return known != 0; }));
        out_.assets_scanned =
            static_cast<std::uint64_t>(std::ranges::count_if(read_, [](char read) { return read != 0; }));
        return std::move(out_);
    }

private:
    std::vector<PlannedScanner> scanners_for(std::size_t at) const {
        std::vector<PlannedScanner> scanners;
        if (const std::string_view word = scanner_for(names_[at], plan_.assets[at].content_type); !word.empty())
            scanners.push_back({.configuration = builtin_configuration(word), .said = nullptr, .pattern = {}});
        for (const PlannedScanner& scanner : own_)
            if (glob_matches(scanner.said->match, names_[at]))
                scanners.push_back(scanner);
        return scanners;
    }

    Status scan(std::size_t at) {
        if (options_.stop.stop_requested())
            return Error(ErrorCode::cancelled, "asked to stop");
        const PlannedAsset& asset = plan_.assets[at];
        if (const auto told = options_.told.find(static_cast<std::uint32_t>(at)); told != options_.told.end()) {
            if (asset.known)
                out_.ids[at] = asset.known->asset;
            return append({.references = told->second, .defines = {}}, out_.scanned[at].findings);
        }
        const auto scanners = scanners_for(at);
        if (scanners.empty())
            return ok();
        known_[at] = true;
        if (sizes_[at] > kScannedBytesMax) {
            out_.scanned[at].broken =
                std::to_string(sizes_[at]) + " bytes; at most " + std::to_string(kScannedBytesMax) + " are scanned";
            return ok();
        }
        AssetReader reader(asset, sizes_[at]);
        FARDEL_TRY_ASSIGN(out_.ids[at], reader.id());
        for (const PlannedScanner& scanner : scanners) {
            const Hash key = key_of(scanner, *out_.ids[at]);
            auto found = options_.memory ? options_.memory->find(key) : std::nullopt;
            if (!found) {
                read_[at] = true;
                FARDEL_TRY_ASSIGN(found, scan_with(scanner, at, reader));
                if (options_.memory)
                    options_.memory->add(key, *found);
            }
            take_in(*std::move(found), out_.scanned[at]);
        }
        return ok();
    }

    Result<std::optional<ScannedAsset>> scan_with(const PlannedScanner& scanner, std::size_t at,
                                                  AssetReader& reader) const {
        FARDEL_TRY_ASSIGN(const auto bytes, reader.bytes());
        auto findings = scanner.pattern ? scanner.pattern->scan(bytes, scanner.said->use, scanner.said->form,
                                                                scanner.said->optional)
                                        : scan_references(names_[at], plan_.assets[at].content_type, bytes);
        return std::optional(findings ? ScannedAsset{.findings = *std::move(findings), .broken = {}}
                                      : ScannedAsset{.findings = {}, .broken = findings.error().text()});
    }

    // The first of its scanners that refuses an asset says why it is broken.
    static void take_in(ScannedAsset more, ScannedAsset& all) {
        if (!all.broken.empty())
            return;
        if (!more.broken.empty())
            all = std::move(more);
        else if (all.findings.references.empty() && all.findings.defines.empty())
            all.findings = std::move(more.findings);
        else if (const Status appended = append(std::move(more.findings), all.findings); !appended)
            all = {.findings = {}, .broken = appended.error().text()};
    }

    const BundlePlan& plan_;
    std::span<const std::uint64_t> sizes_;
    const PlanScanOptions& options_;
    std::vector<PlannedScanner> own_;
    std::vector<std::string_view> names_;
    PlanScan out_;
    std::vector<std::optional<Error>> errors_;
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> failed_{false};
    std::vector<char> known_;  // to some scanner
    std::vector<char> read_;   // by one
};

}  // namespace

Result<PlanScan> scan_plan(const BundlePlan& plan, std::span<const std::uint64_t> sizes,
                           const PlanScanOptions& options) {
    if (sizes.size() != plan.assets.size())
        return Error(ErrorCode::malformed,
                     std::to_string(plan.assets.size()) + " assets and " + std::to_string(sizes.size()) + " sizes");
    FARDEL_TRY_ASSIGN(auto own, parse_scanners(options.scanners));
    Scan scan(plan, sizes, options, std::move(own));
    work_on_threads(options.jobs, plan.assets.size(), [&scan] { scan.work(); });
    ProgramFindings programs;
    if (!scan.failed()) {
        FARDEL_TRY_ASSIGN(programs, scan_with_programs(plan, sizes, options));
    }
    return std::move(scan).take(std::move(programs));
}

void leave_agreed_references(const PlanScan& scan, std::vector<std::vector<PlannedReference>>& references) {
    std::map<AssetId, std::vector<std::uint32_t>> alike;
    for (std::uint32_t asset = 0; asset < scan.ids.size(); ++asset)
        if (scan.ids[asset])
            alike[*scan.ids[asset]].push_back(asset);
    for (const auto& group : alike) {
        if (group.second.size() < 2)
            continue;
        std::map<std::string, const PlannedReference*> first;
        std::map<std::string, std::size_t> agreeing;
        for (const std::uint32_t asset : group.second)
            for (const PlannedReference& reference : references[asset]) {
                const auto placed = first.emplace(reference.spelling, &reference);
                agreeing[reference.spelling] += equal_targets(placed.first->second->target, reference.target);
            }
        std::vector<std::vector<PlannedReference>> left(group.second.size());
        for (std::size_t i = 0; i < group.second.size(); ++i)
            for (const PlannedReference& reference : references[group.second[i]])
                if (agreeing[reference.spelling] == group.second.size())
                    left[i].push_back(reference);
        for (std::size_t i = 0; i < group.second.size(); ++i)
            references[group.second[i]] = std::move(left[i]);
    }
}

}  // namespace fardel
