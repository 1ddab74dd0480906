#include <fardel/sources/loose_bundle.h>

#include <fardel/base/folder.h>
#include <fardel/format/digest_index.h>
#include <fardel/format/id_path.h>
#include <fardel/format/limits.h>
#include <fardel/sources/entry_plan.h>
#include <fardel/sources/secret_files.h>
#include <fardel/sources/source_scan.h>

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace fardel {
namespace {

// Takes out what no published name can be: all names of a loose bundle are published.
void refuse_id_paths(ScanResult& scan) {
    std::erase_if(scan.entries, [&](const SourceEntry& entry) {
        Status good = verify_no_id_path(entry.name.view());
        if (!good)
            scan.report.refused.push_back({.printable_name = printable(entry.name.view()),
                                           .origin = entry.origin.text(),
                                           .reason = std::move(good).error()});
        return !good;
    });
}

// What is larger may be streamed, which its content type says: it then has other pieces.
void digest_small_files(const std::vector<SourceEntry>& entries, const LooseOptions& options) {
    std::vector<PlannedAsset> small;
    for (const SourceEntry& entry : entries) {
        const auto version =
            entry.size_bytes <= 1u << limits::kBlockLog2 ? entry.blob->find_version() : std::optional<Hash>();
        if (version && options.digests->find(*version) == nullptr)
            small.push_back({.source = entry.blob, .key = entry.name.shared_text()});
    }
    digest_ahead(small, {.digests = options.digests, .stop = options.stop});
}

}  // namespace

Result<LooseBundle> open_loose_bundle(const std::string& path, const LooseOptions& options) {
    const ScanOptions usual{.excludes = usual_excludes(), .observes_files = false};
    FARDEL_TRY_ASSIGN(ScanResult scan, scan_sources(std::span(&path, 1), usual, options.archives));
    if (options.refuses_secrets)
        FARDEL_TRY(refuse_secrets(scan, {}));
    refuse_id_paths(scan);
    std::string folder;
    if (!options.digest_folder.empty()) {
        FARDEL_TRY_ASSIGN(folder, real_path(path, path));
    }
    const KeptDigests kept(options.digest_folder, folder, *options.digests);
    std::vector<Hash> versions;
    for (const SourceEntry& entry : scan.entries)
        if (const auto version = entry.blob->find_version())
            versions.push_back(*version);
    digest_small_files(scan.entries, options);
    FARDEL_TRY_ASSIGN(const BundlePlan plan, plan_entries(std::move(scan.entries), options.digests.get()));
    auto source = make_unpacked_source(plan, {.digests = options.digests, .stop = options.stop});
    if (!source)
        return std::move(source).error().with_context(path);
    kept.write(std::move(versions), *options.digests);
    return LooseBundle{.source = *std::move(source), .report = std::move(scan.report)};
}

}  // namespace fardel
