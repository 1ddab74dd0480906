// Pruning static trees, beside publishers, readers and other prunes.
#include <fardel/delivery/delta_list.h>
#include <fardel/delivery/tree_paths.h>
#include "delivery/served_bundle.h"
#include "kit/bundles.h"
#include "kit/failing_call.h"
#include "kit/nginx.h"
#include "kit/s3_server.h"
#include "pruned_tree.h"

#include <fardel/hosting/prune.h>
#include <fardel/hosting/publish.h>
#include <fardel/hosting/publish_delta.h>
#include <fardel/hosting/tree_address.h>
#include "publish/condemned_list.h"

#include <functional>

namespace fardel::tests::prune_test {

TEST_CASE("condemned list: what is parsed is exactly what is formatted") {
    CondemnedFiles list;
    CHECK(value_of(parse_condemned_list(format_condemned_list(list))) == list);
    list["bundles/a.fardel"] = {.is_being_removed = true, .since = {5}};
    list["bundles/a.tables"] = {.since = {18'446'744'073'709'551'615u}};
    const std::string text = format_condemned_list(list);
    CHECK(text == "fardel-condemned 1\nremoving 5 bundles/a.fardel\ncondemned 18446744073709551615 bundles/a.tables\n");
    CHECK(value_of(parse_condemned_list(text)) == list);
    const std::string first = "fardel-condemned 1\n";
    for (std::size_t length = 0; length < text.size(); ++length)
        if (length != first.size() && text[length - (length > 0)] != '\n')
            CHECK_FALSE(parse_condemned_list(text.substr(0, length)));
    for (const char* bad : {"condemned 5 a", "condemned 05 a\n", "condemned a\n", "condemned -1 a\n", "kept 1 a\n",
                            "condemned 1 ../a\n", "condemned 1 b\ncondemned 1 a\n", "condemned 1 a\ncondemned 1 a\n",
                            "condemned 18446744073709551616 a\n", "condemned 1  a\n", "\n"})
        CHECK_FALSE(parse_condemned_list(first + bad));
}

void check_prune(TreeTarget& tree) {
    const Game game;
    publish_all(tree, game);
    const std::vector<BundleId> keep{bundle_id_of(game.second)};
    // The first prune removes nothing.
    PruneReport report = value_of(prune_tree(tree, keeping(keep, kPruneStart)));
    CHECK(report.kept_bundles == 2);  // with the base
    CHECK(count_of(report, PruneStep::condemned) == 2 * kFilesOfBundle);
    CHECK(report.files.size() == 2 * kFilesOfBundle);
    report = value_of(prune_tree(tree, keeping(keep, kPruneStart + 6 * kDay)));
    CHECK(count_of(report, PruneStep::waiting) == 2 * kFilesOfBundle);
    CHECK((has(tree, game.first) && has(tree, game.lone)));
    // A bundle that is published again, or kept again, is safe.
    publish_to(tree, game.lone, kPruneStart + 6 * kDay);
    report = value_of(prune_tree(tree, keeping(keep, kPruneStart + 8 * kDay)));
    CHECK(count_of(report, PruneStep::removed) == kFilesOfBundle);
    CHECK(count_of(report, PruneStep::condemned) == kFilesOfBundle);
    CHECK_FALSE(has(tree, game.first));
    CHECK((has(tree, game.base) && has(tree, game.second) && has(tree, game.lone)));
    CHECK(list_of(tree).size() == kFilesOfBundle);
    report = value_of(prune_tree(tree, keeping({keep[0], bundle_id_of(game.lone)}, kPruneStart + 9 * kDay)));
    CHECK(count_of(report, PruneStep::kept) == kFilesOfBundle);
    CHECK(list_of(tree).empty());
    // What was removed can be published again.
    publish_to(tree, game.first, kPruneStart + 9 * kDay);
    CHECK(has(tree, game.first));
}

TEST_CASE("prune: old files are condemned first and removed later; what is kept, needed or published again stays") {
    const ScratchFolder scratch;
    check_prune(*make_folder_target(scratch.path("tree")));
}

TEST_CASE("prune: a bucket is pruned like a folder") {  // A93
    const ScratchFolder scratch;
    const S3Server server(scratch, {"page=3"});
    check_prune(*value_of(
        open_tree_target(server.address(), {.aws_key_id = S3Server::key_id(), .aws_secret_key = S3Server::secret()})));
}

TEST_CASE("prune: a tree on a WebDAV server is pruned like a folder") {
    const ScratchFolder scratch;
    const DavServer server(scratch);
    check_prune(*value_of(open_tree_target(server.address(), {})));
}

TEST_CASE_FIXTURE(GameTree,
                  "prune: a plan changes nothing, and a tree that lacks a kept or needed bundle is left alone") {
    publish_all(*tree, game);
    PruneOptions options = keeping({bundle_id_of(game.lone)}, kPruneStart);
    options.only_plans = true;
    CHECK(count_of(value_of(prune_tree(*tree, options)), PruneStep::condemned) == 3 * kFilesOfBundle);
    CHECK_FALSE(std::filesystem::exists(scratch.path("tree/condemned")));

    CHECK(tree->remove(tree_path_of(bundle_id_of(game.base))));
    check_error(prune_tree(*tree, keeping({bundle_id_of(game.lone), bundle_id_of(game.second)}, kPruneStart)),
                ErrorCode::unresolved, bundle_id_of(game.base).hex());
    CHECK_FALSE(std::filesystem::exists(scratch.path("tree/condemned")));
    // Another bundle's bytes under a kept id.
    scratch.write("tree/" + tree_path_of(bundle_id_of(game.base)), std::span<const std::byte>(game.lone));
    CHECK(prune_tree(*tree, keeping({bundle_id_of(game.base)}, kPruneStart)).error().code() == ErrorCode::corrupt);
}

TEST_CASE("prune: a grace time of less than a day is refused before anything is condemned") {
    const ScratchFolder scratch;
    const auto tree = make_folder_target(scratch.path("tree"));
    const Game game;
    publish_all(*tree, game);
    PruneOptions options = keeping({bundle_id_of(game.lone)}, kPruneStart);
    for (const std::uint64_t grace_s : {std::uint64_t{0}, kPruneGraceSecondsMin - 1}) {
        options.grace_s = grace_s;
        const auto refused = prune_tree(*tree, options);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code() == ErrorCode::limit);
        CHECK(refused.error().message().find("86400") != std::string::npos);
    }
    CHECK(list_of(*tree).empty());
    options.grace_s = kPruneGraceSecondsMin;
    value_of(prune_tree(*tree, options));
    CHECK(list_of(*tree).size() == 3 * kFilesOfBundle);
}

