// What publishing and pruning change in the folder of a static tree, each killed, failing and without power at every
// step, and while the folder vanishes or cannot be written.
#include <fardel/delivery/delta_list.h>
#include <fardel/hosting/make_delta.h>
#include "bundle-format/channel/channel_samples.h"
#include "kit/bundles.h"
#include "kit/disks.h"
#include "kit/failing_call.h"
#include "kit/files.h"
#include "kit/power_loss.h"

#include <fardel/base/system_error.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>
#include <fardel/hosting/channel_tree.h>
#include <fardel/hosting/prune.h>
#include <fardel/hosting/publish.h>
#include <fardel/hosting/publish_delta.h>
#include <fardel/hosting/publish_trace.h>
#include "publish/condemned_list.h"

#include <functional>
#include <map>

namespace fardel::tests::tree_changes_test {

constexpr std::uint64_t kDayOfTree = 24 * 3600;

// By path, without locks and temporary files.
using FilesOfTree = std::map<std::string, std::string>;

FilesOfTree files_in(const std::string& tree) {
    FilesOfTree files = files_below(tree);
    std::erase_if(files, [](const auto& file) { return fs::path(file.first).filename().string().starts_with("."); });
    return files;
}

Bytes tree_bundle(std::uint32_t number, const std::vector<BundleId>& needs = {}) {
    BundlePlan plan;
    add(plan, "shared.bin", noise_text(20'000, 1), "application/octet-stream");
    add(plan, "own.bin", noise_text(5'000, 100 + number), "application/octet-stream");
    for (int i = 0; i < 10; ++i)
        add(plan, "texts/" + std::to_string(i) + ".txt", prose(500, static_cast<std::uint32_t>(i)));
    for (const BundleId& need : needs)
        plan.dependencies.push_back({.bundle = need, .is_static = true});
    return written(plan);
}

// One that is made again after it was interrupted has a higher `attempt`, from 0.
struct TreeChange {
    std::string name;
    std::function<void(TreeTarget&)> prepare;
    std::function<Status(TreeTarget&, std::uint64_t attempt)> make;
    std::function<bool(const FilesOfTree&)> is_consistent;  // whatever the change was interrupted at
};

class ChangedTrees {
public:
    // Those that no other file of tests covers.
    std::vector<TreeChange> changes() const { return {withdrawal(), trace(), root(), release(), prune()}; }
    std::vector<TreeChange> all_changes() const {
        return {bundle(), delta(), withdrawal(), trace(), root(), release(), prune()};
    }

private:
    const Bytes base_ = tree_bundle(1);
    const Bytes old_ = tree_bundle(2, {bundle_id_of(base_)});
    const Bytes new_ = tree_bundle(3, {bundle_id_of(base_)});
    const BundleId old_id_ = bundle_id_of(old_);
    const BundleId new_id_ = bundle_id_of(new_);

    static void publish(TreeTarget& tree, const Bytes& bytes) {
        value_of(publish_bundle(make_memory_source(bytes), tree));
    }
    void publish_all(TreeTarget& tree) const {
        for (const Bytes* bytes : {&base_, &old_, &new_})
            publish(tree, *bytes);
    }

    // The tables of a bundle promise its file.
    TreeChange bundle() const {
        return {"bundle", [this](TreeTarget& tree) { publish(tree, base_); },
                [this](TreeTarget& tree, std::uint64_t) {
                    return status_of(publish_bundle(make_memory_source(old_), tree));
                },
                [this](const FilesOfTree& files) {
                    return !files.contains(tables_path_of(old_id_)) || files.contains(tree_path_of(old_id_));
                }};
    }
    // A list names deltas that are there.
    bool is_right_list(const FilesOfTree& files) const {
        const auto list = files.find(delta_list_path_of(new_id_));
        if (list == files.end())
            return true;
        const auto listed = value_of(decode_delta_list(std::as_bytes(std::span(list->second))));
        return std::ranges::all_of(
            listed, [&](const ListedDelta& one) { return files.contains(delta_path_of(new_id_, one.old_bundle)); });
    }
    Status make_delta(TreeTarget& tree) const {
        return status_of(publish_delta(open_bundle(old_), *open_bundle(new_), tree, {.effort = 1}));
    }
    TreeChange delta() const {
        return {"delta", [this](TreeTarget& tree) { publish_all(tree); },
                [this](TreeTarget& tree, std::uint64_t) { return make_delta(tree); },
                [this](const FilesOfTree& files) { return is_right_list(files); }};
    }
    TreeChange withdrawal() const {
        return {"withdrawal",
                [this](TreeTarget& tree) {
                    publish_all(tree);
                    REQUIRE(make_delta(tree));
                },
                [this](TreeTarget& tree, std::uint64_t) { return withdraw_delta(old_id_, new_id_, tree); },
                [this](const FilesOfTree& files) { return is_right_list(files); }};
    }
    // One is replaced by another.
    TreeChange trace() const {
        const auto trace_of = [this](std::uint32_t asset) {
            const AssetRecord record = value_of(open_bundle(old_)->asset(AssetIndex{asset}));
            return Trace{
                {.opened_ms = 1, .size_bytes = record.raw_bytes, .bundle = old_id_, .asset = record.id, .name = {}}};
        };
        return {"trace",
                [this, trace_of](TreeTarget& tree) {
                    publish(tree, old_);
                    value_of(publish_trace(*open_bundle(old_), trace_of(0), tree));
                },
                [this, trace_of](TreeTarget& tree, std::uint64_t) {
                    return status_of(publish_trace(*open_bundle(old_), trace_of(1), tree));
                },
                [](const FilesOfTree&) { return true; }};
    }
    TreeChange root() const {
        return {"root", [this](TreeTarget& tree) { publish(tree, base_); },
                [](TreeTarget& tree, std::uint64_t) {
                    return publish_channel_root(tree, root_file(sample_root()), kChannelNow);
                },
                [](const FilesOfTree&) { return true; }};
    }
    // A release is there before the head that names it, and after what its bundles need.
    TreeChange release() const {
        const auto publish_release = [](TreeTarget& tree, std::uint64_t version) -> Status {
            const std::string release = release_file(sample_release(version));
            FARDEL_TRY(publish_channel_release(tree, release, kChannelNow));
            return publish_channel_head(tree, head_file(head_for(version, release, version)), kChannelNow);
        };
        const std::string text = release_file(sample_release(2));
        const std::string channel = sample_release().channel;
        const std::string path = channel_release_path(channel, blake3(std::as_bytes(std::span(text))));
        const std::string head = head_file(head_for(2, text, 2));
        return {"release",
                [=](TreeTarget& tree) {
                    REQUIRE(publish_channel_root(tree, root_file(sample_root()), kChannelNow));
                    REQUIRE(publish_release(tree, 1));
                },
                [=](TreeTarget& tree, std::uint64_t) { return publish_release(tree, 2); },
                [=](const FilesOfTree& files) {
                    const bool has_release = files.contains(path);
                    return (!has_release || files.contains(requirements_path_of(path))) &&
                           (has_release || files.at(channel_head_path(channel)) != head);
                }};
    }
    // One that removes what was condemned earlier. What was announced counts for an hour.
    TreeChange prune() const {
        const auto prune_at = [id = new_id_](TreeTarget& tree, UnixTime now) {
            return status_of(prune_tree(tree, {.keep = {id}, .grace_s = 7 * kDayOfTree, .now = [now] { return now; }}));
        };
        return {"prune",
                [=, this](TreeTarget& tree) {
                    publish_all(tree);
                    REQUIRE(make_delta(tree));
                    REQUIRE(publish_delta(open_bundle(new_), *open_bundle(old_), tree, {.effort = 1}));
                    REQUIRE(prune_at(tree, kChannelNow));
                },
                [=](TreeTarget& tree, std::uint64_t attempt) {
                    return prune_at(tree, kChannelNow + 8 * kDayOfTree + attempt * kRemovalLeaseSeconds);
                },
                [this](const FilesOfTree& files) {
                    const auto list = files.find(std::string(kCondemnedListPath));
                    // What remains of a bundle after a kill is found again by its file.
                    return is_right_list(files) && list != files.end() && parse_condemned_list(list->second) &&
                           (files.contains(tree_path_of(old_id_)) || !files.contains(tables_path_of(old_id_)));
                }};
    }
};

// A change with the tree before and after it.
class ChangedTree {
public:
    explicit ChangedTree(TreeChange change) : change_(std::move(change)) {
        const auto tree = make_folder_target(disk_.path("start/tree"));
        change_.prepare(*tree);
        before_ = files_in(disk_.path("start/tree"));
        restore(folder());
        REQUIRE(make_in(folder()) == 0);
        after_ = files_in(folder() + "/tree");
        CHECK(after_ != before_);
    }

    std::string folder() const { return disk_.path("folder"); }
    std::string left() const { return disk_.path("left"); }
    const SmallDisk& disk() const { return disk_; }
    const FilesOfTree& before() const { return before_; }

    void restore(const std::string& folder) const {
        fs::remove_all(folder);
        fs::copy(disk_.path("start"), folder, fs::copy_options::recursive);
    }
    int make_in(const std::string& folder, std::uint64_t attempt = 0) const {
        const auto tree = make_folder_target(folder + "/tree");
        return exit_code_of(change_.make(*tree, attempt));
    }

    // Each file is as it was before or as it is afterwards; made again, the change ends with the same tree.
    void verify(const std::string& folder, bool is_reported) const {
        const FilesOfTree files = files_in(folder + "/tree");
        for (const auto& [name, content] : files) {
            const std::string path = name;
            CAPTURE(path);
            const bool is_old = before_.contains(path) && before_.at(path) == content;
            const bool is_new = after_.contains(path) && after_.at(path) == content;
            CHECK((is_old || is_new || path == kCondemnedListPath));
        }
        for (const auto& [name, content] : before_) {
            const std::string path = name;
            CAPTURE(path);
            CHECK((files.contains(path) || !after_.contains(path)));
        }
        CHECK(change_.is_consistent(files));
        CHECK((!is_reported || files == after_));
        for (std::uint64_t attempt = 1; attempt <= 2; ++attempt)
            CHECK(make_in(folder, attempt) == 0);
        CHECK(files_in(folder + "/tree") == after_);
    }

private:
    const TreeChange change_;
    ScratchFolder scratch_;
    SmallDisk disk_{scratch_, "64m"};
    FilesOfTree before_;
    FilesOfTree after_;
};

#if defined(FARDEL_CAN_FAIL_CALLS)

TEST_CASE(
    "tree changes: killed at any step, files are old or new, what names others comes last, and it goes on") {  // A100
    const ChangedTrees trees;
    for (const TreeChange& change : trees.all_changes()) {
        CAPTURE(change.name);
        const ChangedTree site(change);
        const int runs = kill_at_each_call(
            1000, [&] { site.restore(site.folder()); }, [&] { return site.make_in(site.folder()); },
            [&](int, bool has_ended) { site.verify(site.folder(), has_ended); });
        CHECK(runs > 4);
    }
}

TEST_CASE(
    "tree changes: whichever call on files fails, the error is its own, and the next attempt ends well") {  // A102
    const ChangedTrees trees;
    // A lock that is not closed stays, and a prune waits for its own half a minute.
    const auto is_counted = [](unsigned long long call) { return is_on_files(call) && call != SYS_close; };
    for (const TreeChange& change : trees.changes()) {
        CAPTURE(change.name);
        const ChangedTree site(change);
        const auto verify = [&](const FailedCall& outcome) {
            CHECK(outcome.is_end());
            site.verify(site.folder(), outcome.exit_code == 0);
        };
        const int runs = fail_each_call(
            2000, {ENOSPC, EIO, EROFS}, [&] { site.restore(site.folder()); },
            [&] { return site.make_in(site.folder()); }, verify, is_counted);
        CHECK(runs > 10);
    }
}

TEST_CASE(
    "tree changes: after a power failure at any moment, files are old or new, and what was reported stays") {  // A101
    const ChangedTrees trees;
    for (const TreeChange& change : trees.changes()) {
        CAPTURE(change.name);
        const ChangedTree site(change);
        site.restore(site.folder());
        const RecordedFolder recorded(site.folder(), [&] { return site.make_in(site.folder()); });
        REQUIRE(recorded.exit_code() == 0);
        CHECK(recorded.steps() > 2);
        for_each_power_loss(recorded, site.left(), 2,
                            [&](std::size_t step) { site.verify(site.left(), step + 1 == recorded.steps()); });
    }
}

TEST_CASE(
    "tree changes: while the folder vanishes at any step, no tree is begun in its place, and it goes on") {  // A102
    const ChangedTrees trees;
    for (const TreeChange& change : trees.changes()) {
        CAPTURE(change.name);
        const ChangedTree site(change);
        const int failures = for_each_vanished(
            site.folder(), [&](const std::string& folder) { site.restore(folder); },
            [&](const std::string& folder) { return site.make_in(folder); },
            [&](const std::string& folder, int exit_code) {
                // "unresolved": a bundle that is to be kept is not there.
                CHECK(is_end(exit_code, {ErrorCode::missing, ErrorCode::unresolved}));
                site.verify(folder, exit_code == 0);
            });
        CHECK(failures > 0);
    }
}

TEST_CASE(
    "tree changes: while the folder is gone for a few steps, files are old or new, and the change goes on") {  // A102
    const ChangedTrees trees;
    for (const TreeChange& change : trees.all_changes()) {
        CAPTURE(change.name);
        const ChangedTree site(change);
        const int returns = for_each_absence(
            site.folder(), [&](const std::string& folder) { site.restore(folder); },
            [&](const std::string& folder) { return site.make_in(folder); },
            [&](const std::string& folder, int exit_code) {
                CHECK(is_end(exit_code, {ErrorCode::missing, ErrorCode::conflict, ErrorCode::unresolved}));
                site.verify(folder, exit_code == 0);
            });
        CHECK(returns > 1);
    }
}

#else

TEST_CASE("tree changes: system calls do not fail on purpose under a sanitizer") { skip_failing_calls(); }

#endif

TEST_CASE("tree changes: on a disk that can only be read, each is refused and nothing changes") {  // A102
    const ChangedTrees trees;
    for (const TreeChange& change : trees.all_changes()) {
        CAPTURE(change.name);
        const ChangedTree site(change);
        site.restore(site.folder());
        if (!site.disk().make_read_only())
            return;
        CHECK(site.make_in(site.folder()) == exit_code_of(error_code_of(EROFS)));
        CHECK(files_in(site.folder() + "/tree") == site.before());
    }
}

}  // namespace fardel::tests::tree_changes_test
