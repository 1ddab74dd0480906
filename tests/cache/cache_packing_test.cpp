#include "cache_folder.h"
#include "cache_packs.h"
#include "cache_samples.h"
#include "kit/emulator.h"
#include "kit/files.h"
#include "kit/portable.h"

#include <fardel/base/file.h>
#include <fardel/base/sanitizers.h>
#include <fardel/cache/cache_layers.h>
#include <fardel/cache/derived_cache.h>
#include <fardel/cache/served_cache.h>

#include <atomic>
#include <thread>

namespace fardel::tests::cache_packing_test {

using namespace std::chrono_literals;

constexpr std::uint64_t kSamples = 150;  // 300 small files
constexpr CacheTrimOptions kPacked{.packs = true};

Sample small_sample(std::uint64_t number) { return make_sample(number, {noise(100 + number % 900, number)}); }

std::vector<Sample> fill(const std::string& folder, std::uint64_t first, std::uint64_t count = kSamples) {
    const auto layer = value_of(open_folder_layer(folder));
    std::vector<Sample> samples;
    for (std::uint64_t i = first; i < first + count; ++i) {
        samples.push_back(small_sample(i));
        write_sample(*layer, samples.back());
    }
    return samples;
}

std::unique_ptr<DerivedCache> open_cache(const std::string& folder) {
    std::vector<CacheLayerSlot> layers;
    layers.push_back({.layer = value_of(open_folder_layer(folder))});
    return value_of(DerivedCache::open(std::move(layers)));
}

// Returns whether the cache has it. What it has must be right.
bool has(DerivedCache& cache, const Sample& sample) {
    const auto hit = cache.find(sample.record.key);
    if (!hit)
        return false;
    CHECK(hit->record == sample.record);
    for (std::size_t i = 0; i < sample.outputs.size(); ++i)
        CHECK(value_of(read_blob(*hit->outputs[i])) == sample.outputs[i]);
    return true;
}

std::size_t count_found(const std::string& folder, const std::vector<Sample>& samples) {
    const auto cache = open_cache(folder);
    return static_cast<std::size_t>(
        std::ranges::count_if(samples, [&](const Sample& sample) { return has(*cache, sample); }));
}

std::size_t count_files(const std::string& folder, const std::string& kind) {
    return paths_below(folder + "/" + kind).size();
}

std::size_t count_own_files(const std::string& folder) {
    return count_files(folder, "records") + count_files(folder, "objects");
}

std::string only_pack(const std::string& folder) {
    auto packs = paths_below(folder + "/packs");
    // Where open files cannot be removed, they have another name until they are closed.
    std::erase_if(packs, [](const fs::path& file) { return file.extension() != ".fardel"; });
    REQUIRE(packs.size() == 1);
    return packs[0].string();
}

// std::filesystem of mingw-w64 cannot copy into a folder that exists.
void copy_files(const std::string& from, const std::string& to) {
    for (const fs::path& file : paths_below(from)) {
        const fs::path copy = fs::path(to) / file.lexically_relative(from);
        fs::create_directories(copy.parent_path());
        fs::copy_file(file, copy);
    }
}

void set_used_hours_ago(const std::string& file, std::int64_t hours) {
    const std::int64_t then_ns =
        value_of(file_status(file, file)).modified_ns - hours * std::int64_t(3600) * 1'000'000'000;
    require_good(set_times(file, {.used_ns = then_ns, .modified_ns = then_ns}, file));
}

TEST_CASE("cache packing: small files become one file, and every verb finds what it found before") {
    const ScratchFolder scratch;
    const std::string folder = scratch.path("cache");
    auto samples = fill(folder, 0);
    samples.push_back(make_sample(kSamples, {noise(100'000, 1), noise(10, 2), {}}));
    write_sample(*value_of(open_folder_layer(folder)), samples.back());
    value_of(export_cache_bundle(folder, scratch.path("before.fardel")));
    const auto before = value_of(check_cache_folder(folder, {}));

    CHECK(value_of(trim_cache_folder(folder, {})).files_packed == 0);
    CHECK(count_files(folder, "packs") == 0);
    const auto trimmed = value_of(trim_cache_folder(folder, kPacked));
    CHECK(trimmed.files_packed == 303);
    CHECK(trimmed.files_removed == 0);
    CHECK(trimmed.bytes_left == fs::file_size(only_pack(folder)) + 100'000);
    CHECK(count_own_files(folder) == 1);  // the large one

    CHECK(count_found(folder, samples) == samples.size());
    const auto layer = value_of(open_folder_layer(folder));
    std::vector<BuildKey> keys;
    for (const Sample& sample : samples)
        keys.push_back(sample.record.key);
    keys.push_back(key_of(9999));
    CHECK(layer->find_lacking(keys) == std::vector{key_of(9999)});

    const auto after = value_of(check_cache_folder(folder, {}));
    CHECK(after.records == before.records);
    CHECK(after.objects == before.objects);
    CHECK(after.record_bytes == before.record_bytes);
    CHECK(after.object_bytes == before.object_bytes);
    CHECK(after.broken.empty());
    CHECK(after.incomplete == 0);
    CHECK(value_of(export_cache_bundle(folder, scratch.path("after.fardel"))).records == samples.size());
    CHECK(read_file(scratch.path("before.fardel")) == read_file(scratch.path("after.fardel")));

    const auto served = value_of(ServedCache::open(folder));
    const ServedCacheFile object{.id = id_from<Hash>(samples[7].asset(0))};
    CHECK(served->has_object(object));
    const auto bytes = value_of(served->open_file(object));
    std::vector<std::byte> read(static_cast<std::size_t>(bytes->size_bytes()));
    require_good(bytes->read_at(0, read));
    CHECK(read == samples[7].outputs[0]);
    CHECK(served->find_lacking({.records = keys, .objects = {samples[0].asset(0), id_of("none")}}).back());
    CHECK(code_of(served->open_file({.is_record = true, .id = id_from<Hash>(key_of(9999))})) == ErrorCode::missing);
}

TEST_CASE("cache packing: few files stay as they are") {
    const ScratchFolder scratch;
    const std::string folder = scratch.path("cache");
    fill(folder, 0, 100);
    CHECK(value_of(trim_cache_folder(folder, kPacked)).files_packed == 0);
    CHECK(count_own_files(folder) == 200);
    CHECK_FALSE(fs::exists(folder + "/packs"));
}

TEST_CASE("cache packing: packs remain few, and the newest record of a key counts") {
    if (is_left_out_in_wine("its thousands of files take a minute") ||
        is_left_out_in_emulator("its thousands of files take a minute"))
        return;
    const ScratchFolder scratch;
    const std::string folder = scratch.path("cache");
    std::vector<Sample> samples;
    for (std::uint64_t round = 0; round < 10; ++round) {
        for (Sample& sample : fill(folder, round * kSamples))
            samples.push_back(std::move(sample));
        // The same job again, with other notes; the first round's is in the oldest pack.
        samples[0].record.notes = "round " + std::to_string(round);
        require_good(
            value_of(open_folder_layer(folder))->write_record(samples[0].record.key, encoded(samples[0].record)));
        REQUIRE(count_found(folder, {samples[0]}) == 1);
        value_of(trim_cache_folder(folder, kPacked));
        REQUIRE(count_own_files(folder) == 0);
        REQUIRE(count_files(folder, "packs") <= 6);
        REQUIRE(count_found(folder, {samples[0]}) == 1);
    }
    CHECK(count_found(folder, samples) == samples.size());
    const auto report = value_of(check_cache_folder(folder, {}));
    CHECK(report.records == samples.size());
    CHECK(report.broken.empty());
}

TEST_CASE("cache packing: files that a killed packing has left beside its pack are removed, records that differ stay") {
    const ScratchFolder scratch;
    const std::string folder = scratch.path("cache");
    auto samples = fill(folder, 0);
    for (const std::string kind : {"/records", "/objects"})
        copy_files(folder + kind, scratch.path("saved") + kind);
    value_of(trim_cache_folder(folder, kPacked));
    copy_files(scratch.path("saved"), folder);
    REQUIRE(count_own_files(folder) == 300);
    samples[3].record.notes = "newer";
    require_good(value_of(open_folder_layer(folder))->write_record(samples[3].record.key, encoded(samples[3].record)));
    write_file(folder + "/" + cache_file_name(CacheFileKind::object, id_from<Hash>(samples[4].asset(0))),
               noise(samples[4].outputs[0].size(), 77));

    CHECK(value_of(trim_cache_folder(folder, kPacked)).files_packed == 299);
    CHECK(count_own_files(folder) == 1);  // the broken one, which its next reader removes
    CHECK(has(*open_cache(folder), samples[3]));
    CHECK_FALSE(has(*open_cache(folder), samples[4]));
    CHECK(count_found(folder, samples) == samples.size());  // it is in the pack, too
    CHECK(count_own_files(folder) == 0);
}

TEST_CASE("cache packing: a hit can be read after its files were packed and its pack was merged") {
    const ScratchFolder scratch;
    const std::string folder = scratch.path("cache");
    const auto samples = fill(folder, 0);
    const auto cache = open_cache(folder);
    auto early = cache->find(samples[0].record.key);
    REQUIRE(early);
    value_of(trim_cache_folder(folder, kPacked));
    CHECK(value_of(read_blob(*early->outputs[0])) == samples[0].outputs[0]);
    auto late = cache->find(samples[1].record.key);
    REQUIRE(late);
    fill(folder, 1000);
    value_of(trim_cache_folder(folder, kPacked));
    CHECK(fs::path(only_pack(folder)).filename() == "0000000000000002.fardel");
    CHECK(value_of(read_blob(*early->outputs[0])) == samples[0].outputs[0]);
    CHECK(value_of(read_blob(*late->outputs[0])) == samples[1].outputs[0]);
    CHECK(has(*cache, samples[2]));
}

TEST_CASE("cache packing: beside readers and writers, nothing is missed") {  // A100
    if (is_left_out_in_wine("its thousands of files take a minute") ||
        is_left_out_in_emulator("its thousands of files take a minute"))
        return;
    const ScratchFolder scratch;
    const std::string folder = scratch.path("cache");
    const auto samples = fill(folder, 0, 400);
    std::atomic<bool> ends = false;
    std::atomic<int> wrong = 0;
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < 2; ++t)
        threads.emplace_back([&, t] {
            const auto cache = open_cache(folder);
            for (std::size_t i = t * 37; !ends; i += 7) {
                const Sample& sample = samples[i % samples.size()];
                const auto hit = cache->find(sample.record.key);
                const auto read = hit ? read_blob(*hit->outputs[0]) : Error(ErrorCode::missing, "");
                wrong += !read || *read != sample.outputs[0];
            }
        });
    Sample changing = small_sample(5000);
    threads.emplace_back([&] {
        const auto cache = open_cache(folder);
        for (std::uint64_t i = 10'000; !ends; ++i) {
            const Sample fresh = small_sample(i);
            wrong += !cache->put(fresh.record, fresh.blobs());
            wrong += !cache->find(fresh.record.key);
            changing.record.notes = "version " + std::to_string(i);
            wrong += !cache->put(changing.record, changing.blobs());
        }
    });
    constexpr int kRounds = kSanitized ? 4 : 12;  // each adds thousands of files; a sanitizer sees the same in fewer
    for (int round = 0; round < kRounds; ++round) {
        const auto trimmed = trim_cache_folder(folder, kPacked);
        REQUIRE_MESSAGE(trimmed, (trimmed ? "" : trimmed.error().text()));
        std::this_thread::sleep_for(20ms);
    }
    ends = true;
    threads.clear();
    CHECK(wrong == 0);
    CHECK(has(*open_cache(folder), changing));
    CHECK(count_found(folder, samples) == samples.size());
    CHECK(value_of(check_cache_folder(folder, {})).broken.empty());
}

TEST_CASE("cache packing: a damaged pack gives misses and no wrong byte, and goes when that is found out") {  // A103
    const ScratchFolder scratch;
    const std::string folder = scratch.path("cache");
    const auto samples = fill(folder, 0);
    value_of(trim_cache_folder(folder, kPacked));
    const std::string pack = only_pack(folder);
    const std::string good = read_file(pack);
    for (std::size_t offset = 0; offset < good.size(); offset += good.size() / 40) {
        CAPTURE(offset);
        write_file(pack, good);
        flip_bit(pack, offset);
        const std::size_t found = count_found(folder, samples);
        if (found != samples.size())
            CHECK_FALSE(fs::exists(pack));
    }
    for (const std::size_t size : {std::size_t(0), std::size_t(100), good.size() / 2, good.size() - 1}) {
        CAPTURE(size);
        write_file(pack, std::string_view(good).substr(0, size));
        CHECK(count_found(folder, samples) < samples.size());
        CHECK_FALSE(fs::exists(pack));
    }
    // The results are made again.
    const auto cache = open_cache(folder);
    for (const Sample& sample : samples)
        value_of(cache->put(sample.record, sample.blobs()));
    CHECK(count_found(folder, samples) == samples.size());
}

TEST_CASE("cache verify: a damaged pack is one broken file, which --remove removes") {
    const ScratchFolder scratch;
    const std::string folder = scratch.path("cache");
    const auto samples = fill(folder, 0);
    value_of(trim_cache_folder(folder, kPacked));
    const std::string pack = only_pack(folder);
    const std::string good = read_file(pack);
    for (const std::size_t offset : {std::size_t(10), good.size() / 3, good.size() / 2}) {
        CAPTURE(offset);
        write_file(pack, good);
        flip_bit(pack, offset);
        CHECK(value_of(check_cache_folder(folder, {.read = false})).broken.empty());
        const auto report = value_of(check_cache_folder(folder, {}));
        CHECK(report.broken == std::vector<std::string>{"packs/0000000000000001.fardel"});
        CHECK(value_of(export_cache_bundle(folder, scratch.path("out.fardel"))).broken > 0);
        CHECK(fs::exists(pack));  // who only looks removes nothing
        CHECK(value_of(check_cache_folder(folder, {.remove = true})).removed == 1);
        CHECK_FALSE(fs::exists(pack));
    }
}

TEST_CASE("cache packing: a record whose output was trimmed is dropped, and its pack stays") {
    const ScratchFolder scratch;
    const std::string folder = scratch.path("cache");
    auto samples = fill(folder, 0);
    const Sample large = make_sample(1000, {noise(100'000, 1)});
    write_sample(*value_of(open_folder_layer(folder)), large);
    value_of(trim_cache_folder(folder, kPacked));
    fs::remove_all(folder + "/objects");
    const auto cache = open_cache(folder);
    CHECK_FALSE(has(*cache, large));
    CHECK(count_found(folder, samples) == samples.size());
    value_of(cache->put(large.record, large.blobs()));
    CHECK(has(*cache, large));
}

TEST_CASE("cache packing: trimming removes a pack whole, and one that a running build uses stays") {  // A107
    const ScratchFolder scratch;
    const std::string folder = scratch.path("cache");
    const auto samples = fill(folder, 0);
    value_of(trim_cache_folder(folder, kPacked));
    const std::string pack = only_pack(folder);
    const CacheTrimOptions by_age{.unused_for = 24h};
    const CacheTrimOptions everything{.bytes_max = 0, .unused_for = 0h, .keep_younger_than = 0min};
    set_used_hours_ago(pack, 20);
    CHECK(value_of(trim_cache_folder(folder, by_age)).files_removed == 0);

    const std::int64_t used_ns = value_of(file_status(pack, pack)).used_ns;
    {
        if (!can_set_used_times())
            return;
        const auto cache = open_cache(folder);
        CHECK(has(*cache, samples[5]));
        const std::int64_t marked_ns = value_of(file_status(pack, pack)).used_ns;
        CHECK(marked_ns > used_ns);
        CHECK(has(*cache, samples[6]));
        CHECK(value_of(file_status(pack, pack)).used_ns == marked_ns);  // once is enough
        CHECK(value_of(trim_cache_folder(folder, everything)).files_removed == 0);
    }
    CHECK(value_of(trim_cache_folder(folder, {.bytes_max = 0})).files_removed == 0);  // used within the last hour
    set_used_hours_ago(pack, 48);
    const auto trimmed = value_of(trim_cache_folder(folder, by_age));
    CHECK(trimmed.files_removed == 1);
    CHECK(trimmed.bytes_left == 0);
    CHECK(count_found(folder, samples) == 0);
}

TEST_CASE("cache packing: by size, what was used less recently goes first, and old files are not packed") {
    if (!can_set_used_times() || !can_read_without_use())
        return;
    const ScratchFolder scratch;
    const std::string folder = scratch.path("cache");
    fill(folder, 0);
    value_of(trim_cache_folder(folder, kPacked));
    const std::string pack = only_pack(folder);
    set_used_hours_ago(pack, 5);
    const auto samples = fill(folder, 1000);
    for (const std::string kind : {"records", "objects"})
        for (const fs::path& file : paths_below(folder + "/" + kind))
            set_used_hours_ago(file.string(), 10);
    const auto trimmed = value_of(trim_cache_folder(folder, {.bytes_max = fs::file_size(pack), .packs = true}));
    CHECK(trimmed.files_removed == 300);
    CHECK(trimmed.files_packed == 0);
    CHECK(fs::exists(pack));
    CHECK(count_found(folder, samples) == 0);
    CHECK(value_of(trim_cache_folder(folder, {.bytes_max = fs::file_size(pack) - 1})).files_removed == 1);
    CHECK_FALSE(fs::exists(pack));
}

TEST_CASE("cache packing: foreign files among the packs cost no result and no wrong byte") {
    const ScratchFolder scratch;
    const std::string folder = scratch.path("cache");
    const auto samples = fill(folder, 0);
    fs::create_directories(folder + "/packs/00000000000000ff.fardel");
    for (const char* name : {"0000000000000007.fardel", "letter", "000000000000000g.fardel"})
        write_file(folder + "/packs/" + name, "no pack");
    value_of(trim_cache_folder(folder, kPacked));
    CHECK(count_own_files(folder) == 0);
    CHECK(count_found(folder, samples) == samples.size());
    CHECK(fs::exists(folder + "/packs/letter"));
    CHECK_FALSE(fs::exists(folder + "/packs/0000000000000007.fardel"));

    // More than are read, with the highest numbers: nothing is packed that nobody would find.
    for (int i = 0; i < 100; ++i)
        write_file(folder + "/packs/ffffffffffffff" + std::to_string(10 + i % 90) + ".fardel", "no pack");
    const auto others = fill(folder, 1000);
    value_of(trim_cache_folder(folder, kPacked));
    CHECK(count_found(folder, others) == others.size());
}

}  // namespace fardel::tests::cache_packing_test
