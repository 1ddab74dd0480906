#include "project_caches.h"

namespace fardel {
namespace {

void read_slow(const TomlEntry& entry, ProjectCache& cache, Mistakes& mistakes) {
    const auto* const ms = expect<std::int64_t>(entry.value, entry.key, "slow_ms = 2000", mistakes);
    if (!ms)
        return;
    if (*ms < 1 || *ms > 600'000)
        mistakes.add(entry.value.at, "'slow_ms' is " + std::to_string(*ms) + "; it is from 1 to 600000 milliseconds");
    else
        cache.slow = std::chrono::milliseconds(*ms);
}

void read_url(const TomlEntry& entry, ProjectCache& cache, Mistakes& mistakes) {
    read_text(entry, "url = \"http://cache.example/game\"", cache.url, mistakes);
    if (!cache.url.empty() && !cache.url.starts_with("http://") && !cache.url.starts_with("https://"))
        mistakes.add(entry.value.at,
                     in_short_quotes(cache.url) +
                         " begins with neither http:// nor https://; write url = \"http://cache.example/game\"");
}

constexpr Key<ProjectCache> kCacheKeys[] = {
    {"folder", [](const TomlEntry& entry, ProjectCache& cache,
                  Mistakes& mistakes) { read_text(entry, "folder = \"/mnt/share/cache\"", cache.folder, mistakes); }},
    {"shared", [](const TomlEntry& entry, ProjectCache& cache,
                  Mistakes& mistakes) { read_truth(entry, cache.shared, mistakes); }},
    {"url", read_url},
    {"token_file",
     [](const TomlEntry& entry, ProjectCache& cache, Mistakes& mistakes) {
         read_text(entry, "token_file = \"cache.token\"", cache.token_file, mistakes);
     }},
    {"bundle", [](const TomlEntry& entry, ProjectCache& cache,
                  Mistakes& mistakes) { read_text(entry, "bundle = \"cache.fardel\"", cache.bundle, mistakes); }},
    {"read",
     [](const TomlEntry& entry, ProjectCache& cache, Mistakes& mistakes) { read_truth(entry, cache.read, mistakes); }},
    {"write",
     [](const TomlEntry& entry, ProjectCache& cache, Mistakes& mistakes) { read_truth(entry, cache.write, mistakes); }},
    {"fill",
     [](const TomlEntry& entry, ProjectCache& cache, Mistakes& mistakes) { read_truth(entry, cache.fill, mistakes); }},
    {"slow_ms", read_slow},
};

void finish_cache(ProjectCache& cache, TomlPosition at, Mistakes& mistakes) {
    cache.line = at.line;
    const int kinds = !cache.folder.empty() + !cache.url.empty() + !cache.bundle.empty();
    if (kinds != 1)
        mistakes.add(at, "a [[cache]] has one of 'folder', 'url' and 'bundle'; write folder = \"/mnt/share/cache\"");
    if (cache.shared && cache.folder.empty())
        mistakes.add(at, "'shared' is for a folder; remove it");
    if (!cache.token_file.empty() && cache.url.empty())
        mistakes.add(at, "'token_file' is for a url; remove it");
    if (!cache.read && !cache.write && !cache.fill)
        mistakes.add(at, "this [[cache]] is neither read nor written; remove it");
}

}  // namespace

void read_caches(const TomlEntry& entry, Project& project, Mistakes& mistakes) {
    read_tables<ProjectCache>(entry, kCacheKeys, project.caches, finish_cache, mistakes);
}

}  // namespace fardel
