// Who says which layers there are: the settings of all authors → the layers, in their order. Pure.
#include <fardel/base/path_text.h>
#include <fardel/format/printable.h>
#include <fardel/packer/nearest_word.h>
#include <fardel/packer/project_cache.h>
#include <fardel/packer/project_path.h>

#include "cache_variables.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fardel {
namespace {

bool has_location(const CacheSetting& setting) {
    return !setting.folder.empty() || !setting.url.empty() || !setting.bundle.empty();
}

std::string_view location_key(const CacheSetting& setting) {
    return !setting.folder.empty() ? "folder" : !setting.url.empty() ? "url" : "bundle";
}

// Notes where a key comes from: the last who stated it.
void note_origin(MergedCache& layer, std::string_view key, const CacheSetting& said) {
    std::erase_if(layer.origins, [&](const CacheKeyOrigin& origin) { return origin.key == key; });
    layer.origins.push_back({.key = key, .author = said.author, .text = origin_of(said)});
}

template <class Value>
void take_value(MergedCache& layer, std::string_view key, const CacheSetting& said, Value CacheSetting::*member) {
    bool is_stated = false;
    if constexpr (requires { (said.*member).empty(); })
        is_stated = !(said.*member).empty();
    else
        is_stated = static_cast<bool>(said.*member);
    if (!is_stated)
        return;
    layer.setting.*member = said.*member;
    note_origin(layer, key, said);
}

// A token is sent to the server with which it was named, and to no other; limits are about the folder with which they
// were written.
void take_location(MergedCache& layer, const CacheSetting& said) {
    CacheSetting& all = layer.setting;
    all.author = said.author;
    all.at = said.at;
    all.relative_to = said.relative_to;
    all.folder = said.folder;
    all.url = said.url;
    all.bundle = said.bundle;
    all.shared = false;
    all.token_file.clear();
    all.limits = {};
    std::erase_if(layer.origins, [](const CacheKeyOrigin& origin) {
        constexpr std::string_view kOfLocation[] = {"folder",     "url",       "bundle",     "shared",
                                                    "token_file", "bytes_max", "unused_days"};
        return std::ranges::find(kOfLocation, origin.key) != std::end(kOfLocation);
    });
    note_origin(layer, location_key(said), said);
}

void take_limits(MergedCache& layer, const CacheSetting& said) {
    if (said.limits.bytes_max) {
        layer.setting.limits.bytes_max = said.limits.bytes_max;
        note_origin(layer, "bytes_max", said);
    }
    if (said.limits.unused_days) {
        layer.setting.limits.unused_days = said.limits.unused_days;
        note_origin(layer, "unused_days", said);
    }
}

void take(MergedCache& layer, const CacheSetting& said) {
    layer.setting.name = said.name;
    if (has_location(said))
        take_location(layer, said);
    take_value(layer, "shared", said, &CacheSetting::shared);
    take_value(layer, "token_file", said, &CacheSetting::token_file);
    take_limits(layer, said);
    if (said.off) {
        layer.setting.off = said.off;
        note_origin(layer, "off", said);
        // Who switches a layer on for one build wants it whatever the graph is.
        if (!*said.off && said.author >= CacheAuthor::environment)
            layer.setting.graphs.clear();
    }
    for (const auto& [key, member] : {std::pair("read", &CacheSetting::read), std::pair("write", &CacheSetting::write),
                                      std::pair("fill", &CacheSetting::fill)})
        if (said.*member) {
            layer.setting.*member = said.*member;
            note_origin(layer, key, said);
        }
    take_value(layer, "signed_by", said, &CacheSetting::signed_by);
    take_value(layer, "slow_ms", said, &CacheSetting::slow);
    take_value(layer, "graphs", said, &CacheSetting::graphs);
    take_value(layer, "before", said, &CacheSetting::before);
}

std::string no_such(std::string_view kind, std::string_view name, std::vector<std::string_view> known) {
    std::string text = "there is no " + std::string(kind) + " '" + printable(name) + "' here";
    if (known.empty())
        return text;
    std::ranges::sort(known);
    known.erase(std::unique(known.begin(), known.end()), known.end());
    return text + "; " + suggest_word(name, known, "the " + std::string(kind) + "s are: ");
}

// `asker`: the layer whose setting names it.
std::string no_such_layer(const MergedCaches& merged, std::string_view name, std::string_view asker = {}) {
    std::vector<std::string_view> names;
    for (const MergedCache& layer : merged.layers)
        if (layer.setting.name != asker)
            names.push_back(layer.setting.name);
    return no_such("layer", name, std::move(names));
}

// Reports a name that nothing defines. What a file or a variable says about it may be meant for another project, but
// who types a name means it.
Status report_unknown(MergedCaches& merged, CacheAuthor author, std::string text) {
    if (author == CacheAuthor::command_line || author == CacheAuthor::project)
        return Error(ErrorCode::missing, std::move(text));
    merged.notes.push_back(std::move(text));
    return ok();
}

Status apply_setting(MergedCaches& merged, const CacheSetting& said) {
    auto layer =
        std::ranges::find_if(merged.layers, [&](const MergedCache& one) { return one.setting.name == said.name; });
    if (layer == merged.layers.end() && !has_location(said))
        return report_unknown(merged, said.author, origin_of(said) + ": " + no_such_layer(merged, said.name));
    if (layer == merged.layers.end())
        layer = merged.layers.insert(layer, MergedCache());
    // A location in a file makes another layer, for which nothing counts that was said about the first: otherwise a
    // project could switch off or hinder a layer of the user by its name.
    else if (has_location(said) && said.author <= CacheAuthor::user)
        *layer = MergedCache();
    take(*layer, said);
    return ok();
}

Status order_layers(MergedCaches& merged) {
    std::vector<std::string> names;
    for (const MergedCache& layer : merged.layers)
        names.push_back(layer.setting.name);
    const auto position = [&](const std::string& name) {
        return std::ranges::find_if(merged.layers,
                                    [&](const MergedCache& layer) { return layer.setting.name == name; });
    };
    for (const std::string& name : names) {
        const auto layer = position(name);
        const std::string& before = layer->setting.before;
        if (before.empty() || before == name)
            continue;
        const auto target = position(before);
        if (target == merged.layers.end()) {
            const CacheKeyOrigin& origin = *layer->find_origin("before");
            const std::string text = origin.text + ": 'before': " + no_such_layer(merged, before, name);
            FARDEL_TRY(report_unknown(merged, origin.author, text));
        } else if (target < layer) {
            std::rotate(target, layer, layer + 1);
        } else {
            std::rotate(layer, layer + 1, target);
        }
    }
    return ok();
}

Status choose_graph(MergedCaches& merged, const CacheSettings& settings) {
    merged.graph = settings.graph.empty() ? std::string(kCacheGraphDefault) : settings.graph;
    merged.graph_origin = settings.graph.empty() ? "default" : settings.graph_origin;
    if (!is_cache_name(merged.graph))
        return Error(ErrorCode::malformed,
                     merged.graph_origin + ": " + in_short_quotes(merged.graph) +
                         " is no name of a graph; it has 1 to 32 lower-case letters, digits and '-'");
    std::vector<std::string_view> known{kCacheGraphDefault};
    for (const MergedCache& layer : merged.layers)
        known.insert(known.end(), layer.setting.graphs.begin(), layer.setting.graphs.end());
    if (std::ranges::find(known, merged.graph) != known.end())
        return ok();
    return report_unknown(merged, settings.graph_author,
                          merged.graph_origin + ": " + no_such("graph", merged.graph, std::move(known)));
}

std::string why_unused(const CacheSetting& setting, const std::string& graph) {
    if (setting.off.value_or(false))
        return "off";
    if (!setting.graphs.empty() && std::ranges::find(setting.graphs, graph) == setting.graphs.end())
        return "not in the graph '" + graph + "'";
    return "";
}

Status complete_location(CacheSetting& setting, const std::string& folder, const std::string& home,
                         const FindVariable& find) {
    if (setting.author == CacheAuthor::project)
        setting.relative_to = folder;
    for (const auto& [key, member] :
         {std::pair("folder", &CacheSetting::folder), std::pair("url", &CacheSetting::url),
          std::pair("bundle", &CacheSetting::bundle), std::pair("token_file", &CacheSetting::token_file)}) {
        std::string& text = setting.*member;
        if (text.empty())
            continue;
        const bool is_path = member != &CacheSetting::url;
        auto expanded = expand_cache_text(is_path ? with_slashes(text) : text, home, find);
        if (!expanded)
            return std::move(expanded).error().with_context(origin_of(setting) + ": '" + key + "'");
        text = is_path ? path_in_project(setting.relative_to, with_slashes(*expanded)) : *std::move(expanded);
    }
    return ok();
}

}  // namespace

