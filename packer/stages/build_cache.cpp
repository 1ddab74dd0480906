// The derived-data cache of a project's builds: its own folder first, then the caches that the project names.
#include "build_state.h"

#include <fardel/base/file.h>
#include <fardel/cache/cache_layers.h>
#include <fardel/packer/project_cache.h>
#include <fardel/packer/project_path.h>

#include <chrono>
#include <span>
#include <utility>

namespace fardel {
namespace {

constexpr auto kTrimTimeMax = std::chrono::seconds(2);
constexpr auto kTrimAgainAfter = std::chrono::minutes(10);

// Returns what a build removes from a folder: little at once, since somebody waits for the build.
CacheTrimOptions trim_of(const ProjectCacheLimits& limits) {
    CacheTrimOptions trim{.time_max = kTrimTimeMax, .again_after = kTrimAgainAfter};
    trim.bytes_max = limits.bytes_max.value_or(trim.bytes_max);
    if (limits.unused_days)
        trim.unused_for = std::chrono::hours(24) * *limits.unused_days;
    return trim;
}

void trim_folder(const std::string& folder, const ProjectCacheLimits& limits, const std::stop_token& stop,
                 std::vector<CacheTrimmed>& trimmed) {
    const auto report = trim_cache_folder(folder, trim_of(limits), stop);
    if (!report)
        trimmed.push_back({.folder = printable(folder), .problem = report.error().text()});
    else if (report->files_removed != 0)
        trimmed.push_back({.folder = printable(folder),
                           .files_removed = report->files_removed,
                           .bytes_removed = report->bytes_removed,
                           .bytes_left = report->bytes_left});
}

}  // namespace

Result<std::unique_ptr<CacheLayer>> open_project_cache(const ProjectCache& cache, const std::string& folder,
                                                       std::chrono::milliseconds patience) {
    if (!cache.folder.empty())
        return open_folder_layer(path_in_project(folder, cache.folder), cache.shared);
    if (!cache.bundle.empty())
        return open_bundle_layer(path_in_project(folder, cache.bundle));
    HttpLayerOptions options{.writable = cache.write || cache.fill, .timeout = patience};
    if (!cache.token_file.empty()) {
        const std::string path = path_in_project(folder, cache.token_file);
        FARDEL_TRY_ASSIGN(options.bearer_token, read_secret_line(path, printable(path), "token file"));
    }
    return open_http_layer(cache.url, std::move(options));
}

std::vector<CacheTrimmed> ProjectBuild::trim_caches() const {
    std::vector<CacheTrimmed> trimmed;
    if (!state_->cache)
        return trimmed;
    ProjectCacheLimits own = state_->project.own_cache;
    own.bytes_max = state_->options.own_cache.bytes_max ? state_->options.own_cache.bytes_max : own.bytes_max;
    own.unused_days = state_->options.own_cache.unused_days ? state_->options.own_cache.unused_days : own.unused_days;
    trim_folder(state_->own_cache_folder(), own, state_->options.stop, trimmed);
    for (const ProjectCache& named : state_->project.caches)
        if (!named.limits.is_empty())
            trim_folder(path_in_project(state_->folder, named.folder), named.limits, state_->options.stop, trimmed);
    return trimmed;
}

Status ProjectBuild::State::open_cache() {
    FARDEL_TRY_ASSIGN(auto own_layer, open_folder_layer(own_cache_folder()));
    std::vector<CacheLayerSlot> layers;
    layers.push_back({.layer = std::move(own_layer)});
    for (const ProjectCache& named : project.caches) {
        auto layer = open_project_cache(named, folder);
        if (!layer) {
            // A cache only saves time, so one that cannot be opened does not end the build.
            warnings.push_back(printable(project.file) + ":" + std::to_string(named.line) + ": " +
                               layer.error().text());
            continue;
        }
        const bool writable = (*layer)->is_writable();
        layers.push_back({.layer = *std::move(layer),
                          .policy = {.read = named.read,
                                     .write = named.write && writable,
                                     .fill = named.fill && writable,
                                     .slow = named.slow,
                                     .signers = named.signed_by}});
    }
    std::shared_ptr<Signer> signer;
    if (options.open_cache_signer) {
        FARDEL_TRY_ASSIGN(signer, options.open_cache_signer());
    }
    FARDEL_TRY_ASSIGN(cache, DerivedCache::open(std::move(layers), {.verify_per_1000 = options.verify_per_1000,
                                                                    .signer = std::move(signer)}));
    return ok();
}

}  // namespace fardel
