// The derived-data cache of a project's builds: its own folder first, then the layers that the project and others name.
#include "build_state.h"

#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/base/path_text.h>
#include <fardel/cache/cache_layers.h>
#include <fardel/format/printable.h>
#include <fardel/packer/project_cache.h>

#include <chrono>
#include <span>
#include <utility>

namespace fardel {
namespace {

constexpr auto kTrimTimeMax = std::chrono::seconds(2);
constexpr auto kTrimAgainAfter = std::chrono::minutes(10);

// Returns what a build removes from a folder: little at once, since somebody waits for the build.
CacheTrimOptions trim_of(const CacheLimits& limits, bool packs) {
    CacheTrimOptions trim{.time_max = kTrimTimeMax, .again_after = kTrimAgainAfter, .packs = packs};
    trim.bytes_max = limits.bytes_max.value_or(trim.bytes_max);
    if (limits.unused_days)
        trim.unused_for = std::chrono::hours(24) * *limits.unused_days;
    return trim;
}

void trim_folder(const std::string& folder, const CacheLimits& limits, bool packs, const std::stop_token& stop,
                 std::vector<CacheTrimmed>& trimmed) {
    const auto report = trim_cache_folder(folder, trim_of(limits, packs), stop);
    if (!report)
        trimmed.push_back({.folder = printable(folder), .problem = report.error().text()});
    else if (report->files_removed != 0)
        trimmed.push_back({.folder = printable(folder),
                           .files_removed = report->files_removed,
                           .bytes_removed = report->bytes_removed,
                           .bytes_left = report->bytes_left});
}

// The project's server gets the first line of the file, so it must be no other file of the user's, by whatever link.
Status verify_token_of_project(const CacheSetting& setting) {
    const std::string shown = printable(setting.token_file);
    FARDEL_TRY_ASSIGN(const std::string file, real_path(setting.token_file, shown));
    FARDEL_TRY_ASSIGN(const std::string folder, canonical_path(setting.relative_to));
    if (is_at_or_below_path(folder, file))
        return ok();
    return Error(ErrorCode::untrusted, shown + ": the token file of a project lies in its folder; name the layer '" +
                                           setting.name +
                                           "' with url and token_file in your own file, "
                                           "~/.config/fardel/config.toml");
}

// Returns the layer to whose folder links of the project lead, nullptr if none. Without links no other folder is looked
// at: it may be on a share that is away just now.
const MergedCache* find_linked_owner(const MergedCaches& caches, const std::string& folder) {
    const auto absolute = absolute_path(folder);
    const auto canonical = canonical_path(folder);
    const bool has_links = !absolute || !canonical || normal_path(*absolute) != *canonical;
    return has_links ? find_folder_owner(caches, folder) : nullptr;
}

}  // namespace

Result<std::unique_ptr<CacheLayer>> open_project_cache(const MergedCache& cache, std::chrono::milliseconds patience) {
    const CacheSetting& setting = cache.setting;
    if (!setting.folder.empty())
        return open_folder_layer(setting.folder, setting.shared);
    if (!setting.bundle.empty())
        return open_bundle_layer(setting.bundle);
    HttpLayerOptions options{.writable = setting.write.value_or(true) || setting.fill.value_or(true),
                             .timeout = patience};
    if (!setting.token_file.empty()) {
        if (setting.author == CacheAuthor::project)
            FARDEL_TRY(verify_token_of_project(setting));
        FARDEL_TRY_ASSIGN(options.bearer_token,
                          read_secret_line(setting.token_file, printable(setting.token_file), "token file"));
    }
    return open_http_layer(setting.url, std::move(options));
}

std::vector<CacheTrimmed> ProjectBuild::trim_caches() const {
    std::vector<CacheTrimmed> trimmed;
    if (!state_->cache)
        return trimmed;
    CacheLimits own = state_->project.own_cache;
    own.bytes_max = state_->options.own_cache.bytes_max ? state_->options.own_cache.bytes_max : own.bytes_max;
    own.unused_days = state_->options.own_cache.unused_days ? state_->options.own_cache.unused_days : own.unused_days;
    trim_folder(state_->own_cache_folder(), own, true, state_->options.stop, trimmed);
    for (const MergedCache& layer : state_->caches.layers)
        if (layer.unused.empty() && !layer.setting.folder.empty() && !layer.setting.limits.is_empty())
            // On a share, other machines may know for a minute only that a file is gone, and not yet where it is.
            trim_folder(layer.setting.folder, layer.setting.limits, !layer.setting.shared, state_->options.stop,
                        trimmed);
    return trimmed;
}

Status ProjectBuild::State::open_cache() {
    if (const MergedCache* const owner = find_linked_owner(caches, own_cache_folder()))
        return Error(ErrorCode::untrusted, printable(own_cache_folder()) + ": a link to the folder of the layer '" +
                                               owner->setting.name + "' of " + origin_of(owner->setting) +
                                               ", which a project may not have as its own; remove the link");
    FARDEL_TRY_ASSIGN(auto own_layer, open_folder_layer(own_cache_folder()));
    std::vector<CacheLayerSlot> layers;
    layers.push_back({.layer = std::move(own_layer), .name = std::string(kOwnCacheName)});
    for (const MergedCache& merged : caches.layers) {
        const CacheSetting& setting = merged.setting;
        if (!merged.unused.empty())
            continue;
        auto layer = open_project_cache(merged);
        if (!layer) {
            // A cache only saves time, so one that cannot be opened does not end the build.
            warnings.push_back(origin_of(setting) + ": layer '" + setting.name + "': " + layer.error().text());
            continue;
        }
        const bool writable = (*layer)->is_writable();
        const bool is_unread = options.from_scratch && setting.name == kUserCacheName;
        layers.push_back({.layer = *std::move(layer),
                          .name = setting.name,
                          .policy = {.read = setting.read.value_or(true) && !is_unread,
                                     .write = setting.write.value_or(true) && writable,
                                     .fill = setting.fill.value_or(true) && writable,
                                     .slow = setting.slow.value_or(CacheLayerPolicy().slow),
                                     .signers = setting.signed_by,
                                     .vouched = !merged.is_of_project()}});
    }
    std::shared_ptr<Signer> signer;
    if (options.open_cache_signer) {
        FARDEL_TRY_ASSIGN(signer, options.open_cache_signer());
    }
    FARDEL_TRY_ASSIGN(cache, DerivedCache::open(std::move(layers), {.verify_per_1000 = options.verify_per_1000,
                                                                    .verify_seed = options.verify_seed,
                                                                    .signer = std::move(signer)}));
    return ok();
}

}  // namespace fardel