TEST_CASE("prune: deltas, tables and traces go with the bundle that they belong to, and those of kept bundles stay") {
    const ScratchFolder scratch;
    const auto tree = make_folder_target(scratch.path("tree"));
    const Game game;
    publish_all(*tree, game);
    const BundleId first = bundle_id_of(game.first);
    const BundleId second = bundle_id_of(game.second);
    const auto publish_delta_to = [&](const Bytes& from, const Bytes& to) {
        value_of(publish_delta(open_bundle(from), *open_bundle(to), *tree, {.effort = 1}));
    };
    publish_delta_to(game.first, game.second);
    publish_delta_to(game.base, game.first);
    for (const BundleId& id : {first, second})
        scratch.write("tree/bundles/" + id.hex() + ".trace", "trace");
    scratch.write("tree/deltas/" + first.hex() + "/readme", "also of the bundle");
    const auto there = [&](const std::string& path) { return std::filesystem::exists(scratch.path("tree/" + path)); };
    const std::string own_delta = delta_path_of(first, bundle_id_of(game.base));

    const std::vector<BundleId> keep{second, bundle_id_of(game.lone)};
    PruneOptions plan = keeping(keep, kPruneStart);
    plan.only_plans = true;
    const PruneReport planned = value_of(prune_tree(*tree, plan));
    // And a trace, a delta, the list of deltas, and a readme.
    CHECK(count_of(planned, PruneStep::condemned) == kFilesOfBundle + 4);
    CHECK(std::ranges::find(planned.files, own_delta, &PrunedFile::path) != planned.files.end());
    value_of(prune_tree(*tree, keeping(keep, kPruneStart)));
    // A delta that comes later has its own grace time, and is found when the bundle is gone.
    publish_delta_to(game.lone, game.first);
    value_of(prune_tree(*tree, keeping(keep, kPruneStart + 6 * kDay)));
    CHECK(count_of(value_of(prune_tree(*tree, keeping(keep, kPruneStart + 8 * kDay))), PruneStep::removed) ==
          kFilesOfBundle + 4);
    CHECK_FALSE(has(*tree, game.first));
    CHECK_FALSE(there(own_delta));
    CHECK_FALSE(there(delta_list_path_of(first)));
    CHECK_FALSE(there("bundles/" + first.hex() + ".trace"));
    CHECK(there(delta_path_of(first, bundle_id_of(game.lone))));
    CHECK(count_of(value_of(prune_tree(*tree, keeping(keep, kPruneStart + 14 * kDay))), PruneStep::removed) == 1);
    CHECK_FALSE(there(delta_path_of(first, bundle_id_of(game.lone))));
    CHECK(list_of(*tree).empty());
    // What leads to a kept bundle stays, although what it starts from has gone.
    CHECK(there(delta_path_of(second, first)));
    CHECK(there(delta_list_path_of(second)));
    CHECK(there("bundles/" + second.hex() + ".trace"));

    // A bundle that is kept again keeps its deltas.
    value_of(prune_tree(*tree, keeping({bundle_id_of(game.lone)}, kPruneStart + 20 * kDay)));
    value_of(prune_tree(*tree, keeping(keep, kPruneStart + 30 * kDay)));
    CHECK(list_of(*tree).empty());
    CHECK(there(delta_path_of(second, first)));
}

