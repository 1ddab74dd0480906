// Finding assets by name and by id, in random order.
#include "physfs_peer.h"
#include "sections.h"
#include "stopwatch.h"

#include <fardel/format/bundle.h>
#include <fardel/vfs/vfs.h>

#include <algorithm>
#include <random>
#include <thread>
#include <unordered_map>

namespace fardel::bench {
namespace {

constexpr std::uint32_t kLookups = 200'000;

// Copied once more, so that the queries lie in memory in the order in which they are asked: what is measured is the
// look-up, not fetching the question.
std::vector<std::string> shuffled(std::vector<std::string> names) {
    std::ranges::shuffle(names, std::mt19937(1));
    names.resize(std::min<std::size_t>(names.size(), kLookups));
    const std::vector<std::string> in_order = names;
    return in_order;
}

std::shared_ptr<const Bundle> open_bundle(const std::string& path) { return must(Bundle::open(must(open_file_source(path)), {.label = path})); }

// Microseconds for one call of `find`, over `queries`.
template <class Queries, class Find>
double each_us(const Queries& queries, Find&& find) {
    std::uint64_t found = 0;
    const double seconds = best_seconds(5, [&] {
        for (const auto& query : queries) found += find(query);
    });
    if (found == ~0ull) fail(Error(ErrorCode::io, "impossible"));   // keeps `found` alive
    return 1e6 * seconds / static_cast<double>(queries.size());
}

void bundle_rows(const Scene& scene, Table& table) {
    constexpr std::uint32_t kNames = 1'000'000;
    const auto bundle = open_bundle(made_up_bundle(scene, kNames));
    std::vector<std::string> hits;
    std::vector<std::string> misses;
    std::vector<AssetId> ids;
    for (std::uint32_t i = 0; i < kNames; ++i) hits.push_back(made_up_name(i));
    hits = shuffled(std::move(hits));
    for (const std::string& name : hits) misses.push_back(name + "x");
    std::mt19937 random(2);
    for (std::uint32_t i = 0; i < kLookups; ++i) ids.push_back(must(bundle->asset(AssetIndex{static_cast<std::uint32_t>(random() % kNames)})).id);
    for (std::uint32_t i = 0; i < kNames; ++i) (void)must(bundle->find_name(made_up_name(i)));   // every page verified

    // The peer: the same names in a hash table that is wholly in memory and trusts what it holds.
    std::unordered_map<std::string, std::uint32_t> map;
    for (std::uint32_t i = 0; i < kNames; ++i) map.emplace(made_up_name(i), i);
    const auto in_map = [&](const std::string& name) { return map.contains(name); };

    const auto by_name = [&](const std::string& name) { return must(bundle->find_name(name)).has_value(); };
    table.add({"1,000,000 names, hit", each_us(hits, by_name), each_us(hits, in_map), "µs", false, "std::unordered_map", "< 0.3 µs"});
    table.add({"1,000,000 names, miss", each_us(misses, by_name), each_us(misses, in_map), "µs", false, "std::unordered_map", "< 0.1 µs"});
    table.add({"1,000,000 assets by id", each_us(ids, [&](const AssetId& id) { return must(bundle->find_asset(id)).has_value(); }), 0, "µs", false, "", ""});

    Vfs vfs;
    (void)must(vfs.mount(made_up_bundle(scene, kNames), {.policy = &scene.policy}));
    std::vector<std::string> paths;
    for (const std::string& name : hits) paths.push_back("/" + name);
    const auto by_path = [&](const std::string& path) { return must(vfs.find(path)).has_value(); };
    for (const std::string& path : paths) (void)by_path(path);
    table.add({"1,000,000 names, Vfs::find", each_us(paths, by_path), 0, "µs", false, "", ""});
}

void look_up_in_many_bundles(const Scene& scene, Table& table) {
    for (const std::uint32_t bundles : {10u, 100u, 400u}) {
        constexpr std::uint32_t kEach = 2'500;
        Vfs vfs;
        std::vector<std::string> paths;
        for (std::uint32_t b = 0; b < bundles; ++b) {
            (void)must(vfs.mount(made_up_bundle(scene, kEach, b + 1), {.policy = &scene.policy}));
            for (std::uint32_t i = 0; i < kEach; i += 5) paths.push_back("/" + made_up_name(i, b + 1));
        }
        paths = shuffled(std::move(paths));
        std::vector<std::string> absent;
        for (const std::string& path : paths) absent.push_back(path + "x");
        const auto find = [&](const std::string& path) { return must(vfs.find(path)).has_value(); };
        for (const std::string& path : paths) (void)find(path);
        for (const std::string& path : absent) (void)find(path);
        table.add({std::to_string(bundles) + " bundles mounted, hit", each_us(paths, find), 0, "µs", false, "", bundles == 400 ? "< 2 µs" : ""});
        table.add({std::to_string(bundles) + " bundles mounted, miss", each_us(absent, find), 0, "µs", false, "", bundles == 400 ? "< 2 µs" : ""});
    }
}

}  // namespace

void bench_lookup(const Scene& scene, Table& table) {
    table.heading("Look-up, one thread, warm");
    {
        PhysfsPeer physfs;
        physfs.mount(scene.archives);
        const std::vector<std::string> names = shuffled(physfs.names());
        std::vector<std::string> paths;
        for (const std::string& name : names) paths.push_back("/" + name);
        Vfs vfs;
        (void)must(vfs.mount(scene.bundle, {.case_rule = CaseRule::fold, .policy = &scene.policy}));
        const double ours = each_us(paths, [&](const std::string& path) { return must(vfs.find(path)).has_value(); });
        table.add({"the game's names, Vfs::find", ours, each_us(names, [&](const std::string& name) { return physfs.exists(name); }), "µs", false, "PhysicsFS exists", ""});
    }
    bundle_rows(scene, table);
    look_up_in_many_bundles(scene, table);
}

}  // namespace fardel::bench
