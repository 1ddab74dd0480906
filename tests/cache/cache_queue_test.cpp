// Derived data as an editor asks for them: on threads, by priority, from a boot file.
#include <fardel/cache/cache_queue.h>

#include "kit/bytes.h"
#include "kit/files.h"
#include "kit/ids.h"

#include <fardel/cache/cache_layers.h>
#include <fardel/cache/cache_record.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/bundle_writer.h>
#include <fardel/format/hash.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <random>
#include <thread>

namespace fardel::tests::cache_queue_test {

using namespace std::chrono_literals;

constexpr auto kAWhile = 60s;

// Owns what its CacheKeyParts refer to.
struct Part {
    std::string plugin = "textures";
    std::string version = "1";
    Bytes parameters = {};
    std::vector<AssetId> inputs = {};

    CacheKeyParts key() const {
        return {.plugin = plugin, .version = version, .parameters = parameters, .inputs = inputs};
    }
};

Part part(int number) { return {.parameters = bytes_of("tile " + std::to_string(number))}; }
Bytes value_bytes(int number) { return bytes_of("made of " + std::to_string(number)); }
CacheBuild builds(int number) {
    return [number]() -> Result<Bytes> { return value_bytes(number); };
}

std::unique_ptr<CacheQueue> queue_of(CacheQueueOptions options) {
    return value_of(CacheQueue::open(std::move(options)));
}

Result<Bytes> bytes_of_request(const CacheLookup& request) {
    if (!request.poll(kAWhile))
        return Error(ErrorCode::busy, "it takes too long");
    FARDEL_TRY_ASSIGN(const CacheBytes bytes, request.result());
    return *bytes;
}

Result<Bytes> get(CacheQueue& queue, const Part& wanted, CacheWish wish = {}) {
    FARDEL_TRY_ASSIGN(const CacheLookup request, queue.get(wanted.key(), std::move(wish)));
    return bytes_of_request(request);
}

ErrorCode failure_of(const CacheLookup& request) {
    REQUIRE(request.poll(kAWhile));
    return code_of(request.result());
}

CachePluginStatistics plugin(const CacheQueue& queue, const std::string& name = "textures") {
    for (const CachePluginStatistics& one : queue.plugin_statistics())
        if (one.plugin == name)
            return one;
    return {};
}

CacheLayerStatistics layer(const CacheQueue& queue, const std::string& name) {
    for (const CacheLayerStatistics& one : queue.layer_statistics().layers)
        if (one.layer == name)
            return one;
    FAIL("no layer " << name);
    return {};
}

// A function whose call lasts until the test lets it end.
class HeldBuild {
public:
    CacheBuild function() {
        return [this]() -> Result<Bytes> {
            ++begun;
            while (!let_go)
                std::this_thread::sleep_for(1ms);
            return bytes_of("held");
        };
    }
    void wait_until_begun() const {
        while (begun == 0)
            std::this_thread::sleep_for(1ms);
    }
    std::atomic<int> begun = 0;
    std::atomic<bool> let_go = false;
};

TEST_CASE("cache queue: a key is the hash of its parts, the same everywhere") {
    Part parts{.plugin = "textures", .version = "3", .parameters = bytes_of("quality=9"), .inputs = {}};
    parts.inputs = {asset_id_of(bytes_of("wall")), asset_id_of(bytes_of("mask"))};
    // Made with b3sum of the fields as docs/derived-cache.md lists them.
    CHECK(value_of(cache_key_of(parts.key())).hex() ==
          "87c055b4cfafc960adbcc77c3a5d729abfa78acab7dfbc81b761cddb488e858a");
    const BuildKey key = value_of(cache_key_of(parts.key()));
    // No two parts run into each other.
    Part moved = parts;
    moved.plugin = "textures3";
    moved.version = "";
    CHECK(value_of(cache_key_of(moved.key())) != key);
    std::ranges::reverse(parts.inputs);
    CHECK(value_of(cache_key_of(parts.key())) != key);
}

TEST_CASE("cache queue: a key without a plug-in, or with texts that are too long, is refused") {
    CHECK(code_of(cache_key_of({.plugin = "", .version = "1"})) == ErrorCode::malformed);
    const std::string longest(kCacheKeyTextBytesMax, 'x');
    CHECK(cache_key_of({.plugin = longest, .version = longest}));
    CHECK(code_of(cache_key_of({.plugin = longest + "x", .version = ""})) == ErrorCode::limit);
    CHECK(code_of(cache_key_of({.plugin = "x", .version = longest + "x"})) == ErrorCode::limit);
}

TEST_CASE("cache queue: what was put is found, also by a queue that is opened later") {
    const ScratchFolder scratch;
    {
        const auto queue = queue_of({.folder = scratch.path("cache")});
        CHECK(code_of(get(*queue, part(1))) == ErrorCode::missing);
        require_good(queue->put(part(1).key(), value_bytes(1)));
        require_good(queue->put(part(2).key(), {}));
        CHECK(value_of(get(*queue, part(1))) == value_bytes(1));
        CHECK(value_of(get(*queue, part(2))).empty());
        CHECK(plugin(*queue).hits == 2);
        CHECK(plugin(*queue).misses == 1);
        require_good(queue->close());
        CHECK(code_of(queue->get(part(1).key())) == ErrorCode::cancelled);
    }
    const auto queue = queue_of({.folder = scratch.path("cache")});
    CHECK(value_of(get(*queue, part(1))) == value_bytes(1));
    CHECK(layer(*queue, "folder").hits == 1);
}

TEST_CASE("cache queue: requests of one key at the same time are one build") {
    const auto queue = queue_of({.threads = 4});
    std::atomic<int> calls = 0;
    const CacheBuild slow = [&]() -> Result<Bytes> {
        ++calls;
        std::this_thread::sleep_for(20ms);
        return value_bytes(7);
    };
    std::vector<CacheLookup> requests;
    for (int i = 0; i < 50; ++i)
        requests.push_back(value_of(queue->get(part(7).key(), {.build = slow})));
    for (const CacheLookup& request : requests)
        CHECK(value_of(bytes_of_request(request)) == value_bytes(7));
    CHECK(calls == 1);
    CHECK(plugin(*queue).builds == 1);
    CHECK(plugin(*queue).built_bytes == value_bytes(7).size());
    CHECK(plugin(*queue).building >= 20ms);
}

TEST_CASE("cache queue: a build that fails ends its requests with its error, and the next request tries again") {
    const auto queue = queue_of({});
    const CacheBuild fails = []() -> Result<Bytes> { return Error(ErrorCode::unsupported, "no such shader model"); };
    CHECK(code_of(get(*queue, part(1), {.build = fails})) == ErrorCode::unsupported);
    CHECK(plugin(*queue).failed_builds == 1);
    CHECK(value_of(get(*queue, part(1), {.build = builds(1)})) == value_bytes(1));
}

TEST_CASE("cache queue: priorities decide what is next, also when they change while it waits") {
    const auto queue = queue_of({.threads = 1});
    HeldBuild held;
    const CacheLookup first = value_of(queue->get(part(0).key(), {.build = held.function()}));
    held.wait_until_begun();
    std::vector<int> order;  // written by one thread
    std::vector<CacheLookup> requests;
    const int priorities[] = {0, 5, -5, 0, 9};
    for (int i = 0; i < 5; ++i)
        requests.push_back(value_of(queue->get(part(i + 1).key(), {.priority = priorities[i], .build = [&order, i] {
                                                                       order.push_back(i);
                                                                       return Result<Bytes>(value_bytes(i));
                                                                   }})));
    requests[2].set_priority(20);
    requests[4].set_priority(-20);
    held.let_go = true;
    for (const CacheLookup& request : requests)
        CHECK(bytes_of_request(request));
    CHECK(order == std::vector<int>{2, 1, 0, 3, 4});
}

TEST_CASE("cache queue: a cancelled request ends at once, and the others of its key do not") {
    const auto queue = queue_of({.threads = 1});
    HeldBuild held;
    CacheLookup running = value_of(queue->get(part(0).key(), {.build = held.function()}));
    held.wait_until_begun();
    CacheLookup joined = value_of(queue->get(part(0).key()));
    CacheLookup waiting = value_of(queue->get(part(1).key(), {.build = builds(1)}));
    const CacheLookup twin = value_of(queue->get(part(1).key(), {.build = builds(1)}));
    waiting.cancel();
    joined.cancel();
    CHECK(failure_of(waiting) == ErrorCode::cancelled);
    CHECK(failure_of(joined) == ErrorCode::cancelled);
    // Its function runs, so it ends with that: what the function uses stays valid until then.
    running.cancel();
    CHECK_FALSE(running.poll());
    CHECK(code_of(running.result()) == ErrorCode::busy);
    held.let_go = true;
    CHECK(failure_of(running) == ErrorCode::cancelled);
    CHECK(value_of(bytes_of_request(twin)) == value_bytes(1));
    CHECK(value_of(get(*queue, part(0))) == bytes_of("held"));
}

TEST_CASE("cache queue: closing cancels what waits, and requests outlive their queue") {
    auto queue = queue_of({.threads = 1});
    HeldBuild held;
    const CacheLookup running = value_of(queue->get(part(0).key(), {.build = held.function()}));
    held.wait_until_begun();
    std::vector<CacheLookup> waiting;
    for (int i = 1; i < 20; ++i)
        waiting.push_back(value_of(queue->get(part(i).key(), {.build = builds(i)})));
    std::thread closing([&] { queue.reset(); });
    for (const CacheLookup& request : waiting)
        CHECK(failure_of(request) == ErrorCode::cancelled);
    held.let_go = true;
    closing.join();
    CHECK(value_of(bytes_of_request(running)) == bytes_of("held"));
    waiting.front().cancel();
    waiting.front().set_priority(3);
}

TEST_CASE("cache queue: threads that ask, put, cancel and change priorities at random get right bytes or none") {
    const ScratchFolder scratch;
    const int keys = 24;
    CacheQueueOptions options{.folder = scratch.path("cache"), .boot_path = scratch.path("boot"), .threads = 3};
    options.memory_bytes_max = 4'000;  // so that all layers are used
    auto queue = queue_of(options);
    std::atomic<int> wrong = 0, answered = 0;
    const auto use = [&](std::uint32_t seed) {
        std::mt19937 random(seed);
        std::vector<std::pair<int, CacheLookup>> asked;
        for (int step = 0; step < 400; ++step) {
            const int number = int(random() % keys);
            CacheWish wish{.priority = int(random() % 5)};
            if (random() % 2 == 0)
                wish.build = builds(number);
            asked.emplace_back(number, value_of(queue->get(part(number).key(), std::move(wish))));
            CacheLookup& other = asked[random() % asked.size()].second;
            if (random() % 4 == 0)
                other.cancel();
            other.set_priority(int(random() % 9));
            if (random() % 40 == 0)
                require_good(queue->put(part(number).key(), value_bytes(number)));
            if (random() % 50 == 0)
                asked.erase(asked.begin(), asked.begin() + std::ptrdiff_t(asked.size() / 2));
        }
        for (const auto& [number, request] : asked) {
            const auto bytes = bytes_of_request(request);
            if (bytes && *bytes == value_bytes(number))
                ++answered;
            else if (bytes ||
                     (bytes.error().code() != ErrorCode::missing && bytes.error().code() != ErrorCode::cancelled))
                ++wrong;
        }
    };
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < 4; ++i)
        threads.emplace_back(use, i);
    for (std::thread& thread : threads)
        thread.join();
    CHECK(wrong == 0);
    CHECK(answered > 0);
    require_good(queue->close());
    queue = queue_of(options);
    for (int i = 0; i < keys; ++i)
        CHECK(value_of(get(*queue, part(i), {.build = builds(i)})) == value_bytes(i));
    CHECK(layer(*queue, "boot").hits > 0);
}

