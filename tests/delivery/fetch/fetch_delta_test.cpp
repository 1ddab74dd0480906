// Updates that use what the store has: content that moved to other blocks, and deltas in the tree, right and wrong.
#include "delivery/served_bundle.h"

#include <fardel/delivery/delta_list.h>
#include <fardel/delivery/delta_record.h>
#include <fardel/delivery/tree_paths.h>

#include "kit/bundles.h"

#include <fardel/format/manifest.h>
#include <fardel/hosting/publish.h>
#include <fardel/hosting/publish_delta.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>

namespace fardel::tests::fetch_delta_test {

using Guest = OddServer::Guest;
using GameFiles = std::map<std::string, std::string>;
using TreeFiles = std::map<std::string, std::string>;

// Of `scripts` small texts, and a large one.
GameFiles game_with(std::uint32_t scripts, std::size_t large_bytes) {
    GameFiles files;
    for (std::uint32_t i = 0; i < scripts; ++i)
        files["scripts/" + std::to_string(1000 + i) + ".txt"] = prose(500 + i * 53 % 4000, i);
    files["maps/large.bsp"] = prose(large_bytes, 1000);
    return files;
}

GameFiles first_game() { return game_with(300, 900'000); }

GameFiles second_game() {
    GameFiles files = first_game();
    for (const char* name : {"scripts/1003.txt", "scripts/1100.txt", "scripts/1250.txt"})
        files[name].insert(120, "one more line\n");
    files["maps/large.bsp"].insert(300'000, noise_text(2000, 5));
    return files;
}

Bytes game_of(const GameFiles& files, int level = 3) {
    BundlePlan plan;
    for (const auto& [name, content] : files)
        add(plan, name, content);
    return written(plan, {.level = level, .jobs = 2});
}

// The deltas from each of these to the target, and the list of them.
TreeFiles deltas_from(const std::vector<Bytes>& olds, const Bytes& target) {
    const ScratchFolder scratch;
    const auto tree = make_folder_target(scratch.path("tree"));
    const auto bundle = open_bundle(target);
    TreeFiles files;
    for (const Bytes& old : olds) {
        const DeltaPublication made = value_of(publish_delta(open_bundle(old), *bundle, *tree, {.effort = 9}));
        files[made.path] = scratch.read("tree/" + made.path);
    }
    const std::string list = delta_list_path_of(bundle->id());
    files[list] = scratch.read("tree/" + list);
    return files;
}

TreeFiles deltas_between(const Bytes& old, const Bytes& target) { return deltas_from({old}, target); }

struct Fetched {
    FetchSummary summary;
    std::size_t of_deltas = 0;  // requests
};

// A client that has `old` fetches `target`. It must end with the right bytes.
Fetched update(const Bytes& old, const Bytes& target, const TreeFiles& deltas, TreeServer::Fault fault = nullptr) {
    const ScratchFolder scratch;
    const TreeServer server({target}, std::move(fault), deltas);
    const BundleStore store = make_store(scratch);
    value_of(store.add(make_memory_source(old)));
    Fetched fetched{.summary = value_of(fetch_one(store, bundle_id_of(target), fetching_from({server.url()})))};
    CHECK(stored_bytes(store, bundle_id_of(target)) == target);
    for (const RangeRequest& request : server.requests())
        fetched.of_deltas += request.path.ends_with(".delta") ? 1 : 0;
    return fetched;
}

// Two versions for tests that fetch many times, and the delta between them.
struct SmallUpdate {
    Bytes old;
    Bytes target;
    TreeFiles deltas;
};

SmallUpdate small_update() {
    GameFiles files = game_with(60, 150'000);
    SmallUpdate update{.old = game_of(files)};
    files["scripts/1003.txt"].insert(120, "one more line\n");
    files["maps/large.bsp"].insert(70'000, noise_text(2000, 5));
    update.target = game_of(files);
    update.deltas = deltas_between(update.old, update.target);
    return update;
}

TEST_CASE("fetch: a delta in the tree replaces tables and blocks, and the plan is exact") {
    const Bytes old = game_of(first_game());
    const Bytes target = game_of(second_game());
    const Fetched without = update(old, target, {});
    const Fetched with = update(old, target, deltas_between(old, target));
    CHECK(with.of_deltas == 2);  // tables; blocks
    CHECK(with.summary.received_bytes < 12'000);
    CHECK(with.summary.received_bytes * 5 < without.summary.received_bytes);
    const PlannedFetch& planned = with.summary.plan.bundles.at(0);
    CHECK(planned.tables_bytes + planned.fetch_bytes == with.summary.received_bytes);
}

bool is_delta(const RangeRequest& request) { return request.path.ends_with(".delta"); }

// Answers the first requests that `is_meant` names with an error, or cuts their bodies off.
TreeServer::Fault failing_once(std::function<bool(const RangeRequest&)> is_meant, std::string status) {
    return [is_meant = std::move(is_meant), status = std::move(status), done = std::make_shared<std::atomic<bool>>()](
               Guest& guest, const RangeRequest& request, std::string_view right, std::uint64_t file_bytes) {
        if (!is_meant(request) || done->exchange(true))
            return false;
        const std::string answer = partial_answer(right, request.first, file_bytes);
        guest.send(status.empty() ? answer.substr(0, answer.size() - right.size() / 2)
                                  : http_answer(status, "no", "Retry-After: 1\r\n"));
        return true;
    };
}

TEST_CASE("fetch: list, front and blocks of a delta are asked for again if a request fails, and the plan holds") {
    const SmallUpdate small = small_update();
    const FetchSummary undisturbed = update(small.old, small.target, small.deltas).summary;
    const auto is_list = [](const RangeRequest& request) {
        return request.path.starts_with("deltas/") && !is_delta(request);
    };
    const auto is_front = [](const RangeRequest& request) { return is_delta(request) && request.first == 0; };
    const auto is_segment = [](const RangeRequest& request) { return is_delta(request) && request.first != 0; };
    for (const char* const status : {"503 Service Unavailable", ""})
        for (const std::function<bool(const RangeRequest&)>& is_meant :
             {std::function<bool(const RangeRequest&)>(is_list), std::function<bool(const RangeRequest&)>(is_front),
              std::function<bool(const RangeRequest&)>(is_segment)}) {
            CAPTURE(status);
            const FetchSummary fetched =
                update(small.old, small.target, small.deltas, failing_once(is_meant, status)).summary;
            CHECK(fetched.plan.fetch_bytes == undisturbed.plan.fetch_bytes);
            CHECK(fetched.requests == undisturbed.requests + 1);
            CHECK(fetched.received_bytes <= undisturbed.received_bytes + 2);  // the body of the error
        }
}

TEST_CASE("fetch: a delta that the first server has not, or not whole, comes from the mirror") {
    const SmallUpdate small = small_update();
    const BundleId id = bundle_id_of(small.target);
    for (const char* const status : {"404 Not Found", "403 Forbidden", "503 Service Unavailable", ""}) {
        CAPTURE(status);
        const TreeServer server(
            {small.target},
            [&](Guest& guest, const RangeRequest& request, std::string_view right, std::uint64_t file_bytes) {
                const std::string answer = partial_answer(right, request.first, file_bytes);
                if (is_delta(request))
                    guest.send(*status != '\0' ? http_answer(status, "") : answer.substr(0, answer.size() - 100));
                return is_delta(request);
            },
            small.deltas);
        const TreeServer mirror({small.target}, nullptr, small.deltas);
        const ScratchFolder scratch;
        const BundleStore store = make_store(scratch);
        value_of(store.add(make_memory_source(small.old)));
        const FetchSummary fetched = value_of(fetch_one(store, id, fetching_from({server.url(), mirror.url()})));
        CHECK(fetched.received_bytes < 20'000);
        CHECK(stored_bytes(store, id) == small.target);
    }
}

TEST_CASE(
    "fetch: for blocks that a delta was to give and no server gives, there is another plan, which may be refused") {
    const SmallUpdate small = small_update();
    const BundleId id = bundle_id_of(small.target);
    const TreeServer server(
        {small.target},
        [](Guest& guest, const RangeRequest& request, std::string_view, std::uint64_t) {
            const bool is_segment = is_delta(request) && request.first != 0;
            if (is_segment)
                guest.send(http_answer("404 Not Found", ""));
            return is_segment;
        },
        small.deltas);
    for (const bool agrees : {false, true}) {
        const ScratchFolder scratch;
        const BundleStore store = make_store(scratch);
        value_of(store.add(make_memory_source(small.old)));
        std::vector<std::uint64_t> asked;
        FetchOptions options = fetching_from({server.url()});
        options.consent = [&](const FetchPlan& plan) {
            asked.push_back(plan.fetch_bytes);
            return asked.size() == 1 || agrees ? ok() : Status(Error(ErrorCode::cancelled, "too much"));
        };
        const std::uint64_t sent = server.sent_bytes();
        const auto fetched = fetch_one(store, id, options);
        REQUIRE(asked.size() == 2);
        CHECK(asked[1] > 10 * asked[0]);
        CHECK(fetched.has_value() == agrees);
        CHECK(is_whole(store, id) == agrees);
        if (!agrees)
            CHECK(server.sent_bytes() - sent < 20'000);
    }
}

TEST_CASE("fetch: content that only moved to other blocks is encoded again instead of fetched") {
    const Bytes old = game_of(first_game(), 5);
    GameFiles files = first_game();
    files["scripts/0000.txt"] = prose(70, 9);  // moves what follows
    files.erase("scripts/1001.txt");
    const Bytes target = game_of(files, 5);
    const Fetched fetched = update(old, target, {});
    const auto bundle = open_bundle(target);
    std::uint64_t largest = 0;
    for (std::uint32_t i = 0; i < bundle->table_count(TableKind::blocks); ++i)
        largest = std::max<std::uint64_t>(largest, value_of(bundle->block(i)).stored_bytes);
    CHECK(fetched.summary.plan.fetch_bytes <= 2 * largest);
    // The same from a bundle of another level, of which no stored block is shared.
    CHECK(update(game_of(first_game(), 12), target, {}).summary.plan.fetch_bytes <= 2 * largest);
}

TEST_CASE("fetch: of a delta whose level does not give the blocks that are here, no compressed block is asked for") {
    const Bytes old = game_of(first_game());
    const Bytes target = game_of(second_game());
    TreeFiles deltas = deltas_between(old, target);
    constexpr std::size_t kLevelOffset = 12;
    std::string& delta = deltas.at(delta_path_of(bundle_id_of(target), bundle_id_of(old)));
    REQUIRE(delta[kLevelOffset] == 3);
    delta[kLevelOffset] = 17;
    const Fetched fetched = update(old, target, deltas);
    CHECK(fetched.of_deltas == 1);  // its tables
    const PlannedFetch& planned = fetched.summary.plan.bundles.at(0);
    CHECK(planned.tables_bytes + planned.fetch_bytes == fetched.summary.received_bytes);
}

TEST_CASE("fetch: a delta or list that is wrong costs its bytes and nothing else") {  // A47, A48, A49, A51
    const SmallUpdate small = small_update();
    const Bytes& old = small.old;
    const Bytes& target = small.target;
    const TreeFiles& right = small.deltas;
    const std::string list = delta_list_path_of(bundle_id_of(target));
    const std::string delta = delta_path_of(bundle_id_of(target), bundle_id_of(old));
    const std::uint64_t without = update(old, target, {}).summary.received_bytes;
    const std::uint64_t allowed = without + right.at(delta).size() + kDeltaListBytesMax;
    const auto costs = [&](const std::string& path, const std::function<void(std::string&)>& change) {
        TreeFiles files = right;
        change(files.at(path));
        CHECK(update(old, target, files).summary.received_bytes <= allowed);
    };
    const auto flips = [](std::size_t at) { return [at](std::string& text) { text[at] ^= 1; }; };
    for (const std::size_t at : {0, 20, 60, 80})
        costs(list, flips(at));
    costs(list, [](std::string& text) { text = "<html>sign in to this network</html>"; });
    costs(list, [](std::string& text) { text = noise_text(100'000, 1); });
    for (const std::size_t at : {0, 12, 16, 48, 112, 152, 176, 230})
        costs(delta, flips(at));
    const std::size_t size = right.at(delta).size();
    for (std::size_t at = size / 2; at < size; at += size / 8)
        costs(delta, flips(at));
    costs(delta, [](std::string& text) { text.resize(text.size() / 2); });
    costs(delta, [](std::string& text) { text += "x"; });
    costs(delta, [](std::string& text) { text = noise_text(text.size(), 2); });
    costs(delta, [](std::string& text) { text.clear(); });
}

TEST_CASE("fetch: a delta of an earlier or later form costs its tables, and the bundle comes without it") {
    const SmallUpdate small = small_update();
    const std::string path = delta_path_of(bundle_id_of(small.target), bundle_id_of(small.old));
    constexpr std::size_t kVersionOffset = 8;
    const std::string right = small.deltas.at(path);
    REQUIRE(right[kVersionOffset] == 4);
    // The server says with a page that it has no list.
    const std::uint64_t without =
        update(small.old, small.target, {}).summary.received_bytes - std::string_view("<html>no</html>").size();
    const DeltaHead head = value_of(decode_delta_head(bytes_of(right.substr(0, kDeltaHeadBytes))));
    for (const char version : {'\3', '\5'}) {
        TreeFiles files = small.deltas;
        files.at(path)[kVersionOffset] = version;
        const Fetched fetched = update(small.old, small.target, files);
        CHECK(fetched.of_deltas == 1);
        CHECK(fetched.summary.received_bytes ==
              without + head.front_bytes() + files.at(delta_list_path_of(bundle_id_of(small.target))).size());
    }
}

TEST_CASE("fetch: beside a right server, one that lies about list, delta or tables changes no byte") {  // A47, A48, A88
    const SmallUpdate small = small_update();
    const BundleId id = bundle_id_of(small.target);
    const std::string list = delta_list_path_of(id);
    const std::string delta = delta_path_of(id, bundle_id_of(small.old));
    const std::string tables = tables_path_of(id);
    const TreeServer right({small.target}, nullptr, small.deltas);
    const Bytes third = game_of(game_with(61, 150'000));  // whose list and delta are genuine, too
    const TreeFiles others = deltas_between(small.old, third);
    const std::string& other_list = others.at(delta_list_path_of(bundle_id_of(third)));
    const std::string& other_delta = others.at(delta_path_of(bundle_id_of(third), bundle_id_of(small.old)));
    const std::pair<std::string, std::string> lies[] = {
        {list, other_list},
        {list, noise_text(small.deltas.at(list).size(), 3)},
        {list, ""},
        {delta, other_delta},
        {delta, noise_text(small.deltas.at(delta).size(), 4)},
        {delta, small.deltas.at(delta).substr(0, small.deltas.at(delta).size() / 2)},
        {tables, noise_text(5000, 5)},
        {tables, published_tables(third)},
        {tables, ""},
    };
    for (const auto& [path, lie] : lies) {
        const std::string lied = path;
        TreeFiles files = small.deltas;
        files[path] = lie;
        const TreeServer liar({small.target}, nullptr, files);
        for (const bool liar_first : {true, false})
            for (const bool has_old : {true, false}) {
                CAPTURE(lied);
                CAPTURE(liar_first);
                CAPTURE(has_old);
                const ScratchFolder scratch;
                const BundleStore store = make_store(scratch);
                if (has_old)
                    value_of(store.add(make_memory_source(small.old)));
                const std::vector<std::string> trees =
                    liar_first ? std::vector{liar.url(), right.url()} : std::vector{right.url(), liar.url()};
                value_of(fetch_one(store, id, fetching_from(trees)));
                CHECK(stored_bytes(store, id) == small.target);
                CHECK(value_of(store.check(true)).findings.empty());
            }
    }
}

TEST_CASE("fetch: a list that promises what is not there, or too much, is not believed") {  // A50
    const SmallUpdate small = small_update();
    const Bytes& old = small.old;
    const Bytes& target = small.target;
    const auto bundle = open_bundle(old);
    const auto listing = [&](std::uint64_t delta_bytes, std::uint64_t front_bytes) {
        const auto bytes = encode_delta_list({{.old_bundle = bundle->id(),
                                               .old_layout = bundle->layout_id(),
                                               .delta_bytes = delta_bytes,
                                               .front_bytes = front_bytes}});
        return TreeFiles{{delta_list_path_of(bundle_id_of(target)), text_of(bytes)}};
    };
    CHECK(update(old, target, listing(3000, 300)).of_deltas == 1);
    CHECK(update(old, target, listing(1ull << 40, 1ull << 39)).of_deltas == 0);
    CHECK(update(old, target, listing(10, 10)).of_deltas == 0);
}

TEST_CASE("fetch: segments of a delta that are not smaller than their blocks are not fetched") {  // A50
    const Bytes old = game_of(first_game());
    GameFiles files = first_game();
    files["new.bin"] = noise_text(400'000, 4);
    const Bytes target = game_of(files);
    const Fetched fetched = update(old, target, deltas_between(old, target));
    CHECK(fetched.summary.plan.fetch_bytes < 410'000);
}

TEST_CASE("fetch: a client without the old bundle, or with it in another layout, asks for no delta") {  // A47
    const Bytes old = game_of(first_game());
    const Bytes target = game_of(second_game());
    const TreeFiles deltas = deltas_between(old, target);
    CHECK(update(game_of({{"other.txt", "other"}}), target, deltas).of_deltas == 0);
    CHECK(update(game_of(first_game(), 12), target, deltas).of_deltas == 0);
}

TEST_CASE("fetch: of the deltas from bundles that are here, the smallest is taken") {
    const Bytes first = game_of(first_game());
    const Bytes second = game_of(second_game());
    GameFiles files = second_game();
    files["scripts/1200.txt"].insert(50, "a line of the third version\n");
    const Bytes third = game_of(files);
    const TreeFiles deltas = deltas_from({first, second}, third);
    const auto path_from = [&](const Bytes& old) { return delta_path_of(bundle_id_of(third), bundle_id_of(old)); };
    REQUIRE(deltas.at(path_from(second)).size() < deltas.at(path_from(first)).size());
    const auto received_with = [&](const std::vector<Bytes>& held, const std::string& used) {
        const ScratchFolder scratch;
        const TreeServer server({third}, nullptr, deltas);
        const BundleStore store = make_store(scratch);
        for (const Bytes& one : held)
            value_of(store.add(make_memory_source(one)));
        const FetchSummary fetched = value_of(fetch_one(store, bundle_id_of(third), fetching_from({server.url()})));
        CHECK(stored_bytes(store, bundle_id_of(third)) == third);
        std::size_t of_delta = 0;
        for (const RangeRequest& request : server.requests()) {
            CHECK((!request.path.ends_with(".delta") || request.path == used));
            of_delta += request.path == used ? 1 : 0;
        }
        CHECK(of_delta == 2);  // tables; blocks
        return fetched.received_bytes;
    };
    const std::uint64_t from_first = received_with({first}, path_from(first));
    const std::uint64_t from_second = received_with({second}, path_from(second));
    CHECK(from_second < from_first);
    CHECK(received_with({first, second}, path_from(second)) <= from_second);
}

TEST_CASE("fetch: a delta that is cut off in the middle goes on where it was") {
    const Bytes old = game_of(first_game());
    const Bytes target = game_of(second_game());
    int asked = 0;
    const Fetched fetched =
        update(old, target, deltas_between(old, target),
               [&](Guest& guest, const RangeRequest& request, std::string_view right, std::uint64_t file_bytes) {
                   if (!request.path.ends_with(".delta") || ++asked != 2)
                       return false;
                   const std::string answer = partial_answer(right, request.first, file_bytes);
                   guest.send(std::string_view(answer).substr(0, answer.size() - right.size() / 2));
                   return true;
               });
    CHECK(asked == 3);
    const PlannedFetch& planned = fetched.summary.plan.bundles.at(0);
    CHECK(planned.tables_bytes + planned.fetch_bytes == fetched.summary.received_bytes);
}

TEST_CASE("publish: a delta is listed once, after its file, and one that saves nothing is left out") {
    const ScratchFolder scratch;
    const auto tree = make_folder_target(scratch.path("tree"));
    const auto old = open_bundle(game_of(first_game()));
    const auto target = open_bundle(game_of(second_game()));
    const DeltaPublication first = value_of(publish_delta(old, *target, *tree, {.effort = 3}));
    CHECK_FALSE(first.was_there);
    const DeltaPublication again = value_of(publish_delta(old, *target, *tree, {.effort = 19}));
    CHECK(again.was_there);
    CHECK(again.delta_bytes == first.delta_bytes);
    const auto other = open_bundle(game_of({{"other.txt", "other"}}));
    value_of(publish_delta(other, *target, *tree, {.effort = 3}));
    const std::string list = scratch.read("tree/" + delta_list_path_of(target->id()));
    CHECK(value_of(decode_delta_list(bytes_of(list))).size() == 2);
    const auto noisy = open_bundle(game_of({{"a.bin", noise_text(9000, 1)}}));
    const DeltaPublication useless = value_of(publish_delta(other, *noisy, *tree, {.effort = 3}));
    CHECK((useless.path.empty() || useless.delta_bytes < noisy->source()->size_bytes()));
}

TEST_CASE("publish: a published delta that is of no use is named, and stays until it is removed") {
    const ScratchFolder scratch;
    const auto tree = make_folder_target(scratch.path("tree"));
    const auto old = open_bundle(game_of(first_game()));
    const auto target = open_bundle(game_of(second_game()));
    const std::string path = value_of(publish_delta(old, *target, *tree, {.effort = 3})).path;
    const std::string file = scratch.path("tree/" + path);
    const std::string right = scratch.read("tree/" + path);
    std::string of_other_version = right;
    of_other_version[8] = 99;
    for (const auto& [bytes, code] :
         {std::pair{of_other_version, ErrorCode::unsupported}, std::pair{right.substr(0, 100), ErrorCode::malformed},
          std::pair{right.substr(0, right.size() - 1), ErrorCode::malformed}}) {
        std::filesystem::remove(file);
        scratch.write("tree/" + path, bytes);
        const auto refused = publish_delta(old, *target, *tree, {.effort = 3});
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code() == code);
        CHECK(refused.error().message().starts_with(path + " in the tree is of no use; remove it and publish again"));
        CHECK(scratch.read("tree/" + path) == bytes);
    }
    std::filesystem::remove(file);
    CHECK_FALSE(value_of(publish_delta(old, *target, *tree, {.effort = 3})).was_there);
    CHECK(scratch.read("tree/" + path) == right);
}

}  // namespace fardel::tests::fetch_delta_test
