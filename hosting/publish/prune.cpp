#include <fardel/hosting/prune.h>

#include "publish/condemned_list.h"
#include "publish/tree_channels.h"

#include <fardel/delivery/tree_paths.h>
#include <fardel/format/bundle.h>
#include <fardel/format/dependencies.h>
#include <fardel/hosting/publish.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

namespace fardel {
namespace {

constexpr int kListAttempts = 8;

// What stays: all files of bundles, and releases by their paths.
struct KeptFiles {
    std::unordered_set<BundleId> bundles;
    std::set<std::string> releases;
};

struct ReadList {
    CondemnedFiles list;
    std::string version;
};

// A damaged list is an empty one: all files are condemned again, so nothing is lost.
Result<ReadList> read_list(TreeTarget& tree) {
    FARDEL_TRY_ASSIGN(const auto head, tree.find_head(std::string(kCondemnedListPath)));
    ReadList read;
    if (!head)
        return read;
    read.version = head->version;
    auto list = parse_condemned_list({reinterpret_cast<const char*>(head->bytes.data()), head->bytes.size()});
    if (list)
        read.list = *std::move(list);
    return read;
}

// Calls `change`, which returns false if the list need not change, until no other program interferes. Error: conflict.
// A static tree has no program of its own that could lock it, and object stores replace by comparison but cannot delete
// by comparison. So what is going to be removed stands in this list first. Publishers change the same list: of two that
// meet, one loses and reads it again.
Status change_list(TreeTarget& tree, const std::function<Result<bool>(CondemnedFiles& list)>& change) {
    for (int attempt = 1;; ++attempt) {
        FARDEL_TRY_ASSIGN(ReadList read, read_list(tree));
        FARDEL_TRY_ASSIGN(const bool changed, change(read.list));
        if (!changed)
            return ok();
        const std::string text = format_condemned_list(read.list);
        Status replaced =
            tree.replace_head(std::string(kCondemnedListPath), std::as_bytes(std::span(text)), read.version);
        if (replaced || replaced.error().code() != ErrorCode::conflict || attempt == kListAttempts)
            return replaced;
    }
}

constexpr std::string_view kDeltasFolder = "deltas";

// Returns the bundle to which the file belongs: "bundles/<64 digits>.<word>", "deltas/<64 digits>/<word>". Others have
// none.
std::optional<BundleId> owner_of(std::string_view path) {
    constexpr std::size_t kDigits = 64;
    for (const auto& [folder, end] : {std::pair(kBundlesFolder, '.'), std::pair(kDeltasFolder, '/')}) {
        const std::size_t digits = folder.size() + 1;
        if (!path.starts_with(folder) || path.size() < digits + kDigits + 2 || path[folder.size()] != '/' ||
            path[digits + kDigits] != end)
            continue;
        const auto id = BundleId::parse(path.substr(digits, kDigits));
        return id ? std::optional(*id) : std::nullopt;
    }
    return std::nullopt;
}

// Files that nothing else belongs to are none of a prune's.
bool is_prunable(std::string_view path) {
    return owner_of(path) || find_channel_of_release(path) || find_channel_of_requirements(path);
}

// In the order of removals: no list names a delta that is gone, and what remains of a bundle after a kill is found
// again by its file.
int removal_rank(std::string_view path) {
    if (path.starts_with(kDeltasFolder) && path.ends_with("/list"))
        return 0;
    return path.ends_with(".fardel") ? 2 : 1;
}

bool is_leftover(std::string_view path) { return path.find(".upload-") != std::string_view::npos; }

Result<std::vector<BundleId>> needs_of(TreeTarget& tree, const BundleId& id) {
    FARDEL_TRY_ASSIGN(auto source, tree.open(tree_path_of(id)));
    FARDEL_TRY_ASSIGN(const auto bundle, Bundle::open(std::move(source), {}));
    if (bundle->id() != id)
        return Error(ErrorCode::corrupt, tree.name() + ", " + tree_path_of(id) + ": is another bundle");
    return static_dependencies(*bundle);
}

// Adds the bundle and all that it needs.
Status keep_bundle(TreeTarget& tree, const BundleId& bundle, DependencyWalk& walk, KeptFiles& kept) {
    const DependencyWalk::Steps steps{.enter = [&](const BundleId& id) -> Result<std::optional<std::vector<BundleId>>> {
                                          auto needed = needs_of(tree, id);
                                          if (!needed && needed.error().code() == ErrorCode::missing)
                                              return Error(ErrorCode::unresolved,
                                                           tree.name() + " does not have the bundle " + id.hex() +
                                                               ", which is to be kept or which a kept bundle needs");
                                          if (!needed)
                                              return std::move(needed).error();
                                          return std::optional(*std::move(needed));
                                      },
                                      .leave = [&](const BundleId& id) -> Status {
                                          kept.bundles.insert(id);
                                          return ok();
                                      }};
    return walk.run(bundle, steps);
}

Result<KeptFiles> find_kept(TreeTarget& tree, const std::vector<BundleId>& keep,
                            const std::vector<NamedRelease>& newest) {
    if (keep.empty() && newest.empty())
        return Error(ErrorCode::missing,
                     tree.name() + " has no channel, and no bundle to keep was named; everything would go");
    KeptFiles kept;
    DependencyWalk walk;
    for (const BundleId& id : keep)
        FARDEL_TRY(keep_bundle(tree, id, walk, kept));
    // Every well-formed head keeps what its release names, whoever signed it: only a client with a root can judge
    // signatures, and whoever prunes need not have one. A stranger who can write into the tree can fill it, and lose
    // nobody anything.
    for (const NamedRelease& release : newest) {
        kept.releases.insert(release.path);
        kept.releases.insert(requirements_path_of(release.path));
        for (const ReleasedBundle& one : release.bundles)
            if (Status done = keep_bundle(tree, one.bundle, walk, kept); !done)
                return std::move(done).error().with_context("channel " + release.channel + ", release " +
                                                            std::to_string(release.version));
    }
    return kept;
}

bool is_kept(const std::string& path, const KeptFiles& kept) {
    const auto owner = owner_of(path);
    return owner ? kept.bundles.contains(*owner) && !is_leftover(path) : kept.releases.contains(path);
}

// The files of bundles, and the deltas to bundles that are not kept.
Result<std::vector<TreeFile>> list_files(TreeTarget& tree, const std::unordered_set<BundleId>& kept,
                                         const CondemnedFiles& before) {
    FARDEL_TRY_ASSIGN(auto files, tree.list(std::string(kBundlesFolder)));
    std::set<BundleId> targets;
    for (const TreeFile& file : files)
        if (const auto owner = owner_of(file.path); owner && !kept.contains(*owner))
            targets.insert(*owner);
    for (const auto& [path, condemned] : before)  // also of bundles whose files are gone
        if (const auto owner = owner_of(path); owner && (!kept.contains(*owner) || path.starts_with(kDeltasFolder)))
            targets.insert(*owner);
    for (const BundleId& target : targets) {
        FARDEL_TRY_ASSIGN(const auto deltas, tree.list(std::string(kDeltasFolder) + "/" + target.hex()));
        files.insert(files.end(), deltas.begin(), deltas.end());
    }
    std::ranges::sort(files, {}, &TreeFile::path);
    return files;
}

// What one pass does with the list.
struct PrunePlan {
    std::vector<PrunedFile> files;
    std::vector<std::string> removals;
    CondemnedFiles list;
};

Result<PrunePlan> plan_prune(const std::vector<TreeFile>& files, const KeptFiles& kept, const CondemnedFiles& before,
                             UnixTime now, std::uint64_t grace_s) {
    PrunePlan plan;
    for (const auto& [path, condemned] : before) {
        // An announcement ends after an hour: the program that made it may be dead.
        if (!is_removal_alive(condemned, now))
            continue;
        if (is_kept(path, kept))
            return Error(ErrorCode::busy, path + ": another prune, which does not keep it, is removing it");
        plan.list.emplace(path, condemned);  // until it is over, whether the file is still there or not
    }
    for (const TreeFile& file : files) {
        const auto found = before.find(file.path);
        PrunedFile pruned{.path = file.path, .size_bytes = file.size_bytes};
        if (is_kept(file.path, kept)) {
            if (found != before.end())
                plan.files.push_back(std::move(pruned));
            continue;
        }
        if (!is_prunable(file.path) || plan.list.contains(file.path))
            continue;
        if (found == before.end() || found->second.since > now) {  // or the clock was wrong
            pruned.step = PruneStep::condemned;
            plan.list[file.path] = {.since = now};
        } else if (!found->second.is_being_removed && now - found->second.since < grace_s) {
            pruned.step = PruneStep::waiting;
            plan.list[file.path] = found->second;
        } else {
            pruned.step = PruneStep::removed;
            plan.list[file.path] = {.is_being_removed = true, .since = now};
            plan.removals.push_back(file.path);
        }
        plan.files.push_back(std::move(pruned));
    }
    std::ranges::stable_sort(plan.removals, {}, removal_rank);
    return plan;
}

Status remove_files(TreeTarget& tree, const std::vector<std::string>& paths, UnixTime announced,
                    const PruneOptions& options) {
    for (const std::string& path : paths) {
        if (options.stop.stop_requested())
            return Error(ErrorCode::cancelled, "pruning was stopped");
        const UnixTime now = options.now();
        // Half of what others allow it, so that clocks may differ by the other half.
        if (now < announced || now - announced > kRemovalLeaseSeconds / 2)
            return Error(ErrorCode::busy,
                         "removing files takes too long, or the clock was set; prune the tree again to go on");
        FARDEL_TRY(tree.remove(path));
    }
    return ok();
}

}  // namespace

Result<PruneReport> prune_tree(TreeTarget& tree, const PruneOptions& options) {
    if (options.grace_s < kPruneGraceSecondsMin)
        return Error(ErrorCode::limit, "a grace time of " + std::to_string(options.grace_s) + " seconds; at least " +
                                           std::to_string(kPruneGraceSecondsMin) +
                                           " must pass before a condemned file is removed");
    // What is kept is found before anything is announced. What is published meanwhile takes itself from the list.
    FARDEL_TRY_ASSIGN(const TreeChannels channels, read_tree_channels(tree));
    FARDEL_TRY_ASSIGN(const KeptFiles kept, find_kept(tree, options.keep, channels.newest));
    PrunePlan plan;
    UnixTime announced;
    FARDEL_TRY(change_list(tree, [&](CondemnedFiles& list) -> Result<bool> {
        FARDEL_TRY_ASSIGN(auto files, list_files(tree, kept.bundles, list));
        files.insert(files.end(), channels.releases.begin(), channels.releases.end());
        announced = options.now();
        FARDEL_TRY_ASSIGN(plan, plan_prune(files, kept, list, announced, options.grace_s));
        if (options.only_plans || plan.list == list)
            return false;
        list = plan.list;
        return true;
    }));
    PruneReport report{.kept_bundles = kept.bundles.size(), .channels = {}, .files = std::move(plan.files)};
    for (const NamedRelease& release : channels.newest)
        report.channels.push_back({.name = release.channel, .release_version = release.version});
    if (options.only_plans || plan.removals.empty())
        return report;
    // The list has announced the removals, so a publisher that needs one of these files waits instead of relying on it.
    FARDEL_TRY(remove_files(tree, plan.removals, announced, options));
    FARDEL_TRY(change_list(tree, [&](CondemnedFiles& list) -> Result<bool> {
        // Only its own announcements: another prune may have made one for the same file since.
        const CondemnedFile own{.is_being_removed = true, .since = announced};
        bool changed = false;
        for (const std::string& path : plan.removals)
            if (const auto found = list.find(path); found != list.end() && found->second == own) {
                list.erase(found);
                changed = true;
            }
        return changed;
    }));
    return report;
}

namespace {

// Takes from the list what is wanted. `needed`: with what they need, as far as the tree has it.
Status revive(TreeTarget& tree, KeptFiles wanted, const std::vector<BundleId>& needed, std::optional<UnixTime> now) {
    FARDEL_TRY_ASSIGN(const ReadList before, read_list(tree));
    if (before.list.empty())
        return ok();
    DependencyWalk walk;
    const DependencyWalk::Steps steps{.enter = [&](const BundleId& id) -> Result<std::optional<std::vector<BundleId>>> {
                                          wanted.bundles.insert(id);
                                          auto needs = needs_of(tree, id);
                                          if (!needs && needs.error().code() == ErrorCode::missing)
                                              return std::optional<std::vector<BundleId>>();
                                          if (!needs)
                                              return std::move(needs).error();
                                          return std::optional(*std::move(needs));
                                      },
                                      .leave = [](const BundleId&) { return ok(); }};
    for (const BundleId& id : needed)
        FARDEL_TRY(walk.run(id, steps));
    return change_list(tree, [&](CondemnedFiles& list) -> Result<bool> {
        bool changed = false;
        for (auto one = list.begin(); one != list.end();) {
            if (!is_kept(one->first, wanted)) {
                ++one;
                continue;
            }
            // It may be deleted at any moment, whatever is written into the list now.
            if (is_removal_alive(one->second, now))
                return Error(ErrorCode::busy, tree.name() + ", " + one->first +
                                                  ": is being removed by a prune; publish again in an hour");
            one = list.erase(one);
            changed = true;
        }
        return changed;
    });
}

}  // namespace

Status revive_bundle(TreeTarget& tree, const BundleId& bundle, const std::vector<BundleId>& needed,
                     std::optional<UnixTime> now) {
    return revive(tree, {.bundles = {bundle}, .releases = {}}, needed, now);
}

Status revive_release(TreeTarget& tree, const std::string& path, const std::vector<BundleId>& bundles,
                      std::optional<UnixTime> now) {
    return revive(tree, {.bundles = {}, .releases = {path, requirements_path_of(path)}}, bundles, now);
}

}  // namespace fardel
