#include <fardel/packer/plan_scan.h>

#include "link_target.h"

#include <fardel/format/hash.h>
#include <fardel/format/limits.h>
#include <fardel/format/name.h>
#include <fardel/packer/pattern_scanner.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>

namespace fardel {
namespace {

Result<std::vector<std::byte>> read_blob(const BlobSource& blob, std::uint64_t size_bytes) {
    FARDEL_TRY_ASSIGN(const auto stream, blob.open());
    std::vector<std::byte> bytes(static_cast<std::size_t>(size_bytes) + 1);   // one more, to notice what has grown
    std::size_t size = 0;
    while (size < bytes.size()) {
        FARDEL_TRY_ASSIGN(const std::size_t count, stream->read(std::span(bytes).subspan(size)));
        if (count == 0)
            break;
        size += count;
    }
    if (size != size_bytes)
        return Error(ErrorCode::conflict, "has another size than it had; it was changed meanwhile");
    bytes.resize(size);
    return bytes;
}

// Of each asset the first name in byte order, or its key: some files are known by name.
std::vector<std::string_view> names_of(const BundlePlan& plan) {
    std::vector<std::string_view> names(plan.assets.size());
    for (const PlannedName& name : plan.names)
        for (const PlannedVariant& variant : name.variants)
            if (variant.asset < names.size() && (names[variant.asset].empty() || name.name.view() < names[variant.asset]))
                names[variant.asset] = name.name.view();
    for (std::size_t asset = 0; asset < names.size(); ++asset)
        if (names[asset].empty())
            names[asset] = plan.assets[asset].key;
    return names;
}

// A pattern of the project, ready to scan.
struct OwnScanner {
    const ProjectScanner* said = nullptr;
    PatternScanner pattern;
};

Result<std::vector<OwnScanner>> parse_scanners(std::span<const ProjectScanner> scanners) {
    std::vector<OwnScanner> parsed;
    for (const ProjectScanner& scanner : scanners) {
        if (!scanner.command.empty())
            return Error(ErrorCode::unsupported, "scanner for \"" + printable(scanner.match) + "\": programs are not run to scan yet; write a 'pattern' instead of 'command'");
        FARDEL_TRY_ASSIGN(PatternScanner pattern, PatternScanner::parse(scanner.pattern));
        parsed.push_back({.said = &scanner, .pattern = std::move(pattern)});
    }
    return parsed;
}

// What two scanners, or a job, found in one asset. They define things apart.
Status append(ScanFindings more, ScanFindings& findings) {
    if (findings.references.size() + more.references.size() > limits::kReferencesPerAssetMax)
        return Error(ErrorCode::limit, "more than " + std::to_string(limits::kReferencesPerAssetMax) + " names in one asset");
    std::set<std::tuple<std::string, ReferenceUse, ReferenceForm>> known;
    for (const FoundReference& reference : findings.references)
        if (reference.defined_in == kNoDefinition)
            known.emplace(reference.spelling, reference.use, reference.form);
    for (FoundReference& reference : more.references)
        if (known.emplace(reference.spelling, reference.use, reference.form).second)
            findings.references.push_back(std::move(reference));
    return ok();
}

class Scan {
public:
    Scan(const BundlePlan& plan, std::span<const std::uint64_t> sizes, const PlanScanOptions& options, std::vector<OwnScanner> own)
        : plan_(plan), sizes_(sizes), options_(options), own_(std::move(own)), names_(names_of(plan)), errors_(plan.assets.size()) {
        out_.scanned.resize(plan.assets.size());
        out_.ids.resize(plan.assets.size());
    }

    void work() {
        for (std::size_t asset = next_++; asset < plan_.assets.size() && !failed_; asset = next_++)
            if (Status done = scan(asset); !done) {
                errors_[asset] = std::move(done).error();
                failed_ = true;
            }
    }

    Result<PlanScan> take() && {
        for (std::size_t asset = 0; asset < errors_.size(); ++asset)
            if (errors_[asset])
                return std::move(*errors_[asset]).with_context("asset \"" + printable(plan_.assets[asset].key) + "\"");
        return std::move(out_);
    }

private:
    Status scan(std::size_t at) {
        if (options_.stop.stop_requested())
            return Error(ErrorCode::cancelled, "asked to stop");
        const PlannedAsset& asset = plan_.assets[at];
        if (const auto told = options_.told.find(static_cast<std::uint32_t>(at)); told != options_.told.end()) {
            if (asset.known)
                out_.ids[at] = asset.known->asset;
            return append({.references = told->second, .defines = {}}, out_.scanned[at].findings);
        }
        std::vector<const OwnScanner*> own;
        for (const OwnScanner& scanner : own_)
            if (glob_matches(scanner.said->match, names_[at]))
                own.push_back(&scanner);
        if (own.empty() && !has_scanner(names_[at], asset.content_type))
            return ok();
        if (sizes_[at] > kScannedBytesMax) {
            out_.scanned[at].broken = std::to_string(sizes_[at]) + " bytes; at most " + std::to_string(kScannedBytesMax) + " are scanned";
            return ok();
        }
        FARDEL_TRY_ASSIGN(const auto bytes, read_blob(*asset.source, sizes_[at]));
        out_.ids[at] = id_from<AssetId>(blake3(bytes));
        auto findings = find_all(at, own, bytes);
        if (findings)
            out_.scanned[at].findings = *std::move(findings);
        else
            out_.scanned[at].broken = findings.error().text();
        return ok();
    }

    Result<ScanFindings> find_all(std::size_t at, std::span<const OwnScanner* const> own, std::span<const std::byte> bytes) const {
        FARDEL_TRY_ASSIGN(ScanFindings findings, scan_references(names_[at], plan_.assets[at].content_type, bytes));
        for (const OwnScanner* const scanner : own) {
            FARDEL_TRY_ASSIGN(ScanFindings more, scanner->pattern.scan(bytes, scanner->said->use, scanner->said->form, scanner->said->optional));
            FARDEL_TRY(append(std::move(more), findings));
        }
        return findings;
    }

    const BundlePlan& plan_;
    std::span<const std::uint64_t> sizes_;
    const PlanScanOptions& options_;
    std::vector<OwnScanner> own_;
    std::vector<std::string_view> names_;
    PlanScan out_;
    std::vector<std::optional<Error>> errors_;
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> failed_{false};
};

}  // namespace

Result<PlanScan> scan_plan(const BundlePlan& plan, std::span<const std::uint64_t> sizes, const PlanScanOptions& options) {
    if (sizes.size() != plan.assets.size())
        return Error(ErrorCode::malformed, std::to_string(plan.assets.size()) + " assets and " + std::to_string(sizes.size()) + " sizes");
    FARDEL_TRY_ASSIGN(auto own, parse_scanners(options.scanners));
    Scan scan(plan, sizes, options, std::move(own));
    {
        const unsigned jobs = std::clamp(options.jobs != 0 ? options.jobs : std::thread::hardware_concurrency(), 1u, 64u);
        std::vector<std::jthread> others;
        try {
            for (unsigned i = 1; i < jobs && i < plan.assets.size(); ++i)
                others.emplace_back([&scan] { scan.work(); });
        } catch (const std::system_error&) {
            // No more threads to be had: those that are there do the work.
        }
        scan.work();
    }
    return std::move(scan).take();
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
