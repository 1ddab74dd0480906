// Updates for which no single delta from a bundle that is here exists: several in a row, and deltas from a bundle of
// which only a part is here.
#include "delivery/served_bundle.h"

#include <fardel/delivery/delta_list.h>
#include <fardel/delivery/tree_paths.h>
#include "fetch/delta_path.h"

#include "kit/bundles.h"
#include "kit/disks.h"
#include "kit/failing_call.h"
#include "kit/ids.h"

#include <fardel/format/manifest.h>
#include <fardel/hosting/publish.h>
#include <fardel/hosting/publish_delta.h>

#include <map>
#include <set>
#include <stop_token>

namespace fardel::tests::fetch_chain_test {

using ChainFiles = std::map<std::string, std::string>;  // of a tree, by path

// Version n of a game: a large text into which each version inserts something, and a few small ones.
Bytes chain_version(std::uint32_t number, std::size_t large_bytes = 700'000) {
    std::string large = prose(large_bytes, 1000);
    for (std::uint32_t n = 1; n <= number; ++n)
        large.insert(n * large_bytes / 12, noise_text(1500, n));
    BundlePlan plan;
    add(plan, "maps/large.bsp", large);
    for (std::uint32_t i = 0; i < 12; ++i)
        add(plan, "scripts/" + std::to_string(i) + ".txt", prose(900 + 100 * i, i < number ? 50 + i : i));
    return written(plan, {.level = 3, .jobs = 2});
}

void add_deltas(ChainFiles& files, const std::vector<Bytes>& olds, const Bytes& target) {
    const ScratchFolder scratch;
    const auto tree = make_folder_target(scratch.path("tree"));
    for (const Bytes& old : olds) {
        const DeltaPublication made =
            value_of(publish_delta(open_bundle(old), *open_bundle(target), *tree, {.effort = 9}));
        files[made.path] = scratch.read("tree/" + made.path);
    }
    const std::string list = delta_list_path_of(bundle_id_of(target));
    files[list] = scratch.read("tree/" + list);
}

// Versions 0 to `last`, and a delta from each to the next one.
struct Chain {
    std::vector<Bytes> versions;
    ChainFiles files;

