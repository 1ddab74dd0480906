// Finding assets by name and by id, in random order.
#include "physfs_peer.h"
#include "sections.h"
#include "stopwatch.h"

#include <fardel/format/bundle.h>
#include <fardel/format/manifest.h>
#include <fardel/vfs/vfs.h>

#include <algorithm>
#include <random>
#include <thread>
#include <unordered_map>

namespace fardel::bench {
namespace {

constexpr std::uint32_t kLookups = 200'000;

// Queries in random order, stored one behind the other in this order, so that only the look-up is measured and not the
// access to the query. (Separate strings would be scattered in memory.)
class Queries {
public:
    // `before` and `after` are added to each name.
    explicit Queries(std::vector<std::string> names, std::string_view before = "", std::string_view after = "") {
        std::ranges::shuffle(names, std::mt19937(1));
        names.resize(std::min<std::size_t>(names.size(), kLookups));
        std::vector<std::size_t> ends;
        for (const std::string& name : names) {
            text_.append(before).append(name).append(after);
            ends.push_back(text_.size());
        }
        std::size_t at = 0;
        for (const std::size_t end : ends) {
            queries_.emplace_back(text_.data() + at, end - at);
            at = end;
        }
    }
    Queries(const Queries&) = delete;
    Queries& operator=(const Queries&) = delete;

    auto begin() const { return queries_.begin(); }
    auto end() const { return queries_.end(); }
    std::size_t size() const { return queries_.size(); }

private:
    std::string text_;
    std::vector<std::string_view> queries_;
};

// Lets the peer look up text without creating a std::string, too.
struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

std::shared_ptr<const Bundle> open_bundle(const std::string& path) {
    return must(Bundle::open(must(open_file_source(path)), {.label = path}));
}

// Returns the microseconds per call of `find`, over `queries`.
template <class Asked, class Find>
double each_us(const Asked& queries, Find&& find) {
    std::uint64_t found = 0;
    const double seconds = best_seconds(5, [&] {
        for (const auto& query : queries)
            found += find(query);
    });
    if (found == ~0ull)
        fail(Error(ErrorCode::io, "impossible"));  // keeps `found` alive
    return 1e6 * seconds / static_cast<double>(queries.size());
}

void bundle_rows(const Scene& scene, Table& table) {
    constexpr std::uint32_t kNames = 1'000'000;
    const auto bundle = open_bundle(made_up_bundle(scene, kNames));
    std::vector<std::string> names;
    std::vector<AssetId> ids;
    for (std::uint32_t i = 0; i < kNames; ++i)
        names.push_back(made_up_name(i));
    const Queries hits(names);
    const Queries misses(names, "", "x");
    std::mt19937 random(2);
    for (std::uint32_t i = 0; i < kLookups; ++i)
        ids.push_back(must(bundle->asset(AssetIndex{static_cast<std::uint32_t>(random() % kNames)})).id);
    for (std::uint32_t i = 0; i < kNames; ++i)
        (void)must(bundle->find_name(made_up_name(i)));  // verifies every page

    // The peer is a hash table of the same names that is completely in memory and verifies nothing.
    std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> map;
    for (std::uint32_t i = 0; i < kNames; ++i)
        map.emplace(made_up_name(i), i);
    const auto in_map = [&](std::string_view name) { return map.contains(name); };

    const auto by_name = [&](std::string_view name) { return must(bundle->find_name(name)).has_value(); };
    table.add({"1,000,000 names, hit", each_us(hits, by_name), each_us(hits, in_map), "µs", false, "std::unordered_map",
               "< 0.2 µs"});
    table.add({"1,000,000 names, miss", each_us(misses, by_name), each_us(misses, in_map), "µs", false,
               "std::unordered_map", "< 0.03 µs"});
    table.add({"1,000,000 assets by id",
               each_us(ids, [&](const AssetId& id) { return must(bundle->find_asset(id)).has_value(); }), 0, "µs",
               false, "", ""});

    Vfs vfs;
    (void)must(vfs.mount(made_up_bundle(scene, kNames), {.policy = &scene.policy}));
    const Queries paths(std::move(names), "/");
    const auto by_path = [&](std::string_view path) { return must(vfs.find(path)).has_value(); };
    for (const std::string_view path : paths)
        (void)by_path(path);
    table.add({"1,000,000 names, Vfs::find", each_us(paths, by_path), 0, "µs", false, "", ""});
}

void look_up_in_many_bundles(const Scene& scene, Table& table) {
    for (const std::uint32_t bundles : {10u, 100u, 400u}) {
        constexpr std::uint32_t kEach = 2'500;
        Vfs vfs;
        std::vector<std::string> names;
        for (std::uint32_t b = 0; b < bundles; ++b) {
            (void)must(vfs.mount(made_up_bundle(scene, kEach, b + 1), {.policy = &scene.policy}));
            for (std::uint32_t i = 0; i < kEach; i += 5)
                names.push_back(made_up_name(i, b + 1));
        }
        const Queries paths(names, "/");
        const Queries absent(std::move(names), "/", "x");
        const auto find = [&](std::string_view path) { return must(vfs.find(path)).has_value(); };
        for (const std::string_view path : paths)
            (void)find(path);
        for (const std::string_view path : absent)
            (void)find(path);
        table.add({std::to_string(bundles) + " bundles mounted, hit", each_us(paths, find), 0, "µs", false, "",
                   bundles == 400 ? "< 1 µs" : ""});
        table.add({std::to_string(bundles) + " bundles mounted, miss", each_us(absent, find), 0, "µs", false, "",
                   bundles == 400 ? "< 1 µs" : ""});
    }
}

}  // namespace

void bench_lookup(const Scene& scene, Table& table) {
    table.heading("Look-up, one thread, warm");
    {
        PhysfsPeer physfs;
        physfs.mount(scene.archives);
        // PhysicsFS requires strings that end with a zero.
        const std::string_view end("", 1);
        const Queries names(physfs.names(), "", end);
        const Queries paths(physfs.names(), "/");
        Vfs vfs;
        (void)must(vfs.mount(scene.bundle, {.case_rule = CaseRule::fold, .policy = &scene.policy}));
        const double ours = each_us(paths, [&](std::string_view path) { return must(vfs.find(path)).has_value(); });
        table.add({"the game's names, Vfs::find", ours,
                   each_us(names, [&](std::string_view name) { return physfs.exists(name.data()); }), "µs", false,
                   "PhysicsFS exists", ""});
    }
    bundle_rows(scene, table);
    look_up_in_many_bundles(scene, table);
}

}  // namespace fardel::bench