TEST_CASE_FIXTURE(
    GameTree, "prune: files that are not a bundle's stay, leftovers of uploads go, a damaged list only costs time") {
    publish_to(*tree, game.lone);
    const std::string leftover = tree_path_of(bundle_id_of(game.lone)) + ".upload-0123456789abcdef";
    scratch.write("tree/" + leftover, "part");
    scratch.write("tree/bundles/readme.txt", "mine");
    scratch.write("tree/other/file", "mine");
    const std::vector<BundleId> keep{bundle_id_of(game.lone)};
    CHECK(value_of(prune_tree(*tree, keeping(keep, kPruneStart))).files.size() == 1);
    scratch.write("tree/condemned", "fardel-condemned 1\ncondemned 1 " + leftover);  // cut
    CHECK(count_of(value_of(prune_tree(*tree, keeping(keep, kPruneStart + 8 * kDay))), PruneStep::condemned) == 1);
    CHECK(count_of(value_of(prune_tree(*tree, keeping(keep, kPruneStart + 16 * kDay))), PruneStep::removed) == 1);
    CHECK_FALSE(std::filesystem::exists(scratch.path("tree/" + leftover)));
    CHECK(scratch.read("tree/bundles/readme.txt") == "mine");
    CHECK(scratch.read("tree/other/file") == "mine");
    CHECK(has(*tree, game.lone));
}

TEST_CASE(
    "prune: a publisher between any two steps keeps its bundle and what that needs, or is told to wait") {  // A106
    for (int step = 0; step < 3; ++step) {
        CAPTURE(step);
        const ScratchFolder scratch;
        const auto tree = make_folder_target(scratch.path("tree"));
        const Game game;
        for (const Bytes* bytes : {&game.base, &game.lone})
            publish_to(*tree, *bytes);
        const std::vector<BundleId> keep{bundle_id_of(game.lone)};
        value_of(prune_tree(*tree, keeping(keep, kPruneStart)));  // condemns the base
        WatchedTarget watched(*tree);
        const UnixTime now = kPruneStart + 8 * kDay;
        std::optional<Result<Publication>> published;
        const auto publish_first = [&] {
            published = publish_bundle(make_memory_source(game.first), *tree, {.now = now});
        };
        (step == 0 ? watched.before_list : step == 1 ? watched.before_replace : watched.before_remove) = publish_first;
        value_of(prune_tree(watched, keeping(keep, now)));
        REQUIRE(published);
        if (step < 2) {
            CHECK(*published);
            CHECK((has(*tree, game.first) && has(*tree, game.base)));
        } else {
            REQUIRE_FALSE(*published);
            CHECK(published->error().code() == ErrorCode::busy);
            CHECK_FALSE(has(*tree, game.base));
            CHECK(publish_bundle(make_memory_source(game.base), *tree, {.now = now}));
            CHECK(publish_bundle(make_memory_source(game.first), *tree, {.now = now}));
        }
    }
}

