// Fronts: what publishing writes by itself for updates from earlier versions in the tree, and what fetches make of it.
#include "delivery/served_bundle.h"

#include <fardel/delivery/delta_list.h>
#include <fardel/delivery/delta_record.h>
#include <fardel/delivery/tree_paths.h>
#include "publish/version_list.h"

#include "kit/bundles.h"
#include "kit/disks.h"
#include "kit/failing_call.h"
#include "kit/files.h"
#include "kit/nginx.h"
#include "kit/serve_program.h"

#include <fardel/hosting/prune.h>
#include <fardel/hosting/publish.h>
#include <fardel/hosting/publish_fronts.h>

#include <map>

namespace fardel::tests::publish_fronts_test {

using TreeFiles = std::map<std::string, std::string>;

constexpr std::string_view kName = "game";

// Many small files and a large one; each version edits a few. `name` empty: the bundle has none.
Bytes version_of(std::uint32_t number, std::uint32_t files = 400, std::string_view name = kName,
                 std::size_t large_bytes = 200'000) {
    BundlePlan plan;
    for (std::uint32_t i = 0; i < files; ++i)
        add(plan, "scripts/" + std::to_string(1000 + i) + ".txt", prose(100 + i * 53 % 300, i % 50 == 7 ? number : i));
    std::string large = prose(large_bytes, 1000);
    large.insert(large_bytes / 4, noise_text(2000, number));
    add(plan, "maps/large.bsp", large);
    if (!name.empty())
        plan.metadata = {{.key = "name", .value = std::string(name)}};
    return written(plan, {.level = 3, .jobs = 2});
}

FrontsPublication publish_version(TreeTarget& tree, const Bytes& bytes) {
    value_of(publish_bundle(make_memory_source(bytes), tree));
    return publish_fronts(*open_bundle(bytes), tree, {.effort = 9});
}

// Everything in a folder, by path.
TreeFiles files_below(const std::string& folder) {
    TreeFiles files;
    if (std::filesystem::exists(folder))
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
            if (entry.is_regular_file() && !entry.path().filename().string().starts_with("."))
                files[std::filesystem::relative(entry.path(), folder).string()] = read_file(entry.path().string());
    return files;
}

TreeFiles deltas_of(const std::string& tree) {
    TreeFiles files = files_below(tree);
    std::erase_if(files, [](const auto& file) { return !file.first.starts_with("deltas/"); });
    return files;
}

std::vector<BundleId> olds_of(const FrontsPublication& publication) {
    std::vector<BundleId> olds;
    for (const DeltaPublication& front : publication.fronts)
        olds.push_back(front.old_bundle);
    return olds;
}

// A client that has the old bundles fetches another one. It must end with the right bytes.
FetchSummary update(const std::vector<Bytes>& olds, const Bytes& target, const std::string& url) {
    const ScratchFolder scratch;
    const BundleStore store = make_store(scratch);
    for (const Bytes& old : olds)
        value_of(store.add(make_memory_source(old)));
    FetchSummary fetched = value_of(fetch_one(store, bundle_id_of(target), fetching_from({url})));
    CHECK(stored_bytes(store, bundle_id_of(target)) == target);
    CHECK(value_of(store.check(true)).findings.empty());
    return fetched;
}

struct Updated {
    FetchSummary summary;
    std::vector<std::string> deltas;  // paths of the deltas that were asked for, without lists
};

Updated update_from(const std::vector<Bytes>& olds, const Bytes& target, const TreeFiles& more) {
    const TreeServer server({target}, nullptr, more);
    Updated updated{.summary = update(olds, target, server.url())};
    for (const RangeRequest& request : server.requests())
        if (request.path.ends_with(".delta") || request.path.ends_with(".front"))
            updated.deltas.push_back(request.path.substr(request.path.find("deltas/")));
    return updated;
}

TEST_CASE("fronts: an update from an earlier version in the tree receives a difference of the tables from nginx") {
    const Bytes old = version_of(1);
    const Bytes target = version_of(2);
    const ScratchFolder scratch;
    const Nginx nginx(scratch, "nginx", "delivery.md", "/srv/www/mygame");
    const auto tree = make_folder_target(nginx.tree());
    CHECK(publish_version(*tree, old).fronts.empty());
    const FrontsPublication published = publish_version(*tree, target);
    REQUIRE(published.fronts.size() == 1);
    CHECK_FALSE(published.failure);
    const std::uint64_t front_bytes = published.fronts[0].delta_bytes;
    const std::uint64_t tables_bytes = published_tables(target).size();
    const FetchSummary with = update({old}, target, nginx.url());
    std::filesystem::remove_all(nginx.tree() + "/deltas");
    const FetchSummary without = update({old}, target, nginx.url());
    MESSAGE("tables: " << tables_bytes << " bytes, front: " << front_bytes << ", received: " << with.received_bytes
                       << " instead of " << without.received_bytes);
    CHECK(front_bytes * 4 < tables_bytes);
    CHECK(with.received_bytes + tables_bytes / 2 < without.received_bytes);
    CHECK(with.plan.fetch_bytes == without.plan.fetch_bytes);
    const PlannedFetch& planned = with.plan.bundles.at(0);
    CHECK(planned.tables_bytes + planned.fetch_bytes == with.received_bytes);
    CHECK(with.requests <= without.requests);
}

TEST_CASE("fronts: they start from the latest four versions of the same name, and publishing again changes nothing") {
    const ScratchFolder scratch;
    const auto tree = make_folder_target(scratch.path("tree"));
    std::vector<Bytes> versions;
    std::vector<BundleId> ids;
    FrontsPublication last;
    for (std::uint32_t number = 1; number <= 6; ++number) {
        versions.push_back(version_of(number, 100));
        ids.push_back(bundle_id_of(versions.back()));
        publish_version(*tree, version_of(number, 60, "other"));
        last = publish_version(*tree, versions.back());
        CHECK_FALSE(last.failure);
    }
    CHECK(olds_of(last) == std::vector<BundleId>{ids[4], ids[3], ids[2], ids[1]});
    const TreeFiles before = files_below(scratch.path("tree"));
    for (const Bytes& version : versions)
        for (const DeltaPublication& front : publish_version(*tree, version).fronts)
            CHECK(front.was_there);
    CHECK(files_below(scratch.path("tree")) == before);
    // The first version has no front to the last: such a client receives all tables.
    const TreeFiles deltas = deltas_of(scratch.path("tree"));
    CHECK(update_from({versions[0]}, versions[5], deltas).deltas.empty());
    CHECK(update_from({versions[3]}, versions[5], deltas).deltas ==
          std::vector<std::string>{delta_path_of(ids[5], ids[3], DeltaKind::front)});
}

TEST_CASE("fronts: a bundle without a name and one that saves nothing have none") {
    const ScratchFolder scratch;
    const auto tree = make_folder_target(scratch.path("tree"));
    publish_version(*tree, version_of(1, 60, ""));
    CHECK(publish_version(*tree, version_of(2, 60, "")).fronts.empty());
    CHECK_FALSE(std::filesystem::exists(scratch.path("tree/versions")));
    const auto old = open_bundle(version_of(1, 60));
    const auto target = open_bundle(version_of(2, 60));
    const DeltaPublication front = value_of(publish_front(old, *target, *tree, UINT64_MAX));
    std::filesystem::remove_all(scratch.path("tree/deltas"));
    CHECK(value_of(publish_front(old, *target, *tree, front.delta_bytes)).path.empty());
    CHECK_FALSE(std::filesystem::exists(scratch.path("tree/deltas")));
    CHECK(value_of(publish_front(old, *target, *tree, front.delta_bytes + 1)).delta_bytes == front.delta_bytes);
}

TEST_CASE("fronts: a client prefers a delta with blocks, from whichever bundle, and then the smallest front") {
    const Bytes first = version_of(1);
    const Bytes second = version_of(2);
    const Bytes third = version_of(3);
    const BundleId id = bundle_id_of(third);
    const ScratchFolder scratch;
    const auto tree = make_folder_target(scratch.path("tree"));
    for (const Bytes* bytes : {&first, &second, &third})
        publish_version(*tree, *bytes);
    const std::string of_first = delta_path_of(id, bundle_id_of(first), DeltaKind::front);
    const std::string of_second = delta_path_of(id, bundle_id_of(second), DeltaKind::front);
    const TreeFiles fronts = deltas_of(scratch.path("tree"));
    const bool first_is_smaller = fronts.at(of_first).size() < fronts.at(of_second).size();
    CHECK(update_from({first, second}, third, fronts).deltas ==
          std::vector<std::string>{first_is_smaller ? of_first : of_second});

    // A delta with blocks is published beside a front of the same bundles, and serves instead of any front.
    const DeltaPublication whole =
        value_of(publish_delta(open_bundle(first), *open_bundle(third), *tree, {.effort = 9}));
    CHECK_FALSE(whole.was_there);
    const TreeFiles both = deltas_of(scratch.path("tree"));
    CHECK(both.size() == fronts.size() + 2);
    for (const auto& [path, bytes] : fronts)
        CHECK(both.at(path) == bytes);
    const Updated updated = update_from({first, second}, third, both);
    CHECK(updated.deltas.size() == 2);  // its front; its blocks
    CHECK(std::ranges::count(updated.deltas, whole.path) == 2);
    CHECK(update_from({second}, third, both).deltas == std::vector<std::string>{of_second});
    // A client that does not know fronts sees what it always did.
    const auto list = value_of(decode_delta_list(bytes_of(both.at(delta_list_path_of(id)))));
    REQUIRE(list.size() == 1);
    CHECK(list[0].old_bundle == bundle_id_of(first));
}

TEST_CASE("fronts: one serves when the delta with blocks is of another version of the format") {
    const Bytes old = version_of(1);
    const Bytes target = version_of(2);
    const ScratchFolder scratch;
    const auto tree = make_folder_target(scratch.path("tree"));
    for (const Bytes* bytes : {&old, &target})
        publish_version(*tree, *bytes);
    const std::string path = value_of(publish_delta(open_bundle(old), *open_bundle(target), *tree, {.effort = 3})).path;
    TreeFiles deltas = deltas_of(scratch.path("tree"));
    deltas.at(path)[8] = 1;
    const Updated updated = update_from({old}, target, deltas);
    CHECK(updated.deltas.back() == delta_path_of(bundle_id_of(target), bundle_id_of(old), DeltaKind::front));
}

TEST_CASE("fronts: none is published where a delta with blocks is") {
    const Bytes old = version_of(1, 60);
    const Bytes target = version_of(2, 60);
    const ScratchFolder scratch;
    const auto tree = make_folder_target(scratch.path("tree"));
    publish_version(*tree, old);
    value_of(publish_delta(open_bundle(old), *open_bundle(target), *tree, {.effort = 3}));
    const TreeFiles before = deltas_of(scratch.path("tree"));
    CHECK(publish_version(*tree, target).fronts.empty());
    CHECK(deltas_of(scratch.path("tree")) == before);
}

TEST_CASE("fronts: whatever a front or its list says, it costs its bytes and nothing else") {  // A47, A48, A49
    const Bytes old = version_of(1, 60);
    const Bytes target = version_of(2, 60);
    const BundleId id = bundle_id_of(target);
    const ScratchFolder scratch;
    const auto tree = make_folder_target(scratch.path("tree"));
    publish_version(*tree, old);
    publish_version(*tree, target);
    const TreeFiles right = deltas_of(scratch.path("tree"));
    const Bytes third = version_of(3, 61);
    publish_version(*tree, third);
    const std::string list = delta_list_path_of(id, DeltaKind::front);
    const std::string front = delta_path_of(id, bundle_id_of(old), DeltaKind::front);
    const std::string other_front =
        scratch.read("tree/" + delta_path_of(bundle_id_of(third), bundle_id_of(old), DeltaKind::front));
    const std::uint64_t without = update_from({old}, target, {}).summary.received_bytes;
    REQUIRE(update_from({old}, target, right).summary.received_bytes < without);
    const std::uint64_t allowed = without + right.at(front).size() + kDeltaListBytesMax;
    const auto costs = [&](const std::string& path, const std::string& lie) {
        CAPTURE(path);
        CAPTURE(lie.size());
        TreeFiles files = right;
        files[path] = lie;
        CHECK(update_from({old}, target, files).summary.received_bytes <= allowed);
    };
    const auto flipped = [&](const std::string& path, std::size_t at) {
        std::string text = right.at(path);
        text.at(at) ^= 1;
        return text;
    };
    for (const std::size_t at : {0, 8, 12, 20, 60, 80, 88})
        costs(list, flipped(list, at));
    for (const std::size_t at : {0, 12, 16, 48, 80, 112, 144, 152, 160, 168, 176, 180, 195, 230})
        costs(front, flipped(front, at));
    const std::size_t size = right.at(front).size();
    for (std::size_t at = size / 8; at < size; at += size / 8)
        costs(front, flipped(front, at));
    costs(front, right.at(front).substr(0, size / 2));
    costs(front, right.at(front) + noise_text(100'000, 1));
    costs(front, noise_text(size, 2));
    costs(front, other_front);
    costs(front, "");
    costs(list, "<html>sign in to this network</html>");
    const auto listing = [&](std::uint64_t delta_bytes, std::uint64_t front_bytes) {
        const auto bundle = open_bundle(old);
        return text_of(encode_delta_list({{.old_bundle = bundle->id(),
                                           .old_layout = bundle->layout_id(),
                                           .delta_bytes = delta_bytes,
                                           .front_bytes = front_bytes}}));
    };
    costs(list, listing(size + 1, size));
    costs(list, listing(size, size - 1));
    costs(list, listing(1ull << 40, 1ull << 39));
}

TEST_CASE("fronts: whatever the list of versions says, only bundles of that name that are there and whole count") {
    const Bytes old = version_of(1, 60);
    const Bytes damaged = version_of(2, 60);
    const Bytes other = version_of(1, 60, "other");
    const Bytes target = version_of(3, 60);
    const std::string path = versions_path_of(kName);
    const BundleId gone = bundle_id_of(version_of(9, 60));
    const BundleId ids[] = {bundle_id_of(old), bundle_id_of(damaged), bundle_id_of(other), gone};
    CHECK(value_of(parse_version_list(format_version_list(ids))) ==
          std::vector<BundleId>(std::begin(ids), std::end(ids)));
    for (const int lie : {0, 1, 2, 3}) {
        CAPTURE(lie);
        const ScratchFolder scratch;
        const auto tree = make_folder_target(scratch.path("tree"));
        for (const Bytes* bytes : {&old, &damaged, &other})
            value_of(publish_bundle(make_memory_source(*bytes), *tree));
        std::string broken = text_of(damaged);
        broken[broken.size() - 4000] ^= 1;  // in its tables
        write_file(scratch.path("tree/" + tree_path_of(ids[1])), broken);
        const std::string right = format_version_list(ids);
        scratch.write("tree/" + path, lie == 0   ? right
                                      : lie == 1 ? right + ids[0].hex() + "\n"
                                      : lie == 2 ? right.substr(0, right.size() - 1)
                                                 : noise_text(100'000, 3));
        const FrontsPublication published = publish_version(*tree, target);
        CHECK(olds_of(published) == (lie == 0 ? std::vector<BundleId>{ids[0]} : std::vector<BundleId>()));
        CHECK(published.failure.has_value() == (lie == 0));
        if (published.failure)
            CHECK(published.failure->message().find(ids[1].hex()) != std::string::npos);
        CHECK(value_of(parse_version_list(scratch.read("tree/" + path))).back() == bundle_id_of(target));
        CHECK(scratch.read("tree/" + tree_path_of(bundle_id_of(target))) == text_of(target));
    }
}

TEST_CASE("fronts: a list of versions keeps the latest ones, and refuses what it would not write") {
    const ScratchFolder scratch;
    const auto tree = make_folder_target(scratch.path("tree"));
    const auto id_at = [](std::size_t i) {
        BundleId id;
        id.bytes[0] = static_cast<std::uint8_t>(i);
        return id;
    };
    std::vector<BundleId> versions;
    for (std::size_t i = 0; i < kListedVersionsMax + 3; ++i)
        versions = value_of(add_version(*tree, "versions/list", id_at(i)));
    CHECK(versions.size() == kListedVersionsMax);
    CHECK(versions.front() == id_at(3));
    CHECK(value_of(add_version(*tree, "versions/list", id_at(5))) == versions);
    const std::string text = format_version_list(versions);
    CHECK(value_of(parse_version_list(text)) == versions);
    for (const std::string& bad : {std::string(), text.substr(1), text + id_at(1).hex() + "\n", text + "\n",
                                   text.substr(0, text.size() - 1), text.substr(0, text.size() - 2) + "\n"})
        CHECK_FALSE(parse_version_list(bad));
}

TEST_CASE("fronts: a prune removes them with the bundle to which they lead") {
    const Bytes versions[] = {version_of(1, 60), version_of(2, 60), version_of(3, 60)};
    const ScratchFolder scratch;
    const auto tree = make_folder_target(scratch.path("tree"));
    for (const Bytes& bytes : versions)
        publish_version(*tree, bytes);
    constexpr std::uint64_t kDay = 24 * 3600;
    for (const std::uint64_t day : {100, 200})
        value_of(prune_tree(
            *tree, {.keep = {bundle_id_of(versions[2])}, .grace_s = 7 * kDay, .now_s = [day] { return day * kDay; }}));
    for (const auto& [path, bytes] : deltas_of(scratch.path("tree")))
        CHECK(path.find("deltas/" + bundle_id_of(versions[2]).hex()) == 0);
    CHECK(deltas_of(scratch.path("tree")).size() == 3);
    // What is gone is not missed.
    const FrontsPublication next = publish_version(*tree, version_of(4, 60));
    CHECK(olds_of(next) == std::vector<BundleId>{bundle_id_of(versions[2])});
    CHECK_FALSE(next.failure);
}

#if defined(FARDEL_CAN_FAIL_CALLS)

TEST_CASE("fronts: publishing that is killed, or fails, at any step leaves a tree whose lists are right") {  // A100
    const Bytes old = version_of(1, 20, kName, 2000);
    const Bytes target = version_of(2, 20, kName, 2000);
    const BundleId id = bundle_id_of(target);
    const auto new_bundle = open_bundle(target);
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "64m");
    const std::string tree = disk.path("tree");
    const auto publish = [&] {
        const auto folder = make_folder_target(tree);
        return publish_fronts(*new_bundle, *folder, {.effort = 3}).failure ? 1 : 0;
    };
    const std::string start = scratch.path("start");
    {
        const auto folder = make_folder_target(start);
        publish_version(*folder, old);
        value_of(publish_bundle(make_memory_source(target), *folder));
    }
    const auto begin = [&] {
        std::filesystem::remove_all(tree);
        std::filesystem::copy(start, tree, std::filesystem::copy_options::recursive);
    };
    begin();
    REQUIRE(publish() == 0);
    const TreeFiles right = files_below(tree);
    const std::string list = delta_list_path_of(id, DeltaKind::front);
    const std::string front = delta_path_of(id, bundle_id_of(old), DeltaKind::front);
    REQUIRE(right.contains(list));
    const auto check_tree = [&] {
        for (const auto& [name, bytes] : files_below(tree)) {
            const std::string path = name;
            CAPTURE(path);
            if (path.ends_with(".tmp"))
                continue;
            REQUIRE(right.contains(path));
            CHECK((bytes == right.at(path) || path.starts_with("versions/")));
        }
        CHECK((!std::filesystem::exists(tree + "/" + list) || std::filesystem::exists(tree + "/" + front)));
        CHECK(publish() == 0);
        CHECK(files_below(tree) == right);
    };
    int number = 1;
    for (bool paused = true; paused; ++number) {
        CAPTURE(number);
        REQUIRE(number < 500);
        begin();
        {
            PausedChild child(number, changes_files, publish);
            paused = child.is_paused();
            CHECK((paused || child.exit_code() == 0));
        }
        check_tree();
    }
    CHECK(number > 20);
    // One after the other: a lock whose close() fails is held to the end of the process.
    const auto list_version = [&] {
        const auto folder = make_folder_target(tree);
        return add_version(*folder, versions_path_of(kName), id) ? 0 : 1;
    };
    constexpr int kErrors[] = {ENOSPC, EIO, EROFS, EDQUOT};
    for (const bool is_listed : {false, true}) {
        bool failed = true;
        for (number = 1; failed; ++number) {
            const int error = kErrors[number % 4];
            CAPTURE(number);
            CAPTURE(error);
            REQUIRE(number < 2000);
            begin();
            REQUIRE((!is_listed || list_version() == 0));
            failed = fail_call(number, error, [&] { return is_listed ? publish() : list_version(); }).failed;
            check_tree();
        }
    }
}

#endif

}  // namespace fardel::tests::publish_fronts_test