    explicit Chain(std::uint32_t last, std::size_t large_bytes = 700'000) {
        for (std::uint32_t n = 0; n <= last; ++n)
            versions.push_back(chain_version(n, large_bytes));
        for (std::uint32_t n = 1; n <= last; ++n)
            add_deltas(files, {versions[n - 1]}, versions[n]);
    }
    std::string delta_path(std::size_t target) const {
        return delta_path_of(bundle_id_of(versions[target]), bundle_id_of(versions[target - 1]));
    }
    std::string list_path(std::size_t target) const { return delta_list_path_of(bundle_id_of(versions[target])); }
};

struct ChainUpdate {
    FetchSummary summary;
    std::size_t of_deltas = 0;      // requests
    std::size_t of_lists = 0;       // requests
    std::size_t of_old_bundle = 0;  // requests for a bundle file other than the target's
};

// A store that holds only `held` fetches the target rightly, and nothing else appears in it.
ChainUpdate update_along(const Bytes& held, const Bytes& target, const ChainFiles& files,
                         const std::vector<Bytes>& served = {}) {
    const ScratchFolder scratch;
    std::vector<Bytes> bundles = served;
    bundles.push_back(target);
    const TreeServer server(bundles, nullptr, files);
    const BundleStore store = make_store(scratch);
    value_of(store.add(make_memory_source(held)));
    ChainUpdate update{.summary = value_of(fetch_one(store, bundle_id_of(target), fetching_from({server.url()})))};
    CHECK(stored_bytes(store, bundle_id_of(target)) == target);
    CHECK(value_of(store.list()).size() == 2);
    const StoreCheckReport report = value_of(store.check(true));
    CHECK(report.findings.empty());
    CHECK(report.incoming == 0);
    CHECK(report.abandoned_files == 0);
    for (const RangeRequest& request : server.requests()) {
        update.of_deltas += request.path.ends_with(".delta") ? 1 : 0;
        update.of_lists += request.path.ends_with("/list") ? 1 : 0;
        update.of_old_bundle +=
            request.path.ends_with(".fardel") && request.path != tree_path_of(bundle_id_of(target)) ? 1 : 0;
    }
    return update;
}

// How many requests for parts of deltas were made before.
std::size_t fetched_again(const std::vector<RangeRequest>& requests) {
    std::set<std::pair<std::string, std::uint64_t>> seen;
    std::size_t again = 0;
    for (const RangeRequest& request : requests)
        if (request.path.ends_with(".delta") && !seen.emplace(request.path, request.first).second)
            ++again;
    return again;
}

void check_is_exact(const FetchSummary& summary) {
    const PlannedFetch& planned = summary.plan.bundles.at(0);
    CHECK(planned.tables_bytes + planned.fetch_bytes == summary.received_bytes);
}

TEST_CASE("fetch: two deltas lead over a bundle that is not here, and the plan is exact") {
    const Chain chain(2);
    const ChainUpdate without = update_along(chain.versions[0], chain.versions[2], {});
    const ChainUpdate with = update_along(chain.versions[0], chain.versions[2], chain.files);
    CHECK(with.of_deltas == 4);  // tables and blocks of each
    CHECK(with.of_lists == 2);
    CHECK(with.of_old_bundle == 0);
    CHECK(with.summary.received_bytes * 5 < without.summary.received_bytes);
    check_is_exact(with.summary);
    // The blocks of the target, and for a while some of the other one.
    const PlannedFetch& planned = with.summary.plan.bundles.at(0);
    CHECK(planned.space_bytes > without.summary.plan.bundles.at(0).space_bytes);
}

TEST_CASE("fetch: eight deltas in a row are followed, and nine are not") {
    const Chain chain(9, 300'000);
    const ChainUpdate eight = update_along(chain.versions[1], chain.versions[9], chain.files);
    CHECK(eight.of_deltas == 16);
    CHECK(eight.of_lists == 8);
    check_is_exact(eight.summary);
    const ChainUpdate nine = update_along(chain.versions[0], chain.versions[9], chain.files);
    CHECK(nine.of_deltas == 0);
    CHECK(nine.of_lists <= 1 + kDeltaListsMax);
    CHECK(eight.summary.received_bytes < nine.summary.received_bytes);
}

TEST_CASE("fetch: where one delta leads to a bundle, no others are looked for") {
    Chain chain(2);
    add_deltas(chain.files, {chain.versions[0], chain.versions[1]}, chain.versions[2]);
    const ChainUpdate update = update_along(chain.versions[0], chain.versions[2], chain.files);
    CHECK(update.of_deltas == 2);
    CHECK(update.of_lists == 1);
}

TEST_CASE("fetch: deltas in a row that cost more than ranges are not fetched") {
    Chain chain(1);
    // The next version has nothing new but noise, which no delta makes smaller.
    BundlePlan plan;
    add(plan, "new.bin", noise_text(300'000, 9));
    const Bytes target = written(plan);
    add_deltas(chain.files, {chain.versions[1]}, target);
    const ChainUpdate update = update_along(chain.versions[0], target, chain.files);
    CHECK(update.summary.plan.fetch_bytes < 310'000);
    check_is_exact(update.summary);
}

TEST_CASE("fetch: whatever a delta or list of several in a row says, it costs its bytes and nothing else") {  // A47–A50
    const Chain chain(2, 150'000);
    const Bytes& held = chain.versions[0];
    const Bytes& target = chain.versions[2];
    const std::uint64_t without = update_along(held, target, {}).summary.received_bytes;
    std::uint64_t allowed = without + 2 * kDeltaListBytesMax;
    for (const std::size_t step : {1u, 2u})
        allowed += chain.files.at(chain.delta_path(step)).size();
    const auto costs = [&](const std::string& path, const std::function<void(std::string&)>& change) {
        ChainFiles files = chain.files;
        change(files.at(path));
        const std::string changed = path;
        CAPTURE(changed);
        CHECK(update_along(held, target, files).summary.received_bytes <= allowed);
    };
    for (const std::size_t step : {1u, 2u}) {
        const std::string delta = chain.delta_path(step);
        const auto size = static_cast<std::uint32_t>(chain.files.at(delta).size());
        for (const std::size_t at :
             {0u, 12u, 16u, 48u, 80u, 112u, 144u, 152u, 176u, 200u, 240u, size / 2, size / 4 * 3, size - 1})
            costs(delta, [at](std::string& text) { text[at] ^= 1; });
        costs(delta, [](std::string& text) { text.resize(text.size() / 2); });
        costs(delta, [](std::string& text) { text += "x"; });
        costs(delta, [](std::string& text) { text = noise_text(text.size(), 2); });
        costs(delta, [](std::string& text) { text.clear(); });
        costs(chain.list_path(step), [](std::string& text) { text = noise_text(100'000, 1); });
        for (const std::size_t at : {16, 48, 80, 87, 88})  // both ids; the two sizes
            costs(chain.list_path(step), [at](std::string& text) { text[at] ^= 1; });
    }
    // Deltas of the same two bundles in each other's place.
    ChainFiles swapped = chain.files;
    std::swap(swapped.at(chain.delta_path(1)), swapped.at(chain.delta_path(2)));
    CHECK(update_along(held, target, swapped).summary.received_bytes <= allowed);
}

TEST_CASE("fetch: lists that lead in a circle, or never end, are left after a few") {  // A47, A50
    const Bytes held = chain_version(0, 150'000);
    const Bytes target = chain_version(1, 150'000);
    const auto listing = [](std::vector<BundleId> olds) {
        DeltaList list;
        std::ranges::sort(olds);
        for (const BundleId& old : olds)
            list.push_back({.old_bundle = old, .old_layout = {}, .delta_bytes = 300, .front_bytes = 200});
        return text_of(encode_delta_list(list));
    };
    const auto made_up = [](std::uint8_t number) {
        BundleId id;
        id.bytes.fill(number);
        return id;
    };
    ChainFiles circle{{delta_list_path_of(bundle_id_of(target)), listing({made_up(1), bundle_id_of(target)})},
                      {delta_list_path_of(made_up(1)), listing({made_up(2), bundle_id_of(target)})},
                      {delta_list_path_of(made_up(2)), listing({made_up(1), made_up(2)})}};
    const ChainUpdate in_circle = update_along(held, target, circle);
    CHECK(in_circle.of_lists == 3);
    CHECK(in_circle.of_deltas == 0);
    ChainFiles endless{{delta_list_path_of(bundle_id_of(target)), listing({made_up(1)})}};
    for (std::uint8_t n = 1; n < 100; ++n)
        endless[delta_list_path_of(made_up(n))] = listing({made_up(static_cast<std::uint8_t>(n + 1)), made_up(200)});
    const ChainUpdate without_end = update_along(held, target, endless);
    CHECK(without_end.of_lists <= 1 + kDeltaListsMax);
    CHECK(without_end.of_deltas == 0);
}

TEST_CASE("delta path: the smallest sum of sizes wins, and sizes beyond all bounds are not added") {
    const auto id = [](std::uint8_t number) {
        BundleId one;
        one.bytes.fill(number);
        return one;
    };
    std::map<BundleId, FoundDeltaList> lists;
    const auto link = [&](std::uint8_t from, std::uint8_t to, std::uint64_t bytes) {
        lists[id(to)].list.push_back({.old_bundle = id(from), .old_layout = {}, .delta_bytes = bytes});
    };
    const auto fetch = [&](const BundleId& bundle) -> Result<FoundDeltaList> { return lists[bundle]; };
    const auto is_held = [&](const ListedDelta& listed) { return listed.old_bundle == id(1); };
    const auto sum_to = [&](std::uint8_t target) {
        std::uint64_t sum = 0;
        for (const DeltaStep& step : value_of(find_delta_path(id(target), lists[id(target)], fetch, is_held)))
            sum += step.listed.delta_bytes;
        return sum;
    };
    link(1, 9, 1000);
    CHECK(sum_to(9) == 1000);
    link(5, 9, 300);
    link(1, 5, 600);
    CHECK(sum_to(9) == 900);
    link(4, 5, 100);
    link(1, 4, 400);
    CHECK(sum_to(9) == 800);
    const DeltaPath path = value_of(find_delta_path(id(9), lists[id(9)], fetch, is_held));
    REQUIRE(path.size() == 3);
    CHECK(path[0].bundle == id(4));
    CHECK(path[2].bundle == id(9));
    link(7, 8, UINT64_MAX);
    link(1, 7, UINT64_MAX);
    CHECK(sum_to(8) == 0);
}

TEST_CASE("fetch: of a delta whose old bundle is here in part, what refers to that part is used") {
    const ScratchFolder scratch;
    const Chain chain(1);
    const Bytes& old = chain.versions[0];
    const Bytes& target = chain.versions[1];
    const TreeServer server({old, target}, nullptr, chain.files);
    const auto received_with = [&](const std::string& name, const TreeServer& from) {
        const BundleStore store = make_store(scratch, name);
        FetchOptions options = fetching_from({server.url()});
        options.work.selection.names = {"maps/**"};  // all but the small texts
        value_of(fetch_one(store, bundle_id_of(old), options));
        REQUIRE_FALSE(is_whole(store, bundle_id_of(old)));
        const FetchSummary fetched = value_of(fetch_one(store, bundle_id_of(target), fetching_from({from.url()})));
        CHECK(stored_bytes(store, bundle_id_of(target)) == target);
        CHECK_FALSE(is_whole(store, bundle_id_of(old)));
        const StoreCheckReport report = value_of(store.check(true));
        CHECK(report.findings.empty());
        CHECK(report.incoming == 0);
        CHECK(report.abandoned_files == 0);
        check_is_exact(fetched);
        return fetched.received_bytes;
    };
    const TreeServer without({target});
    CHECK(received_with("with", server) * 4 < received_with("without", without));
}

void check_stopped_update(const Bytes& held, const Bytes& target, const ChainFiles& files) {
    const ScratchFolder scratch;
    const BundleId id = bundle_id_of(target);
    const TreeServer server({target}, nullptr, files);
    const BundleStore store = make_store(scratch);
    value_of(store.add(make_memory_source(held)));
    std::stop_source stop;
    FetchOptions options = fetching_from({server.url()});
    options.stop = stop.get_token();
    options.progress = [&](const FetchProgress&) { stop.request_stop(); };
    CHECK(code_of(fetch_one(store, id, options)) == ErrorCode::cancelled);
    CHECK_FALSE(value_of(store.has(id)));
    CHECK(value_of(store.check(true)).abandoned_files == 0);
    const FetchSummary again = value_of(fetch_one(store, id, fetching_from({server.url()})));
    CHECK(stored_bytes(store, id) == target);
    check_is_exact(again);
    CHECK(fetched_again(server.requests()) == 0);
}

TEST_CASE("fetch: stopped while it uses a delta, or between two in a row, nothing of them comes again") {
    const Chain chain(2);
    check_stopped_update(chain.versions[0], chain.versions[1], chain.files);
    check_stopped_update(chain.versions[0], chain.versions[2], chain.files);
}

TEST_CASE("fetch: of a row of deltas that was cut off, another server can give the rest") {  // A100
    const Chain chain(3);
    const BundleId id = bundle_id_of(chain.versions[3]);
    const TreeServer first({chain.versions[3]}, nullptr, chain.files);
    const TreeServer second({chain.versions[3]}, nullptr, chain.files);
    const ScratchFolder scratch;
    const BundleStore store = make_store(scratch);
    value_of(store.add(make_memory_source(chain.versions[0])));
    std::stop_source stop;
    FetchOptions options = fetching_from({first.url()});
    options.stop = stop.get_token();
    std::size_t steps = 0;
    options.progress = [&](const FetchProgress&) {
        if (++steps == 2)
            stop.request_stop();
    };
    CHECK(code_of(fetch_one(store, id, options)) == ErrorCode::cancelled);
    value_of(fetch_one(store, id, fetching_from({second.url()})));
    CHECK(stored_bytes(store, id) == chain.versions[3]);
    std::vector<RangeRequest> requests = first.requests();
    for (const RangeRequest& request : second.requests())
        requests.push_back(request);
    CHECK(fetched_again(requests) == 0);
}

TEST_CASE("fetch: a kept part of a delta that turns out wrong is asked for no more than once") {  // A47, A49
    Chain chain(2);
    const BundleId id = bundle_id_of(chain.versions[2]);
    const std::string right = chain.files.at(chain.delta_path(1));
    std::string& delta = chain.files.at(chain.delta_path(1));
    delta.back() ^= 1;
    const TreeServer wrong({chain.versions[2]}, nullptr, chain.files);
    const ScratchFolder scratch;
    const BundleStore store = make_store(scratch);
    value_of(store.add(make_memory_source(chain.versions[0])));
    std::stop_source stop;
    FetchOptions options = fetching_from({wrong.url()});
    options.stop = stop.get_token();
    options.progress = [&](const FetchProgress&) { stop.request_stop(); };
    CHECK(code_of(fetch_one(store, id, options)) == ErrorCode::cancelled);
    // What was kept is used, is wrong, and ranges give what it does not.
    value_of(fetch_one(store, id, fetching_from({wrong.url()})));
    CHECK(stored_bytes(store, id) == chain.versions[2]);
    CHECK(fetched_again(wrong.requests()) == 0);
    CHECK(value_of(store.check(true)).incoming == 0);
}

#if defined(FARDEL_CAN_FAIL_CALLS)

TEST_CASE(
    "fetch: killed at every third step of deltas in a row, nothing of the bundle between stays, nor comes again") {
    const Chain chain(2, 150'000);
    const BundleId id = bundle_id_of(chain.versions[2]);  // A100
    value_of(RangeClient::open({}));                      // loads libcurl
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "64m");
    const std::string path = disk.path("store");
    const std::string prepared = disk.path("prepared");
    value_of(value_of(BundleStore::open(prepared, true)).add(make_memory_source(chain.versions[0])));
    int number = 1;
    for (bool paused = true; paused; number += 3) {
        CAPTURE(number);
        REQUIRE(number < 1000);
        const TreeServer server({chain.versions[2]}, nullptr, chain.files);
        std::filesystem::remove_all(path);
        std::filesystem::copy(prepared, path, std::filesystem::copy_options::recursive);
        {
            PausedChild child(number, changes_files, [&] {
                const auto store = BundleStore::open(path, false);
                return store && fetch_one(*store, id, fetching_from({server.url()})) ? 0 : 1;
            });
            paused = child.is_paused();
            CHECK((paused || child.exit_code() == 0));
        }
        const BundleStore store = value_of(BundleStore::open(path, false));
        CHECK(value_of(store.check(true)).findings.empty());
        value_of(fetch_one(store, id, fetching_from({server.url()})));
        CHECK(stored_bytes(store, id) == chain.versions[2]);
        const StoreCheckReport report = value_of(store.check(true));
        CHECK(report.findings.empty());
        CHECK(report.incoming == 0);
        CHECK(report.abandoned_files == 0);
        CHECK(value_of(store.list()).size() == 2);
        CHECK(fetched_again(server.requests()) <= 1);  // what it had received, and not written yet
    }
    CHECK(number > 30);
}

#endif

}  // namespace fardel::tests::fetch_chain_test
