#include <fardel/packer/plan_scan.h>

#include "link_target.h"
#include "record_bytes.h"

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

Hash digest_of(const RecordWriter& writer) { return blake3(std::as_bytes(std::span(writer.bytes()))); }

// A scanner with all that decides what it finds in given bytes.
struct PlannedScanner {
    Hash configuration;
    const ProjectScanner* said = nullptr;        // nothing: a built-in one
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
        if (!scanner.command.empty())
            return Error(ErrorCode::unsupported, "scanner for \"" + printable(scanner.match) + "\": programs are not run to scan yet; write a 'pattern' instead of 'command'");
        FARDEL_TRY_ASSIGN(PatternScanner pattern, PatternScanner::parse(scanner.pattern));
        parsed.push_back({.configuration = pattern_configuration(scanner), .said = &scanner, .pattern = std::move(pattern)});
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

// The bytes of one asset, read when somebody wants them.
class AssetReader {
public:
    AssetReader(const PlannedAsset& asset, std::uint64_t size_bytes) : asset_(asset), size_bytes_(size_bytes) {}

    Result<AssetId> id() {
        if (asset_.known)
            return asset_.known->asset;
        FARDEL_TRY(bytes());
        return id_from<AssetId>(blake3(*bytes_));
    }

    Result<std::span<const std::byte>> bytes() {
        if (!bytes_) {
            FARDEL_TRY_ASSIGN(bytes_, read_blob(*asset_.source, size_bytes_));
            if (asset_.known && id_from<AssetId>(blake3(*bytes_)) != asset_.known->asset)
                return Error(ErrorCode::conflict, "was edited while it was built; build again");
        }
        return std::span<const std::byte>(*bytes_);
    }

private:
    const PlannedAsset& asset_;
    std::uint64_t size_bytes_;
    std::optional<std::vector<std::byte>> bytes_;
};

class Scan {
public:
    Scan(const BundlePlan& plan, std::span<const std::uint64_t> sizes, const PlanScanOptions& options, std::vector<PlannedScanner> own)
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
        out_.assets = assets_;
        out_.assets_scanned = assets_scanned_;
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
        ++assets_;
        if (sizes_[at] > kScannedBytesMax) {
            out_.scanned[at].broken = std::to_string(sizes_[at]) + " bytes; at most " + std::to_string(kScannedBytesMax) + " are scanned";
            return ok();
        }
        AssetReader reader(asset, sizes_[at]);
        FARDEL_TRY_ASSIGN(out_.ids[at], reader.id());
        bool read = false;
        for (const PlannedScanner& scanner : scanners) {
            const Hash key = key_of(scanner, *out_.ids[at]);
            auto found = options_.memory ? options_.memory->find(key) : std::nullopt;
            if (!found) {
                read = true;
                FARDEL_TRY_ASSIGN(found, scan_with(scanner, at, reader));
                if (options_.memory)
                    options_.memory->add(key, *found);
            }
            take_in(*std::move(found), out_.scanned[at]);
        }
        assets_scanned_ += read;
        return ok();
    }

    Result<std::optional<ScannedAsset>> scan_with(const PlannedScanner& scanner, std::size_t at, AssetReader& reader) const {
        FARDEL_TRY_ASSIGN(const auto bytes, reader.bytes());
        auto findings = scanner.pattern ? scanner.pattern->scan(bytes, scanner.said->use, scanner.said->form, scanner.said->optional)
                                        : scan_references(names_[at], plan_.assets[at].content_type, bytes);
        return std::optional(findings ? ScannedAsset{.findings = *std::move(findings), .broken = {}} : ScannedAsset{.findings = {}, .broken = findings.error().text()});
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
    std::atomic<std::uint64_t> assets_{0};
    std::atomic<std::uint64_t> assets_scanned_{0};
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
