#include "project_tables.h"

namespace fardel {
namespace {

constexpr std::int64_t kUnusedDaysMax = 36'500;

void read_slow(const KeyValue& value, ProjectCache& cache) {
    const auto* const ms = value.expect<std::int64_t>();
    if (!ms)
        return;
    if (*ms < 1 || *ms > 600'000)
        value.mistake("'slow_ms' is " + std::to_string(*ms) + "; it is from 1 to 600000 milliseconds");
    else
        cache.slow = std::chrono::milliseconds(*ms);
}

void read_signed_by(const KeyValue& value, ProjectCache& cache) {
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

void read_url(const KeyValue& value, ProjectCache& cache) {
    value.read(cache.url);
    if (!cache.url.empty() && !cache.url.starts_with("http://") && !cache.url.starts_with("https://"))
        value.mistake(in_short_quotes(cache.url) + " begins with neither http:// nor https://; write " +
                      std::string(value.example));
}

template <class Owner, ProjectCacheLimits Owner::*limits>
void read_cache_bytes(const KeyValue& value, Owner& owner) {
    const auto* const bytes = value.expect<std::int64_t>();
    if (bytes && *bytes < 0)
        value.mistake("'bytes_max' is below 0; write bytes_max = 20_000_000_000");
    else if (bytes)
        (owner.*limits).bytes_max = static_cast<std::uint64_t>(*bytes);
}

template <class Owner, ProjectCacheLimits Owner::*limits>
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

constexpr Key<ProjectCache> kCacheKeys[] = {
    {"folder", read_member<&ProjectCache::folder>, "folder = \"/mnt/share/cache\""},
    {"shared", read_member<&ProjectCache::shared>},
    {"url", read_url, "url = \"http://cache.example/game\""},
    {"token_file", read_member<&ProjectCache::token_file>, "token_file = \"cache.token\""},
    {"bundle", read_member<&ProjectCache::bundle>, "bundle = \"cache.fardel\""},
    {"read", read_member<&ProjectCache::read>},
    {"write", read_member<&ProjectCache::write>},
    {"fill", read_member<&ProjectCache::fill>},
    {"signed_by", read_signed_by, "signed_by = [\"the 64 digits of a public key\"]"},
    {"slow_ms", read_slow, "slow_ms = 2000"},
    {"bytes_max", read_cache_bytes<ProjectCache, &ProjectCache::limits>, "bytes_max = 20_000_000_000"},
    {"unused_days", read_cache_days<ProjectCache, &ProjectCache::limits>, "unused_days = 30"},
};

void finish_cache(ProjectCache& cache, TomlPosition at, Mistakes& mistakes) {
    const int kinds = !cache.folder.empty() + !cache.url.empty() + !cache.bundle.empty();
    if (kinds != 1)
        mistakes.add(at, "a [[cache]] has one of 'folder', 'url' and 'bundle'; write folder = \"/mnt/share/cache\"");
    if (cache.shared && cache.folder.empty())
        mistakes.add(at, "'shared' is for a folder; remove it");
    if (!cache.limits.is_empty() && cache.folder.empty())
        mistakes.add(at, "'bytes_max' and 'unused_days' are for a folder; remove them");
    if (!cache.token_file.empty() && cache.url.empty())
        mistakes.add(at, "'token_file' is for a url; remove it");
    if (!cache.read && !cache.write && !cache.fill)
        mistakes.add(at, "this [[cache]] is neither read nor written; remove it");
}

}  // namespace

void read_own_cache(const KeyValue& value, Project& project) {
    if (const auto* const table = value.expect<TomlTable>())
        read_table<Project>(*table, "in [own_cache]", kOwnCacheKeys, project, value.mistakes);
}

void read_caches(const KeyValue& value, Project& project) {
    read_tables<kCacheKeys, finish_cache, &Project::caches>(value, project);
}

}  // namespace fardel
