#include "project_tables.h"

namespace fardel {
namespace {

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
};

void finish_cache(ProjectCache& cache, TomlPosition at, Mistakes& mistakes) {
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

void read_caches(const KeyValue& value, Project& project) {
    read_tables<kCacheKeys, finish_cache, &Project::caches>(value, project);
}

}  // namespace fardel
