// The functions of fardel_cache.h.
#include <fardel/cache/fardel_cache.h>

#include <fardel/cache/cache_queue.h>
#include <fardel/format/c_interface.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

struct fardel_cache {
    std::unique_ptr<fardel::CacheQueue> queue;
};
struct fardel_cache_lookup {
    fardel::CacheLookup lookup;
};
struct fardel_cache_built {
    std::vector<std::byte> bytes;
};

namespace fardel::c {
namespace {

constexpr std::size_t kCacheOptionsBytesLeast = offsetof(fardel_cache_options, flags) + sizeof(std::uint32_t);
constexpr std::size_t kCacheKeyBytesLeast = offsetof(fardel_cache_key, input_count) + sizeof(std::size_t);
constexpr std::size_t kLookupOptionsBytesLeast = offsetof(fardel_lookup_options, build) + sizeof(void*);
constexpr std::uint32_t kCacheThreadsMax = 64;
constexpr std::uint32_t kCacheFlags = FARDEL_CACHE_SERVER_READ_ONLY | FARDEL_CACHE_NO_MEMORY;

// ---- What the caller gives ------------------------------------------------------------------------------------------

std::string text_or_none(const char* text) { return text != nullptr ? text : ""; }

// More than this machine can address is as much as it can.
void set_size(std::uint64_t given, std::size_t& out) {
    if (given != 0)
        out = static_cast<std::size_t>(std::min<std::uint64_t>(given, std::numeric_limits<std::size_t>::max()));
}

fardel_code read_cache_options(const fardel_cache_options* given, CacheQueueOptions& out, const Report& report) {
    fardel_cache_options taken = FARDEL_CACHE_OPTIONS_INIT;
    if (const fardel_code bad = read_options(given, kCacheOptionsBytesLeast, taken, report); bad != FARDEL_OK)
        return bad;
    if ((taken.flags & ~kCacheFlags) != 0)
        return report.fail(FARDEL_ERROR_UNSUPPORTED, "a flag that this version of the library does not know");
    if (taken.threads > kCacheThreadsMax)
        return report.fail(FARDEL_ERROR_LIMIT, "a cache has at most 64 threads");
    std::vector<std::string> keys;
    if (!read_texts(taken.signed_by, taken.signed_by_count, keys))
        return report.argument("a null pointer among the keys");
    for (const std::string& text : keys) {
        const auto key = PublicKey::parse(text);
        if (!key)
            return report.fail(key.error());
        out.signers.push_back(*key);
    }
    out.folder = text_or_none(taken.folder);
    out.url = text_or_none(taken.url);
    out.token = text_or_none(taken.token);
    out.boot_path = text_or_none(taken.boot_path);
    out.writes_to_server = (taken.flags & FARDEL_CACHE_SERVER_READ_ONLY) == 0;
    set_size(taken.memory_bytes_max, out.memory_bytes_max);
    if ((taken.flags & FARDEL_CACHE_NO_MEMORY) != 0)
        out.memory_bytes_max = 0;
    set_size(taken.boot_bytes_max, out.boot_bytes_max);
    if (taken.folder_bytes_max != 0)
        out.folder_bytes_max = taken.folder_bytes_max;
    if (taken.threads != 0)
        out.threads = taken.threads;
    return FARDEL_OK;
}

// The key's ids, which need not be aligned as those of C++ are, are copied into `inputs`; texts are borrowed.
fardel_code read_cache_key(const fardel_cache_key* given, CacheKeyParts& out, std::vector<AssetId>& inputs,
                           const Report& report) {
    fardel_cache_key taken = FARDEL_CACHE_KEY_INIT;
    if (const fardel_code bad = read_options(given, kCacheKeyBytesLeast, taken, report); bad != FARDEL_OK)
        return bad;
    if ((taken.parameters == nullptr && taken.parameter_bytes != 0) ||
        (taken.inputs == nullptr && taken.input_count != 0))
        return report.argument("a key with a size and a null pointer");
    if (taken.input_count > kCacheKeyInputsMax)
        return report.fail(FARDEL_ERROR_LIMIT, "too many inputs in a key");
    for (std::size_t i = 0; i < taken.input_count; ++i)
        inputs.push_back(id_of<AssetId>(taken.inputs[i]));
    out = {.plugin = taken.plugin != nullptr ? taken.plugin : "",
           .version = taken.version != nullptr ? taken.version : "",
           .parameters = {static_cast<const std::byte*>(taken.parameters), taken.parameter_bytes},
           .inputs = inputs};
    return FARDEL_OK;
}

// Calls `work` with the key.
template <class Work>
fardel_code with_cache_key(const fardel_cache_key* given, const Report& report, const Work& work) {
    CacheKeyParts parts;
    std::vector<AssetId> inputs;
    if (const fardel_code bad = read_cache_key(given, parts, inputs, report); bad != FARDEL_OK)
        return bad;
    return work(parts);
}

CacheBuild build_of(const fardel_lookup_options& options) {
    if (options.build == nullptr)
        return nullptr;
    return [options]() -> Result<std::vector<std::byte>> {
        fardel_cache_built built;
        fardel_error error = FARDEL_ERROR_INIT;
        const fardel_code code = options.build(options.context, &built, &error);
        if (code == FARDEL_OK)
            return std::move(built.bytes);
        error.text[sizeof error.text - 1] = '\0';
        return Error(error_code_of(code), error.text[0] != '\0' ? error.text : "the function that builds it failed");
    };
}

// ---- What the caller gets -------------------------------------------------------------------------------------------

std::uint64_t whole_us(std::chrono::microseconds time) { return static_cast<std::uint64_t>(time.count()); }

fardel_cache_plugin plain_plugin(const CachePluginStatistics& plugin) {
    return {.struct_size = sizeof(fardel_cache_plugin),
            .plugin = plugin.plugin.c_str(),
            .hits = plugin.hits,
            .misses = plugin.misses,
            .builds = plugin.builds,
            .failed_builds = plugin.failed_builds,
            .found_bytes = plugin.found_bytes,
            .built_bytes = plugin.built_bytes,
            .build_us = whole_us(plugin.building)};
}

fardel_cache_layer plain_layer(const CacheLayerStatistics& layer) {
    const std::string& problem = !layer.left_out.empty() ? layer.left_out
                                 : !layer.error.empty()  ? layer.error
                                                         : layer.refusal;
    return {.struct_size = sizeof(fardel_cache_layer),
            .layer = layer.layer.c_str(),
            .name = layer.name.c_str(),
            .hits = layer.hits,
            .misses = layer.misses,
            .broken = layer.broken,
            .refused = layer.refused,
            .errors = layer.errors,
            .read_bytes = layer.bytes_read,
            .written_bytes = layer.bytes_written,
            .waited_us = whole_us(layer.waited),
            .problem = problem.c_str()};
}

template <class Values, class Listed, class Plain>
fardel_code list(const Values& values, Listed listed, void* context, std::size_t* count, const Plain& plain) {
    for (const auto& value : values) {
        const auto out = plain(value);
        if (listed != nullptr)
            listed(context, &out);
    }
    if (count != nullptr)
        *count = values.size();
    return FARDEL_OK;
}

}  // namespace
}  // namespace fardel::c