TEST_CASE("cache queue: a bundle can be added while it is used") {
    const ScratchFolder scratch;
    {
        const auto farm = queue_of({.folder = scratch.path("farm")});
        require_good(farm->put(part(1).key(), value_bytes(1)));
    }
    value_of(export_cache_bundle(scratch.path("farm"), scratch.path("farm.fardel")));
    const auto queue = queue_of({});
    CHECK(code_of(get(*queue, part(1))) == ErrorCode::missing);
    require_good(queue->add_bundle(scratch.path("farm.fardel")));
    CHECK(value_of(get(*queue, part(1))) == value_bytes(1));
    CHECK(layer(*queue, "bundles").hits == 1);
    CHECK(code_of(queue->add_bundle(scratch.path("none.fardel"))) == ErrorCode::missing);
}

TEST_CASE("cache queue: without a place to write there is no cache") {
    CHECK(code_of(CacheQueue::open({.memory_bytes_max = 0})) == ErrorCode::malformed);
}

TEST_CASE("cache queue: the second start reads the boot file alone") {
    const ScratchFolder scratch;
    const CacheQueueOptions options{.folder = scratch.path("cache"), .boot_path = scratch.path("editor.boot")};
    {
        const auto queue = queue_of(options);
        for (int i = 0; i < 200; ++i)
            require_good(queue->put(part(i).key(), value_bytes(i)));
        require_good(queue->close());
    }
    {  // It has what this session asks for, and nothing else.
        const auto queue = queue_of(options);
        for (int i = 0; i < 100; ++i)
            CHECK(value_of(get(*queue, part(i))) == value_bytes(i));
        CHECK(layer(*queue, "boot").hits == 100);
        CHECK(layer(*queue, "folder").hits + layer(*queue, "folder").misses == 0);
        CHECK(layer(*queue, "folder").bytes_read == 0);
        require_good(queue->close());
    }
    std::filesystem::remove_all(scratch.path("cache"));
    const auto queue = queue_of(options);
    for (int i = 0; i < 100; ++i)
        CHECK(value_of(get(*queue, part(i))) == value_bytes(i));
    CHECK(code_of(get(*queue, part(150))) == ErrorCode::missing);
}