TEST_CASE_FIXTURE(
    GameTree,
    "prune: two prunes with different wishes do not remove what the other keeps, and a slow one stops") {  // A106
    publish_all(*tree, game);
    const UnixTime now = kPruneStart + 8 * kDay;
    value_of(prune_tree(*tree, keeping({bundle_id_of(game.lone)}, kPruneStart)));
    WatchedTarget watched(*tree);
    watched.before_remove = [&] {
        CHECK(code_of(prune_tree(*tree, keeping({bundle_id_of(game.first)}, now))) == ErrorCode::busy);
        // One that agrees leaves to the first what it has announced.
        CHECK(count_of(value_of(prune_tree(*tree, keeping({bundle_id_of(game.lone)}, now))), PruneStep::removed) == 0);
    };
    value_of(prune_tree(watched, keeping({bundle_id_of(game.lone)}, now)));
    CHECK(has(*tree, game.lone));
    CHECK_FALSE(has(*tree, game.first));

    // A prune that was asleep for too long removes nothing more.
    publish_to(*tree, game.first, now);
    value_of(prune_tree(*tree, keeping({bundle_id_of(game.lone)}, now)));
    UnixTime clock = now + 8 * kDay;
    PruneOptions slow = keeping({bundle_id_of(game.lone)}, {});
    slow.now = [&] { return std::exchange(clock, clock + kRemovalLeaseSeconds); };
    CHECK(prune_tree(*tree, slow).error().code() == ErrorCode::busy);
    CHECK(has(*tree, game.first));
    // An hour later, both publishing and pruning go on.
    CHECK(publish_bundle(make_memory_source(game.base), *tree, {.now = clock + kRemovalLeaseSeconds}));
    publish_to(*tree, game.first, clock + kRemovalLeaseSeconds);
    CHECK(list_of(*tree).empty());
}

#if defined(FARDEL_CAN_FAIL_CALLS)

TEST_CASE("prune: killed at any step, the next one ends with the same tree, and kept bundles are whole") {  // A100 A106
    const Game game;
    const ScratchFolder scratch;
    const std::vector<BundleId> keep{bundle_id_of(game.second)};
    const UnixTime now = kPruneStart + 8 * kDay;
    std::unique_ptr<TreeTarget> tree;
    const auto prepare = [&] {
        std::filesystem::remove_all(scratch.path("tree"));
        tree = make_folder_target(scratch.path("tree"));
        publish_all(*tree, game);
        value_of(prune_tree(*tree, keeping(keep, kPruneStart)));
    };
    const auto prune = [&] {
        return exit_code_of(prune_tree(*make_folder_target(scratch.path("tree")), keeping(keep, now)));
    };
    kill_at_each_call(1000, prepare, prune, [&](int, bool) {
        CHECK(
            (tree->open(tree_path_of(bundle_id_of(game.second))) && tree->open(tree_path_of(bundle_id_of(game.base)))));
        value_of(prune_tree(*tree, keeping(keep, now + kRemovalLeaseSeconds)));
        CHECK((has(*tree, game.second) && has(*tree, game.base)));
        CHECK_FALSE((has(*tree, game.first) || has(*tree, game.lone)));
        value_of(prune_tree(*tree, keeping(keep, now + 2 * kRemovalLeaseSeconds)));
        CHECK(list_of(*tree).empty());
    });
}

#endif

}  // namespace fardel::tests::prune_test
