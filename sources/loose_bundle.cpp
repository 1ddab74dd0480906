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

// What is known of the entries' bytes, by entry and by version.
struct KnownEntries {
    KnownBlobs blobs;
    DigestIndex versions;  // with digests, or without
};

// Small files are read if they are not known. What is larger may be streamed, which its content type says: it then has
// other pieces.
KnownEntries know_entries(const std::vector<SourceEntry>& entries, const LooseOptions& options) {
    KnownEntries known{.blobs = KnownBlobs(entries.size()), .versions = {}};
    std::vector<std::size_t> unknown;
    std::vector<PlannedAsset> small;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const SourceEntry& entry = entries[i];
        const auto version = entry.blob->find_version();
        if (!version)
            continue;
        known.blobs[i] = options.digests->find(*version);
        known.versions.push_back({*version, known.blobs[i]});
        if (known.blobs[i] || entry.size_bytes > 1u << limits::kBlockLog2)
            continue;
        unknown.push_back(i);
        small.push_back({.source = entry.blob, .key = entry.name.shared_text()});
    }
    KnownBlobs read = digest_ahead(small, {.digests = options.digests, .stop = options.stop});
    for (std::size_t i = 0; i < unknown.size(); ++i)
        known.blobs[unknown[i]] = std::move(read[i]);
    return known;
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
    KnownEntries known = know_entries(scan.entries, options);
    FARDEL_TRY_ASSIGN(const BundlePlan plan, plan_entries(std::move(scan.entries), known.blobs));
    auto source =
        make_unpacked_source(plan, {.digests = options.digests, .known = std::move(known.blobs), .stop = options.stop});
    if (!source)
        return std::move(source).error().with_context(path);
    kept.write(std::move(known.versions), *options.digests);
    return LooseBundle{.source = *std::move(source), .report = std::move(scan.report)};
}

}  // namespace fardel
