// The edge of the layers' settings: files of the machine and its user, variables, and links of folders.
#include <fardel/base/ascii.h>
#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/base/invocation.h>
#include <fardel/base/path_text.h>
#include <fardel/base/user_folder.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/printable.h>
#include <fardel/packer/project.h>
#include <fardel/packer/project_cache.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kCacheVariables = "FARDEL_CACHE_";
constexpr std::string_view kGraphVariable = "FARDEL_CACHE_GRAPH";
constexpr std::uint32_t kUserCacheDays = 30;
constexpr std::string_view kConfigurationName = "fardel/config.toml";

std::optional<std::string> find_machine_file() {
    if (std::string named = variable("FARDEL_MACHINE_CONFIG"); !named.empty())
        return with_slashes(std::move(named));
    const auto folder = find_machine_folder();
    return folder ? std::optional(joined_path(*folder, kConfigurationName)) : std::nullopt;
}

std::optional<std::string> find_user_file() {
    const auto folder = find_user_folder(UserFolder::config);
    return folder ? std::optional(joined_path(*folder, kConfigurationName)) : std::nullopt;
}

// A layer beside the project's own that its user can switch on with one word. Off, because programs of jobs that are
// not confined may read files of their checkout that no key has: then one checkout would get what another one made.
void append_user_layer(CacheSettings& settings) {
    const auto folder = find_user_folder(UserFolder::cache);
    if (!folder)
        return;
    CacheSetting setting{
        .name = std::string(kUserCacheName), .author = CacheAuthor::built_in, .at = {.file = "built in"}};
    setting.folder = joined_path(*folder, "fardel/jobs");
    setting.limits = {.bytes_max = CacheTrimOptions().bytes_max, .unused_days = kUserCacheDays};
    setting.off = true;
    settings.layers.push_back(std::move(setting));
}

// The later settings decide, and so does the later graph.
void append_settings(CacheSettings& settings, CacheSettings more) {
    std::ranges::move(more.layers, std::back_inserter(settings.layers));
    if (more.graph.empty())
        return;
    settings.graph = std::move(more.graph);
    settings.graph_author = more.graph_author;
    settings.graph_origin = std::move(more.graph_origin);
}

Status append_file(CacheSettings& settings, const std::optional<std::string>& path, CacheAuthor author) {
    if (!path || !file_exists(*path))
        return ok();
    FARDEL_TRY_ASSIGN(const std::string text, read_project_text(*path));
    FARDEL_TRY_ASSIGN(CacheSettings more, parse_cache_settings(text, *path, author));
    append_settings(settings, std::move(more));
    return ok();
}

Status append_variables(CacheSettings& settings) {
    for (const auto& entry : variables_with_prefix(kCacheVariables)) {
        const std::string& name = entry.first;
        const std::string& value = entry.second;
        if (value.empty())
            continue;  // as if it were not set
        if (name == kGraphVariable) {
            append_settings(
                settings,
                {.graph = value, .graph_author = CacheAuthor::environment, .graph_origin = std::string(name)});
            continue;
        }
        std::string layer = lower_ascii_text(std::string_view(name).substr(kCacheVariables.size()));
        std::ranges::replace(layer, '_', '-');
        FARDEL_TRY_ASSIGN(CacheSetting setting, parse_cache_setting(layer, value, CacheAuthor::environment, name));
        settings.layers.push_back(std::move(setting));
    }
    return ok();
}

Status append_request(CacheSettings& settings, const CacheRequest& request) {
    for (const std::string& text : request.layers) {
        const std::size_t end = text.find('=');
        if (end == std::string::npos)
            return Error(ErrorCode::malformed, "--cache " + printable(text) +
                                                   ": write NAME=PATH, NAME=URL, NAME=off, NAME=on or NAME=read-only");
        FARDEL_TRY_ASSIGN(CacheSetting setting, parse_cache_setting(text.substr(0, end), text.substr(end + 1),
                                                                    CacheAuthor::command_line, "--cache"));
        settings.layers.push_back(std::move(setting));
    }
    append_settings(
        settings, {.graph = request.graph, .graph_author = CacheAuthor::command_line, .graph_origin = "--cache-graph"});
    return ok();
}

// Returns the path by which two names of one folder are compared.
std::string identity_of(const std::string& folder) {
    auto canonical = canonical_path(folder);
    return canonical ? *std::move(canonical) : folder;
}

// A project must not make rules for the folder of somebody else's layer, such as a size to which it is trimmed, and
// what its other layers have must not get there.
void leave_out_foreign_folders(MergedCaches& merged) {
    for (MergedCache& layer : merged.layers)
        if (layer.setting.author == CacheAuthor::project && layer.unused.empty() && !layer.setting.folder.empty())
            if (const MergedCache* const owner = find_folder_owner(merged, layer.setting.folder))
                layer.unused =
                    "its folder is that of the layer '" + owner->setting.name + "' of " + origin_of(owner->setting);
}

}  // namespace

Result<CacheSettings> read_cache_settings(const CacheRequest& request) {
    CacheSettings settings;
    if (request.reads_configuration) {
        append_user_layer(settings);
        FARDEL_TRY(append_file(settings, find_machine_file(), CacheAuthor::machine));
        FARDEL_TRY(append_file(settings, find_user_file(), CacheAuthor::user));
        FARDEL_TRY(append_variables(settings));
    }
    FARDEL_TRY(append_request(settings, request));
    return settings;
}

const MergedCache* find_folder_owner(const MergedCaches& merged, const std::string& folder) {
    const std::string identity = identity_of(folder);
    const auto owner = std::ranges::find_if(merged.layers, [&](const MergedCache& layer) {
        return layer.setting.author != CacheAuthor::project && !layer.setting.folder.empty() &&
               identity_of(layer.setting.folder) == identity;
    });
    return owner != merged.layers.end() ? &*owner : nullptr;
}

Result<MergedCaches> find_project_caches(std::span<const CacheSetting> of_project, const std::string& folder,
                                         const CacheSettings& settings) {
    FARDEL_TRY_ASSIGN(MergedCaches merged,
                      merge_caches(of_project, folder, settings, find_home_folder().value_or(""),
                                   [](const std::string& name) { return variable(name.c_str()); }));
    leave_out_foreign_folders(merged);
    return merged;
}

}  // namespace fardel
