// The functions of fardel_cache.h, as an editor in C calls them.
#include <fardel/cache/fardel_cache.h>

#include "kit/bytes.h"
#include "kit/files.h"
#include "kit/ids.h"

#include <fardel/cache/cache_layers.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <utility>

namespace fardel::tests::cache_functions_test {

struct Cache {
    explicit Cache(const fardel_cache_options& options) {
        fardel_error error = FARDEL_ERROR_INIT;
        REQUIRE_MESSAGE(fardel_cache_open(&options, &cache, &error) == FARDEL_OK, error.text);
    }
    ~Cache() { fardel_cache_close(cache, nullptr); }
    Cache(const Cache&) = delete;
    Cache& operator=(const Cache&) = delete;
    fardel_code close() { return fardel_cache_close(std::exchange(cache, nullptr), nullptr); }
    fardel_cache* cache = nullptr;
};

// It refers to the text.
fardel_cache_key key_with(std::string&&) = delete;
fardel_cache_key key_with(const std::string& parameters) {
    fardel_cache_key key = FARDEL_CACHE_KEY_INIT;
    key.plugin = "meshes";
    key.version = "2";
    key.parameters = parameters.data();
    key.parameter_bytes = parameters.size();
    return key;
}

fardel_cache_options with_folder(std::string&&) = delete;
fardel_cache_options with_folder(const std::string& folder) {
    fardel_cache_options options = FARDEL_CACHE_OPTIONS_INIT;
    options.folder = folder.c_str();
    return options;
}

struct Answer {
    fardel_code code = FARDEL_OK;
    std::string text;  // the bytes, or the error's text
};

Answer answer_of(const fardel_cache_lookup* lookup) {
    std::int32_t has_ended = 0;
    fardel_error error = FARDEL_ERROR_INIT;
    REQUIRE(fardel_lookup_poll(lookup, 60'000, &has_ended, nullptr) == FARDEL_OK);
    REQUIRE(has_ended == 1);
    const void* bytes = nullptr;
    std::size_t size_bytes = 0;
    const fardel_code code = fardel_lookup_bytes(lookup, &bytes, &size_bytes, &error);
    return {code, code == FARDEL_OK ? std::string(static_cast<const char*>(bytes), size_bytes) : error.text};
}

Answer get(fardel_cache* cache, const std::string& parameters, const fardel_lookup_options* options = nullptr) {
    const fardel_cache_key key = key_with(parameters);
    fardel_cache_lookup* lookup = nullptr;
    REQUIRE(fardel_cache_get(cache, &key, options, &lookup, nullptr) == FARDEL_OK);
    const Answer answer = answer_of(lookup);
    fardel_lookup_release(lookup);
    return answer;
}

fardel_code put(fardel_cache* cache, const std::string& parameters, const std::string& bytes) {
    const fardel_cache_key key = key_with(parameters);
    return fardel_cache_put(cache, &key, bytes.data(), bytes.size(), nullptr);
}

std::map<std::string, std::uint64_t> layer_hits(const fardel_cache* cache) {
    std::map<std::string, std::uint64_t> hits;
    const auto listed = [](void* context, const fardel_cache_layer* layer) {
        (*static_cast<std::map<std::string, std::uint64_t>*>(context))[layer->layer] = layer->hits;
    };
    std::size_t count = 0;
    REQUIRE(fardel_cache_list_layers(cache, listed, &hits, &count, nullptr) == FARDEL_OK);
    CHECK(count == hits.size());
    return hits;
}

TEST_CASE("C cache: what is put is got, with statistics, and a later cache has it") {
    const ScratchFolder scratch;
    const std::string folder = scratch.path("cache");
    Cache first(with_folder(folder));
    CHECK(get(first.cache, "a").code == FARDEL_ERROR_MISSING);
    CHECK(put(first.cache, "a", "triangles") == FARDEL_OK);
    CHECK(put(first.cache, "empty", "") == FARDEL_OK);
    CHECK(get(first.cache, "a").text == "triangles");
    CHECK(get(first.cache, "empty").code == FARDEL_OK);
    CHECK(layer_hits(first.cache) ==
          std::map<std::string, std::uint64_t>{{"memory", 2}, {"folder", 0}, {"bundles", 0}});
    std::string said;
    const auto listed = [](void* context, const fardel_cache_plugin* plugin) {
        *static_cast<std::string*>(context) += std::string(plugin->plugin) + " " + std::to_string(plugin->hits) + " " +
                                               std::to_string(plugin->misses) + " " +
                                               std::to_string(plugin->found_bytes);
    };
    CHECK(fardel_cache_list_plugins(first.cache, listed, &said, nullptr, nullptr) == FARDEL_OK);
    CHECK(said == "meshes 2 1 9");
    CHECK(first.close() == FARDEL_OK);

    const Cache second(with_folder(folder));
    CHECK(get(second.cache, "a").text == "triangles");
    CHECK(layer_hits(second.cache)["folder"] == 1);
}

TEST_CASE("C cache: the function of a look-up builds what is missing, once") {
    const Cache cache(fardel_cache_options FARDEL_CACHE_OPTIONS_INIT);
    std::atomic<int> calls = 0;
    fardel_lookup_options options = FARDEL_LOOKUP_OPTIONS_INIT;
    options.context = &calls;
    options.build = [](void* context, fardel_cache_built* built, fardel_error* error) -> fardel_code {
        ++*static_cast<std::atomic<int>*>(context);
        fardel_cache_add_bytes(built, "two ", 4, error);
        return fardel_cache_add_bytes(built, "parts", 5, error);
    };
    CHECK(get(cache.cache, "a", &options).text == "two parts");
    CHECK(get(cache.cache, "a", &options).text == "two parts");
    CHECK(calls == 1);
    options.build = [](void*, fardel_cache_built* built, fardel_error* error) -> fardel_code {
        fardel_cache_add_bytes(built, "half", 4, nullptr);
        std::strcpy(error->text, "the shader has an error in line 7");
        return FARDEL_ERROR_MALFORMED;
    };
    const Answer failed = get(cache.cache, "b", &options);
    CHECK(failed.code == FARDEL_ERROR_MALFORMED);
    CHECK(failed.text == "the shader has an error in line 7");
    CHECK(get(cache.cache, "b").code == FARDEL_ERROR_MISSING);
    options.build = [](void*, fardel_cache_built*, fardel_error*) -> fardel_code { return FARDEL_ERROR_IO; };
    CHECK(get(cache.cache, "b", &options).code == FARDEL_ERROR_IO);
    CHECK(get(cache.cache, "b", &options).text == "the function that builds it failed");
}

TEST_CASE("C cache: a look-up waits without blocking, is cancelled, and outlives its cache") {
    fardel_cache_options options = FARDEL_CACHE_OPTIONS_INIT;
    options.threads = 1;
    Cache cache(options);
    std::atomic<bool> let_go = false;
    fardel_lookup_options held = FARDEL_LOOKUP_OPTIONS_INIT;
    held.context = &let_go;
    held.build = [](void* context, fardel_cache_built*, fardel_error*) -> fardel_code {
        while (!*static_cast<std::atomic<bool>*>(context))
            std::this_thread::yield();
        return FARDEL_OK;
    };
    const std::string first_text = "first", second_text = "second";
    const fardel_cache_key first_key = key_with(first_text), second_key = key_with(second_text);
    fardel_cache_lookup* first = nullptr;
    fardel_cache_lookup* second = nullptr;
    REQUIRE(fardel_cache_get(cache.cache, &first_key, &held, &first, nullptr) == FARDEL_OK);
    REQUIRE(fardel_cache_get(cache.cache, &second_key, nullptr, &second, nullptr) == FARDEL_OK);
    std::int32_t has_ended = 1;
    CHECK(fardel_lookup_poll(first, 0, &has_ended, nullptr) == FARDEL_OK);
    CHECK(has_ended == 0);
    const void* bytes = nullptr;
    std::size_t size_bytes = 0;
    CHECK(fardel_lookup_bytes(first, &bytes, &size_bytes, nullptr) == FARDEL_ERROR_BUSY);
    fardel_lookup_set_priority(second, 7);
    fardel_lookup_cancel(second);
    CHECK(answer_of(second).code == FARDEL_ERROR_CANCELLED);
    let_go = true;
    CHECK(fardel_lookup_poll(first, UINT32_MAX, &has_ended, nullptr) == FARDEL_OK);
    CHECK(cache.close() == FARDEL_OK);
    CHECK(answer_of(first).text.empty());
    fardel_lookup_release(first);
    fardel_lookup_release(second);
    fardel_lookup_release(nullptr);
}

TEST_CASE("C cache: a boot file gives the second start what the first one used") {
    const ScratchFolder scratch;
    const std::string folder = scratch.path("cache"), boot = scratch.path("boot");
    fardel_cache_options options = with_folder(folder);
    options.boot_path = boot.c_str();
    {
        Cache cache(options);
        CHECK(put(cache.cache, "a", "triangles") == FARDEL_OK);
        CHECK(cache.close() == FARDEL_OK);
    }
    std::filesystem::remove_all(folder);
    Cache cache(options);
    CHECK(get(cache.cache, "a").text == "triangles");
    CHECK(layer_hits(cache.cache)["boot"] == 1);
    CHECK(put(cache.cache, "b", "more") == FARDEL_OK);
    std::filesystem::remove(boot);
    std::filesystem::create_directory(boot);  // a file cannot replace it
    CHECK(cache.close() == FARDEL_ERROR_MALFORMED);
}

TEST_CASE("C cache: a bundle without a wanted signature gives a miss, and says why") {
    const ScratchFolder scratch;
    const std::string farm = scratch.path("farm"), bundle = scratch.path("farm.fardel");
    {
        Cache cache(with_folder(farm));
        CHECK(put(cache.cache, "a", "triangles") == FARDEL_OK);
    }
    value_of(export_cache_bundle(farm, bundle));
    fardel_cache_options options = FARDEL_CACHE_OPTIONS_INIT;
    SUBCASE("no signature is wanted") {
        const Cache cache(options);
        CHECK(fardel_cache_add_bundle(cache.cache, bundle.c_str(), nullptr) == FARDEL_OK);
        CHECK(get(cache.cache, "a").text == "triangles");
    }
    SUBCASE("one is wanted") {
        const std::string digits(64, '3');
        const char* const keys[] = {digits.c_str()};
        options.signed_by = keys;
        options.signed_by_count = 1;
        const Cache cache(options);
        CHECK(fardel_cache_add_bundle(cache.cache, bundle.c_str(), nullptr) == FARDEL_OK);
        CHECK(get(cache.cache, "a").code == FARDEL_ERROR_MISSING);
        std::string problem;
        const auto listed = [](void* context, const fardel_cache_layer* layer) {
            if (std::string(layer->layer) == "bundles" && layer->refused == 1)
                *static_cast<std::string*>(context) = layer->problem;
        };
        CHECK(fardel_cache_list_layers(cache.cache, listed, &problem, nullptr, nullptr) == FARDEL_OK);
        CHECK_FALSE(problem.empty());
    }
}

TEST_CASE("C cache: mistakes of the caller are refused, with a text") {
    fardel_error error = FARDEL_ERROR_INIT;
    fardel_cache* cache = nullptr;
    fardel_cache_options options = FARDEL_CACHE_OPTIONS_INIT;
    options.flags = 1u << 20;
    CHECK(fardel_cache_open(&options, &cache, &error) == FARDEL_ERROR_UNSUPPORTED);
    options.flags = FARDEL_CACHE_NO_MEMORY;
    CHECK(fardel_cache_open(&options, &cache, &error) == FARDEL_ERROR_MALFORMED);
    options.flags = 0;
    options.threads = 65;
    CHECK(fardel_cache_open(&options, &cache, &error) == FARDEL_ERROR_LIMIT);
    CHECK(cache == nullptr);
    CHECK(fardel_cache_open(nullptr, nullptr, &error) == FARDEL_ERROR_ARGUMENT);

    REQUIRE(fardel_cache_open(nullptr, &cache, &error) == FARDEL_OK);
    fardel_cache_key key = FARDEL_CACHE_KEY_INIT;
    fardel_cache_lookup* lookup = nullptr;
    CHECK(fardel_cache_get(cache, &key, nullptr, &lookup, &error) == FARDEL_ERROR_MALFORMED);
    CHECK(std::string(error.text).find("plug-in") != std::string::npos);
    CHECK(lookup == nullptr);
    key.plugin = "x";
    key.input_count = 3;
    CHECK(fardel_cache_put(cache, &key, "x", 1, &error) == FARDEL_ERROR_ARGUMENT);
    key.struct_size = 0;
    fardel_id id{};
    CHECK(fardel_cache_key_id(&key, &id, &error) == FARDEL_ERROR_ARGUMENT);
    CHECK(fardel_cache_add_bundle(cache, "/nowhere/x.fardel", &error) == FARDEL_ERROR_MISSING);
    CHECK(fardel_cache_close(cache, nullptr) == FARDEL_OK);
    CHECK(fardel_cache_close(nullptr, nullptr) == FARDEL_OK);
}

TEST_CASE("C cache: a key's id is that of its parts") {
    const std::string parameters = "quality=9";
    fardel_cache_key key = key_with(parameters);
    fardel_id id{}, other{};
    CHECK(fardel_cache_key_id(&key, &id, nullptr) == FARDEL_OK);
    fardel_id inputs[2] = {id, id};
    key.inputs = inputs;
    key.input_count = 2;
    CHECK(fardel_cache_key_id(&key, &other, nullptr) == FARDEL_OK);
    CHECK(std::memcmp(id.bytes, other.bytes, sizeof id.bytes) != 0);
}

}  // namespace fardel::tests::cache_functions_test