TEST_CASE("cache queue: a boot file is written only if a session used other things than it has") {
    const ScratchFolder scratch;
    const CacheQueueOptions options{.boot_path = scratch.path("boot")};
    const auto run = [&](const std::vector<int>& numbers) {
        const auto queue = queue_of(options);
        for (const int number : numbers)
            CHECK(value_of(get(*queue, part(number), {.build = builds(number)})) == value_bytes(number));
        require_good(queue->close());
        return read_file(scratch.path("boot"));
    };
    const auto long_ago = std::filesystem::file_time_type::clock::now() - 24h;
    const auto is_written = [&](const std::vector<int>& numbers) {
        std::filesystem::last_write_time(scratch.path("boot"), long_ago);
        run(numbers);
        return std::filesystem::last_write_time(scratch.path("boot")) > long_ago + 1h;
    };
    const std::string first = run({1, 2, 3});
    CHECK_FALSE(is_written({3, 1, 2}));
    CHECK_FALSE(is_written({}));
    CHECK(is_written({1, 2}));
    CHECK(is_written({1, 2, 3}));
    CHECK(read_file(scratch.path("boot")) == first);
    CHECK(is_written({1, 2, 4}));
}

TEST_CASE("cache queue: a session that asks for the same in another order writes the same boot file") {
    const ScratchFolder scratch;
    const auto run = [&](const std::string& boot, bool backwards) {
        const auto queue = queue_of({.boot_path = scratch.path(boot)});
        for (int i = 0; i < 50; ++i)
            CHECK(get(*queue, part(backwards ? 49 - i : i), {.build = builds(backwards ? 49 - i : i)}));
        require_good(queue->close());
    };
    run("a", false);
    run("b", true);
    CHECK(read_file(scratch.path("a")) == read_file(scratch.path("b")));
}

