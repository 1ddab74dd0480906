#include <fardel/sources/loose_bundle.h>

#include <fardel/base/folder.h>
#include <fardel/format/digest_index.h>
#include <fardel/sources/entry_plan.h>
#include <fardel/sources/secret_files.h>
#include <fardel/sources/source_scan.h>

#include <span>
#include <utility>
#include <vector>

namespace fardel {

Result<LooseBundle> open_loose_bundle(const std::string& path, const LooseOptions& options) {
    const ScanOptions usual{.excludes = usual_excludes()};
    FARDEL_TRY_ASSIGN(ScanResult scan, scan_sources(std::span(&path, 1), usual, options.archives));
    if (options.refuses_secrets)
        FARDEL_TRY(refuse_secrets(scan, {}));
    std::string folder;
    if (!options.digest_folder.empty()) {
        FARDEL_TRY_ASSIGN(folder, real_path(path, path));
    }
    const KeptDigests kept(options.digest_folder, folder, *options.digests);
    std::vector<Hash> versions;
    for (const SourceEntry& entry : scan.entries)
        if (entry.version)
            versions.push_back(*entry.version);
    FARDEL_TRY_ASSIGN(const BundlePlan plan, plan_entries(std::move(scan.entries), options.digests.get()));
    auto source = make_unpacked_source(plan, {.digests = options.digests, .stop = options.stop});
    if (!source)
        return std::move(source).error().with_context(path);
    kept.write(std::move(versions), *options.digests);
    return LooseBundle{.source = *std::move(source), .report = std::move(scan.report)};
}

}  // namespace fardel