std::string origin_of(const CacheSetting& setting) {
    return setting.at.line != 0 ? setting.at.text() : printable(setting.at.file);
}

const CacheKeyOrigin* MergedCache::find_origin(std::string_view key) const {
    const auto origin = std::ranges::find(origins, key, &CacheKeyOrigin::key);
    return origin != origins.end() ? &*origin : nullptr;
}

bool MergedCache::is_of_project() const {
    const CacheKeyOrigin* const signers = find_origin("signed_by");
    return setting.author == CacheAuthor::project && (signers == nullptr || signers->author == CacheAuthor::project);
}

Result<MergedCaches> merge_caches(std::span<const CacheSetting> of_project, const std::string& folder,
                                  const CacheSettings& settings, const std::string& home, const FindVariable& find) {
    MergedCaches merged;
    const auto is_built_in = [](const CacheSetting& said) { return said.author == CacheAuthor::built_in; };
    for (const CacheSetting& said : settings.layers)
        if (is_built_in(said))
            FARDEL_TRY(apply_setting(merged, said));
    for (const CacheSetting& said : of_project)
        FARDEL_TRY(apply_setting(merged, said));
    for (const CacheSetting& said : settings.layers)
        if (!is_built_in(said))
            FARDEL_TRY(apply_setting(merged, said));
    FARDEL_TRY(order_layers(merged));
    FARDEL_TRY(choose_graph(merged, settings));
    for (MergedCache& layer : merged.layers) {
        layer.unused = why_unused(layer.setting, merged.graph);
        // A layer of another graph may name variables that only machines with that graph have.
        const Status complete = complete_location(layer.setting, folder, home, find);
        if (!complete && layer.unused.empty())
            return complete.error();
    }
    return merged;
}

}  // namespace fardel