using namespace fardel;
using namespace fardel::c;

// ---- Structs --------------------------------------------------------------------------------------------------------

void fardel_cache_options_init(fardel_cache_options* options, size_t struct_size) {
    init(fardel_cache_options FARDEL_CACHE_OPTIONS_INIT, options, struct_size);
}

void fardel_cache_key_init(fardel_cache_key* key, size_t struct_size) {
    init(fardel_cache_key FARDEL_CACHE_KEY_INIT, key, struct_size);
}

void fardel_lookup_options_init(fardel_lookup_options* options, size_t struct_size) {
    init(fardel_lookup_options FARDEL_LOOKUP_OPTIONS_INIT, options, struct_size);
}

// ---- Caches ---------------------------------------------------------------------------------------------------------

fardel_code fardel_cache_open(const fardel_cache_options* options, fardel_cache** cache, fardel_error* error) {
    if (cache != nullptr)
        *cache = nullptr;
    return call(error, cache != nullptr, [&](const Report& report) {
        CacheQueueOptions taken;
        if (const fardel_code bad = read_cache_options(options, taken, report); bad != FARDEL_OK)
            return bad;
        return report.end(CacheQueue::open(std::move(taken)),
                          [&](auto opened) { *cache = new fardel_cache{std::move(opened)}; });
    });
}

fardel_code fardel_cache_add_bundle(fardel_cache* cache, const char* path, fardel_error* error) {
    return call(error, cache != nullptr && path != nullptr,
                [&](const Report& report) { return report.end(cache->queue->add_bundle(path)); });
}

fardel_code fardel_cache_close(fardel_cache* cache, fardel_error* error) {
    const std::unique_ptr<fardel_cache> owned(cache);
    if (!owned)
        return FARDEL_OK;
    return call(error, true, [&](const Report& report) { return report.end(owned->queue->close()); });
}

