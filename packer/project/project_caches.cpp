// [own_cache] and [[cache]], in a project and in the files of a machine and its user.
#include <fardel/base/ascii.h>
#include <fardel/base/path_text.h>
#include <fardel/packer/project_cache.h>

#include "cache_variables.h"
#include "project_tables.h"

#include <array>
#include <string>
#include <utility>

namespace fardel {
namespace {

constexpr std::int64_t kUnusedDaysMax = 36'500;
constexpr std::size_t kCacheNameBytesMax = 32;
constexpr std::string_view kOwnFileAdvice = "name the layer in your own file, ~/.config/fardel/config.toml";

Status verify_cache_name(std::string_view text) {
    if (!is_cache_name(text))
        return Error(ErrorCode::malformed, "a name has 1 to 32 lower-case letters, digits and '-', such as \"farm-2\"");
    return ok();
}

void read_layer_name(const KeyValue& value, CacheSetting& cache) {
    value.read(cache.name, verify_cache_name);
    // "graph" because FARDEL_CACHE_GRAPH is no layer.
    if (cache.name == kOwnCacheName || cache.name == "graph")
        value.mistake(in_short_quotes(cache.name) + " has a meaning already; write another name, such as \"farm\"");
}

void read_graphs(const KeyValue& value, CacheSetting& cache) {
    value.read(cache.graphs, verify_cache_name);
    if (cache.graphs.empty())
        value.mistake("'graphs' is empty; write graphs = [\"farm\"], or off = true");
}

// Reads a text that may have variables.
template <std::string CacheSetting::*member>
void read_with_variables(const KeyValue& value, CacheSetting& cache) {
    value.read(cache.*member);
    if (const auto names = cache_variables(cache.*member); !names)
        value.mistake(names.error().message());
}

void read_slow(const KeyValue& value, CacheSetting& cache) {
    const auto* const ms = value.expect<std::int64_t>();
    if (!ms)
        return;
    if (*ms < 1 || *ms > 600'000)
        value.mistake("'slow_ms' is " + std::to_string(*ms) + "; it is from 1 to 600000 milliseconds");
    else
        cache.slow = std::chrono::milliseconds(*ms);
}

void read_signed_by(const KeyValue& value, CacheSetting& cache) {
    std::vector<std::string> keys;
    value.read(keys, [](std::string_view key) {
        const auto parsed = PublicKey::parse(key);
        return parsed ? ok() : Status(parsed.error());
    });
    if (keys.empty())
        return value.mistake("'signed_by' has no key, so no record could be used; write " + std::string(value.example));
    for (const std::string& key : keys)
        if (const auto parsed = PublicKey::parse(key))
            cache.signed_by.push_back(*parsed);
}

void read_url(const KeyValue& value, CacheSetting& cache) {
    read_with_variables<&CacheSetting::url>(value, cache);
    if (!cache.url.empty() && !cache.url.starts_with("http://") && !cache.url.starts_with("https://") &&
        !cache.url.starts_with("${"))
        value.mistake(in_short_quotes(cache.url) + " begins with neither http:// nor https://; write " +
                      std::string(value.example));
}

template <class Owner, CacheLimits Owner::*limits>
void read_cache_bytes(const KeyValue& value, Owner& owner) {
    const auto* const bytes = value.expect<std::int64_t>();
    if (bytes && *bytes < 0)
        value.mistake("'bytes_max' is below 0; write bytes_max = 20_000_000_000");
    else if (bytes)
        (owner.*limits).bytes_max = static_cast<std::uint64_t>(*bytes);
}

template <class Owner, CacheLimits Owner::*limits>
void read_cache_days(const KeyValue& value, Owner& owner) {
    const auto* const days = value.expect<std::int64_t>();
    if (days && (*days < 0 || *days > kUnusedDaysMax))
        value.mistake("'unused_days' is " + std::to_string(*days) + "; it is from 0 to " +
                      std::to_string(kUnusedDaysMax));
    else if (days)
        (owner.*limits).unused_days = static_cast<std::uint32_t>(*days);
}

constexpr Key<Project> kOwnCacheKeys[] = {
    {"bytes_max", read_cache_bytes<Project, &Project::own_cache>, "bytes_max = 20_000_000_000"},
    {"unused_days", read_cache_days<Project, &Project::own_cache>, "unused_days = 30"},
};

constexpr Key<CacheSetting> kCacheKeys[] = {
    {"name", read_layer_name, "name = \"farm\""},
    {"folder", read_with_variables<&CacheSetting::folder>, "folder = \"/mnt/share/cache\""},
    {"shared", read_member<&CacheSetting::shared>},
    {"url", read_url, "url = \"http://cache.example/game\""},
    {"token_file", read_with_variables<&CacheSetting::token_file>, "token_file = \"cache.token\""},
    {"bundle", read_with_variables<&CacheSetting::bundle>, "bundle = \"cache.fardel\""},
    {"off", read_member<&CacheSetting::off>},
    {"read", read_member<&CacheSetting::read>},
    {"write", read_member<&CacheSetting::write>},
    {"fill", read_member<&CacheSetting::fill>},
    {"signed_by", read_signed_by, "signed_by = [\"the 64 digits of a public key\"]"},
    {"slow_ms", read_slow, "slow_ms = 2000"},
    {"graphs", read_graphs, "graphs = [\"farm\"]"},
    {"before", read_verified<verify_cache_name, &CacheSetting::before>, "before = \"farm\""},
    {"bytes_max", read_cache_bytes<CacheSetting, &CacheSetting::limits>, "bytes_max = 20_000_000_000"},
    {"unused_days", read_cache_days<CacheSetting, &CacheSetting::limits>, "unused_days = 30"},
};

int count_locations(const CacheSetting& cache) {
    return !cache.folder.empty() + !cache.url.empty() + !cache.bundle.empty();
}

void finish_any_cache(CacheSetting& cache, TomlPosition at, Mistakes& mistakes) {
    const bool is_elsewhere = count_locations(cache) == 1 && cache.folder.empty();
    if (count_locations(cache) > 1)
        mistakes.add(at, "a [[cache]] has one of 'folder', 'url' and 'bundle'; write folder = \"/mnt/share/cache\"");
    if (cache.shared && cache.folder.empty())
        mistakes.add(at, "'shared' is for a folder; remove it");
    if (!cache.limits.is_empty() && is_elsewhere)
        mistakes.add(at, "'bytes_max' and 'unused_days' are for a folder; remove them");
    if (!cache.token_file.empty() && cache.url.empty())
        mistakes.add(at, "'token_file' is for the url beside it; write both, or remove it");
    if (!cache.read.value_or(true) && !cache.write.value_or(true) && !cache.fill.value_or(true))
        mistakes.add(at, "this [[cache]] is neither read nor written; remove it, or write off = true");
}

// A project may be somebody else's: its server must not learn variables, and none of its paths is to have the value of
// one that may be secret. Its token is a file of its own.
void verify_foreign_texts(const CacheSetting& cache, TomlPosition at, Mistakes& mistakes) {
    constexpr std::string_view kOpenVariables[] = {"HOME", "USER", "USERPROFILE", "USERNAME"};
    const auto forbid = [&](std::string_view key, const std::string& text, bool forbids_all) {
        const auto names = cache_variables(text);
        for (const std::string& name : names ? *names : std::vector<std::string>()) {
            if (!forbids_all && std::ranges::find(kOpenVariables, name) != std::end(kOpenVariables))
                continue;
            mistakes.add(at, "'" + std::string(key) + "' has the variable " + in_short_quotes(name) +
                                 ", which a project may not read there; " + std::string(kOwnFileAdvice));
        }
    };
    forbid("url", cache.url, true);
    forbid("token_file", cache.token_file, true);
    forbid("folder", cache.folder, false);
    forbid("bundle", cache.bundle, false);
    if (cache.token_file.starts_with("~"))
        mistakes.add(at, "'token_file' of a project is a file of its folder; " + std::string(kOwnFileAdvice));
}

void finish_project_cache(CacheSetting& cache, TomlPosition at, Mistakes& mistakes) {
    if (cache.name == kUserCacheName)
        mistakes.add(at, "'user' is a layer of whoever builds the project; write another name, such as \"farm\"");
    if (count_locations(cache) == 0)
        mistakes.add(at, "a [[cache]] has one of 'folder', 'url' and 'bundle'; write folder = \"/mnt/share/cache\"");
    verify_foreign_texts(cache, at, mistakes);
    finish_any_cache(cache, at, mistakes);
}

void finish_configured_cache(CacheSetting& cache, TomlPosition at, Mistakes& mistakes) {
    if (cache.name.empty())
        mistakes.add(at, "a [[cache]] of this file has a name; write name = \"farm\"");
    finish_any_cache(cache, at, mistakes);
}

void set_origin(std::vector<CacheSetting>& settings, CacheAuthor author, std::string_view file) {
    for (CacheSetting& setting : settings) {
        setting.author = author;
        setting.relative_to = folder_part(file);
    }
}

void report_equal_names(const std::vector<CacheSetting>& settings, Mistakes& mistakes) {
    for (std::size_t i = 0; i < settings.size(); ++i)
        for (std::size_t k = 0; k < i; ++k)
            if (!settings[i].name.empty() && settings[i].name == settings[k].name)
                mistakes.add(mistakes.position(settings[i].at), "there is a [[cache]] with the name " +
                                                                    in_short_quotes(settings[i].name) +
                                                                    " already; write another name");
}

// "folder", "server" or "bundle"; the second one of a kind is "folder-2".
void name_unnamed(std::vector<CacheSetting>& settings) {
    const auto is_taken = [&](const std::string& name) {
        return std::ranges::find(settings, name, &CacheSetting::name) != settings.end();
    };
    for (CacheSetting& setting : settings) {
        if (!setting.name.empty())
            continue;
        const std::string kind = !setting.folder.empty() ? "folder" : !setting.url.empty() ? "server" : "bundle";
        std::string name = kind;
        for (int number = 2; is_taken(name); ++number)
            name = kind + "-" + std::to_string(number);
        setting.name = std::move(name);
    }
}

void read_graph(const KeyValue& value, CacheSettings& settings) {
    value.read(settings.graph, verify_cache_name);
    settings.graph_origin = std::to_string(value.entry.at.line);
}

void read_configured_caches(const KeyValue& value, CacheSettings& settings) {
    read_tables<kCacheKeys, finish_configured_cache, &CacheSettings::layers>(value, settings);
    report_equal_names(settings.layers, value.mistakes);
}

constexpr Key<CacheSettings> kConfigurationKeys[] = {
    {"cache_graph", read_graph, "cache_graph = \"farm\""},
    {"cache", read_configured_caches},
};

bool is_url(std::string_view text) { return text.starts_with("http://") || text.starts_with("https://"); }

}  // namespace

bool is_cache_name(std::string_view text) noexcept {
    return !text.empty() && text.size() <= kCacheNameBytesMax && text.front() != '-' &&
           std::ranges::all_of(text, [](char c) { return is_ascii_lower(c) || is_ascii_digit(c) || c == '-'; });
}

void read_own_cache(const KeyValue& value, Project& project) {
    if (const auto* const table = value.expect<TomlTable>())
        read_table<Project>(*table, "in [own_cache]", kOwnCacheKeys, project, value.mistakes);
}

void read_caches(const KeyValue& value, Project& project) {
    read_tables<kCacheKeys, finish_project_cache, &Project::caches>(value, project);
    report_equal_names(project.caches, value.mistakes);
    set_origin(project.caches, CacheAuthor::project, project.file);
    name_unnamed(project.caches);
}

Result<CacheSettings> parse_cache_settings(std::string_view text, std::string_view file, CacheAuthor author) {
    FARDEL_TRY_ASSIGN(const TomlTable table, parse_toml(text, file));
    CacheSettings settings;
    Mistakes mistakes(file);
    read_table<CacheSettings>(table, "at the top of this file", kConfigurationKeys, settings, mistakes);
    FARDEL_TRY(mistakes.status());
    set_origin(settings.layers, author, file);
    settings.graph_author = author;
    settings.graph_origin = printable(file) + ":" + settings.graph_origin;
    return settings;
}

Result<CacheSetting> parse_cache_setting(std::string_view name, std::string_view value, CacheAuthor author,
                                         std::string_view origin) {
    const auto refuse = [&](const std::string& text) {
        return Error(ErrorCode::malformed, printable(origin) + ": " + text);
    };
    if (!is_cache_name(name) || name == kOwnCacheName || name == "graph")
        return refuse(in_short_quotes(name) + " is no name of a layer; 'fardel cache layers' lists them");
    CacheSetting setting{.name = std::string(name), .author = author, .at = {.file = std::string(origin)}};
    if (value.empty())
        return refuse("there is no value; write a path, a URL, off, on or read-only");
    if (value.size() > kPathBytesMax)
        return refuse("the value has " + std::to_string(value.size()) + " bytes; at most 4096");
    if (value == "read-only") {
        setting.write = setting.fill = false;
        return setting;
    }
    setting.off = value == "off";  // who names a location wants the layer
    if (value == "off" || value == "on")
        return setting;
    if (const auto variables = cache_variables(value); !variables)
        return refuse(variables.error().message());
    if (!is_url(value) && value.find("://") != std::string_view::npos)
        return refuse(in_short_quotes(value) + " begins with neither http:// nor https://");
    (is_url(value) ? setting.url : value.ends_with(".fardel") ? setting.bundle : setting.folder) = value;
    return setting;
}

}  // namespace fardel