TEST_CASE("cache queue: a boot file keeps what was asked for first, up to its limit") {
    const ScratchFolder scratch;
    const CacheQueueOptions options{.boot_path = scratch.path("boot"), .boot_bytes_max = 300'000};
    const auto big = [](int number) { return noise(50'000, static_cast<std::uint64_t>(number)); };
    {
        const auto queue = queue_of(options);
        for (int i = 0; i < 20; ++i)
            require_good(queue->put(part(i).key(), big(i)));
    }
    CHECK(std::filesystem::file_size(scratch.path("boot")) < 300'000);
    const auto queue = queue_of(options);
    CHECK(value_of(get(*queue, part(0))) == big(0));
    CHECK(value_of(get(*queue, part(4))) == big(4));
    CHECK(code_of(get(*queue, part(19))) == ErrorCode::missing);
}

TEST_CASE("cache queue: a damaged boot file is a cold start and no error") {  // A160
    const ScratchFolder scratch;
    const std::string boot = scratch.path("boot");
    CacheQueueOptions options{.folder = scratch.path("cache"), .boot_path = boot};
    {
        const auto queue = queue_of(options);
        for (int i = 0; i < 30; ++i)
            require_good(queue->put(part(i).key(), value_bytes(i)));
    }
    const std::string good = read_file(boot);
    const auto has_all = [&] {
        const auto queue = queue_of(options);
        for (int i = 0; i < 30; ++i)
            CHECK(value_of(get(*queue, part(i))) == value_bytes(i));
        return queue->layer_statistics().layers.front();
    };
    for (const std::string& bad :
         {std::string(), std::string("no bundle"), good.substr(0, good.size() / 2), std::string(good.size(), '\0')}) {
        write_file(boot, bad);
        const CacheLayerStatistics found = has_all();
        CHECK(found.layer == "boot");
        CHECK((found.broken != 0 || !found.left_out.empty()));
    }
    for (std::size_t at = 0; at < good.size(); at += good.size() / 40) {
        CAPTURE(at);
        std::string spoiled = good;
        spoiled[at] = static_cast<char>(spoiled[at] ^ 0x20);
        write_file(boot, spoiled);
        has_all();
        const CacheLayerStatistics next = has_all();  // the session before has replaced what it found damaged
        CHECK(next.broken == 0);
        CHECK(next.left_out.empty());
        CHECK(next.hits == 30);
    }
    // Larger than the limit: not read at all.
    write_file(boot, good);
    options.boot_bytes_max = 0;
    write_file(boot, good + std::string(2'000'000, 'x'));
    CHECK(has_all().left_out.find("boot") != std::string::npos);
    std::filesystem::remove(boot);
    std::filesystem::create_directory(boot);
    CHECK_FALSE(has_all().left_out.empty());
}

TEST_CASE("cache queue: a boot file with other bytes or records for a key gives a miss") {  // A160
    const ScratchFolder scratch;
    const BuildKey key = value_of(cache_key_of(part(1).key()));
    const BuildKey other = value_of(cache_key_of(part(2).key()));
    const CacheRecord record{.key = key,
                             .outputs = {{.name = "value", .asset = asset_id_of(value_bytes(1)), .size_bytes = 9}}};
    const auto write = [&](const std::string& name, const CacheRecord& forged) {
        BundlePlan plan;
        const auto add = [&](const std::string& path, Bytes bytes) {
            plan.assets.push_back({.source = make_memory_blob(std::move(bytes)), .key = path});
            plan.names.push_back({.name = value_of(AssetName::parse(path)),
                                  .variants = {PlannedVariant{.asset = std::uint32_t(plan.names.size())}},
                                  .published = false});
        };
        add("records/" + name, value_of(encode_cache_record(forged)));
        add("objects/" + asset_id_of(value_bytes(1)).hex(), bytes_of("something else"));
        StagedBundle staged = value_of(write_bundle(plan, scratch.path("boot"), {}));
        require_good(staged.commit());
    };
    const CacheQueueOptions options{.boot_path = scratch.path("boot")};
    SUBCASE("the object has other bytes") { write(key.hex(), record); }
    SUBCASE("the record is that of another key") { write(other.hex(), record); }
    const auto queue = queue_of(options);
    CHECK(code_of(get(*queue, part(1))) == ErrorCode::missing);
    CHECK(code_of(get(*queue, part(2))) == ErrorCode::missing);
    CHECK(value_of(get(*queue, part(1), {.build = builds(1)})) == value_bytes(1));
}

}  // namespace fardel::tests::cache_queue_test