fardel_code fardel_cache_key_id(const fardel_cache_key* key, fardel_id* id, fardel_error* error) {
    return call(error, key != nullptr && id != nullptr, [&](const Report& report) {
        return with_cache_key(key, report, [&](const CacheKeyParts& parts) {
            return report.end(cache_key_of(parts), [&](const BuildKey& hash) { *id = plain_id(hash); });
        });
    });
}

// ---- Look-ups -------------------------------------------------------------------------------------------------------

fardel_code fardel_cache_add_bytes(fardel_cache_built* built, const void* bytes, size_t size_bytes,
                                   fardel_error* error) {
    return call(error, built != nullptr && (bytes != nullptr || size_bytes == 0), [&](const Report&) {
        const auto* const first = static_cast<const std::byte*>(bytes);
        built->bytes.insert(built->bytes.end(), first, first + size_bytes);
        return fardel_code{FARDEL_OK};
    });
}

fardel_code fardel_cache_get(fardel_cache* cache, const fardel_cache_key* key, const fardel_lookup_options* options,
                             fardel_cache_lookup** lookup, fardel_error* error) {
    if (lookup != nullptr)
        *lookup = nullptr;
    return call(error, cache != nullptr && key != nullptr && lookup != nullptr, [&](const Report& report) {
        fardel_lookup_options taken = FARDEL_LOOKUP_OPTIONS_INIT;
        if (const fardel_code bad = read_options(options, kLookupOptionsBytesLeast, taken, report); bad != FARDEL_OK)
            return bad;
        return with_cache_key(key, report, [&](const CacheKeyParts& parts) {
            return report.end(cache->queue->get(parts, {.priority = taken.priority, .build = build_of(taken)}),
                              [&](CacheLookup started) { *lookup = new fardel_cache_lookup{std::move(started)}; });
        });
    });
}

fardel_code fardel_lookup_poll(const fardel_cache_lookup* lookup, uint32_t wait_max_ms, int32_t* has_ended,
                               fardel_error* error) {
    if (has_ended != nullptr)
        *has_ended = 0;
    return call(error, lookup != nullptr, [&](const Report&) {
        const auto wait_max = wait_max_ms == std::numeric_limits<std::uint32_t>::max()
                                  ? std::chrono::milliseconds::max()
                                  : std::chrono::milliseconds(wait_max_ms);
        const bool ended = lookup->lookup.poll(wait_max);
        if (has_ended != nullptr)
            *has_ended = ended ? 1 : 0;
        return fardel_code{FARDEL_OK};
    });
}

fardel_code fardel_lookup_bytes(const fardel_cache_lookup* lookup, const void** bytes, size_t* size_bytes,
                                fardel_error* error) {
    return call(error, lookup != nullptr && bytes != nullptr && size_bytes != nullptr, [&](const Report& report) {
        *bytes = nullptr;
        *size_bytes = 0;
        // The look-up itself keeps the bytes.
        return report.end(lookup->lookup.result(), [&](const CacheBytes& found) {
            *bytes = found->data();
            *size_bytes = found->size();
        });
    });
}

void fardel_lookup_set_priority(fardel_cache_lookup* lookup, int32_t priority) {
    if (lookup != nullptr)
        lookup->lookup.set_priority(priority);
}

void fardel_lookup_cancel(fardel_cache_lookup* lookup) {
    if (lookup != nullptr)
        lookup->lookup.cancel();
}

void fardel_lookup_release(fardel_cache_lookup* lookup) { delete lookup; }

fardel_code fardel_cache_put(fardel_cache* cache, const fardel_cache_key* key, const void* bytes, size_t size_bytes,
                             fardel_error* error) {
    return call(error, cache != nullptr && key != nullptr && (bytes != nullptr || size_bytes == 0),
                [&](const Report& report) {
                    return with_cache_key(key, report, [&](const CacheKeyParts& parts) {
                        const auto* const first = static_cast<const std::byte*>(bytes);
                        return report.end(cache->queue->put(parts, {first, first + size_bytes}));
                    });
                });
}

// ---- Statistics -----------------------------------------------------------------------------------------------------

fardel_code fardel_cache_list_plugins(const fardel_cache* cache, fardel_cache_plugin_listed listed, void* context,
                                      size_t* count, fardel_error* error) {
    return call(error, cache != nullptr, [&](const Report&) {
        return list(cache->queue->plugin_statistics(), listed, context, count, plain_plugin);
    });
}

fardel_code fardel_cache_list_layers(const fardel_cache* cache, fardel_cache_layer_listed listed, void* context,
                                     size_t* count, fardel_error* error) {
    return call(error, cache != nullptr, [&](const Report&) {
        return list(cache->queue->layer_statistics().layers, listed, context, count, plain_layer);
    });
}
