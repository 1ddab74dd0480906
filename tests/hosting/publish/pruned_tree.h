// A tree with four bundles that tests prune: two versions of a game with the base that both need, and one alone.
#pragma once

#include "delivery/served_bundle.h"
#include "kit/bundles.h"
#include "kit/bytes.h"

#include <fardel/delivery/tree_paths.h>
#include <fardel/hosting/prune.h>
#include <fardel/hosting/publish.h>
#include "publish/condemned_list.h"

#include <functional>

namespace fardel::tests {

inline constexpr UnixTime kPruneStart{1'800'000'000};
inline constexpr std::uint64_t kDay = 24 * 3600;

inline constexpr std::size_t kFilesOfBundle = 3;  // of each one below: itself, its tables and its piece slices

struct Game {
    Bytes base = game_version("base");
    Bytes first = game_version("1", {bundle_id_of(base)});
    Bytes second = game_version("2", {bundle_id_of(base)});
    Bytes lone = game_version("lone");
};

inline void publish_to(TreeTarget& tree, const Bytes& bytes, UnixTime now = kPruneStart) {
    value_of(publish_bundle(make_memory_source(bytes), tree, {.now = now}));
}

inline void publish_all(TreeTarget& tree, const Game& game) {
    for (const Bytes* bytes : {&game.base, &game.first, &game.second, &game.lone})
        publish_to(tree, *bytes);
}

inline PruneOptions keeping(const std::vector<BundleId>& keep, UnixTime now) {
    return {.keep = keep, .grace_s = 7 * kDay, .now = [now] { return now; }};
}

inline bool has(TreeTarget& tree, const Bytes& bytes) {
    const bool file = tree.open(tree_path_of(bundle_id_of(bytes))).has_value();
    CHECK(file == tree.open(tables_path_of(bundle_id_of(bytes))).has_value());
    CHECK(file == tree.open(piece_slices_path_of(bundle_id_of(bytes))).has_value());
    return file;
}

inline std::size_t count_of(const PruneReport& report, PruneStep step) {
    return static_cast<std::size_t>(std::ranges::count(report.files, step, &PrunedFile::step));
}

inline CondemnedFiles list_of(TreeTarget& tree) {
    const auto head = value_of(tree.find_head(std::string(kCondemnedListPath)));
    return head
               ? value_of(parse_condemned_list({reinterpret_cast<const char*>(head->bytes.data()), head->bytes.size()}))
               : CondemnedFiles();
}

// Passes on to another target, and lets a test act just before a step.
class WatchedTarget final : public TreeTarget {
public:
    explicit WatchedTarget(TreeTarget& tree) : tree_(tree) {}
    std::function<void()> before_replace;
    std::function<void()> before_remove;
    std::function<void()> before_list;

    std::string name() const override { return tree_.name(); }
    Result<std::shared_ptr<const ByteSource>> open(const std::string& path) override { return tree_.open(path); }
    Result<PutOutcome> put(const std::string& path, const ByteSource& bytes, const PublishWork& work) override {
        return tree_.put(path, bytes, work);
    }
    Result<std::optional<TreeHead>> find_head(const std::string& path) override { return tree_.find_head(path); }
    Status replace_head(const std::string& path, std::span<const std::byte> bytes,
                        const std::string& version) override {
        act(before_replace);
        return tree_.replace_head(path, bytes, version);
    }
    Result<std::vector<TreeFile>> list(const std::string& folder) override {
        act(before_list);
        return tree_.list(folder);
    }
    Result<std::vector<TreeFile>> list_below(const std::string& folder) override { return tree_.list_below(folder); }
    Result<bool> remove(const std::string& path) override {
        act(before_remove);
        return tree_.remove(path);
    }

private:
    static void act(std::function<void()>& once) {
        if (const auto work = std::exchange(once, nullptr))
            work();
    }
    TreeTarget& tree_;
};

// For TEST_CASE_FIXTURE.
struct GameTree {
    const ScratchFolder scratch;
    const std::unique_ptr<TreeTarget> tree = make_folder_target(scratch.path("tree"));
    const Game game{};
};

}  // namespace fardel::tests
