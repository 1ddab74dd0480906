#include "build/served_project.h"

#include "build/resolved_project.h"

#include <fardel/base/folder.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/digest_index.h>
#include <fardel/format/head.h>
#include <fardel/packer/project_build.h>
#include <fardel/packer/project_path.h>
#include <fardel/sources/loose_bundle.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::size_t kRootsMax = 4;

Result<BundleId> bundle_id_of(const ByteSource& source) {
    HeadBytes head{};
    FARDEL_TRY(source.read_at(0, head));
    return bundle_id(head);
}

}  // namespace

ServedProject::ServedProject(std::string folder, std::string digest_folder)
    : folder_(std::move(folder)), digest_folder_(std::move(digest_folder)) {}

Result<bool> ServedProject::refresh(const std::stop_token& stop) {
    // Before the files are read, so that a change while they are read counts as one.
    FARDEL_TRY_ASSIGN(auto watched, WatchedInputs::begin(folder_, observed_));
    if (find_project_file(folder_).empty())
        FARDEL_TRY(watched->watch(folder_));
    watched_ = std::move(watched);
    FARDEL_TRY_ASSIGN(Root root, open_root(stop));
    FARDEL_TRY_ASSIGN(root.id, bundle_id_of(*root.source));
    std::deque<Root> leaving;  // closed without the lock
    const std::scoped_lock lock(mutex_);
    const bool is_new = roots_.empty() || roots_.front().id != root.id;
    // The latest bytes count even for the same root: the old ones remember stamps of files that were replaced.
    const auto same = std::ranges::find(roots_, root.id, &Root::id);
    if (same != roots_.end()) {
        leaving.push_back(std::move(*same));
        roots_.erase(same);
    }
    roots_.push_front(std::move(root));
    for (; roots_.size() > kRootsMax; roots_.pop_back())
        leaving.push_back(std::move(roots_.back()));
    return is_new;
}

Result<ServedProject::Root> ServedProject::open_root(const std::stop_token& stop) {
    if (const std::string file = find_project_file(folder_); !file.empty())
        return open_project(file, stop);
    FARDEL_TRY_ASSIGN(
        LooseBundle loose,
        open_loose_bundle(
            folder_, {.digests = digests_, .digest_folder = digest_folder_, .refuses_secrets = true, .stop = stop}));
    return Root{{.id = {}, .source = std::move(loose.source)}, {}};
}

// Files that were replaced since the project was planned have other ids, and are noticed as changes.
Result<std::vector<ServedProject::ServedBundle>> ServedProject::open_dependencies(
    const std::vector<std::string>& files) const {
    std::vector<ServedBundle> bundles;
    for (const std::string& file : files) {
        FARDEL_TRY_ASSIGN(auto source, open_file_source(path_in_project(folder_, file)));
        FARDEL_TRY_ASSIGN(const BundleId id, bundle_id_of(*source));
        bundles.push_back({id, std::move(source)});
    }
    return bundles;
}

Result<ServedProject::Root> ServedProject::open_project(const std::string& file, const std::stop_token& stop) {
    FARDEL_TRY_ASSIGN(Project project, read_project(file));
    std::vector<std::string> needed;
    for (const ProjectDependency& dependency : project.dependencies)
        if (dependency.is_static && !dependency.file.empty())
            needed.push_back(dependency.file);
    const std::string target = path_in_project(folder_, output_of(project));
    FARDEL_TRY_ASSIGN(ProjectBuild build,
                      ProjectBuild::open(std::move(project), folder_, {.target = target, .stop = stop}));
    auto packed = build.plan();
    std::vector<ObservedPath> files;
    std::ranges::copy_if(build.seen(), std::back_inserter(files),
                         [](const ObservedPath& path) { return path.stamp.kind != StampKind::folder; });
    for (const ObservedPath& path : files)
        observed_.insert(path.path);
    // Also of a plan that failed: the change that mends it must be noticed.
    watched_->add(files);
    if (!packed)
        return std::move(packed).error();
    if (!packed->parts.empty())
        return Error(ErrorCode::unsupported, file + ": a project with [split] is several bundles; build it instead");
    FARDEL_TRY_ASSIGN(const std::string real, real_path(folder_, folder_));
    const KeptDigests kept(digest_folder_, real, *digests_);
    auto source = make_unpacked_source(packed->plan, {.digests = digests_, .stop = stop});
    if (!source)
        return std::move(source).error().with_context(file);
    std::vector<Hash> versions;
    for (const PlannedAsset& asset : packed->plan.assets)
        if (const auto version = asset.source->find_version())
            versions.push_back(*version);
    kept.write(std::move(versions), *digests_);
    FARDEL_TRY_ASSIGN(auto dependencies, open_dependencies(needed));
    return Root{{.id = {}, .source = *std::move(source)}, std::move(dependencies)};
}

std::optional<BundleId> ServedProject::head() const {
    const std::scoped_lock lock(mutex_);
    return roots_.empty() ? std::nullopt : std::optional(roots_.front().id);
}

std::shared_ptr<const ByteSource> ServedProject::find(const BundleId& root) const {
    const std::scoped_lock lock(mutex_);
    if (const auto found = std::ranges::find(roots_, root, &Root::id); found != roots_.end())
        return found->source;
    for (const Root& one : roots_)
        for (const ServedBundle& needed : one.dependencies)
            if (needed.id == root)
                return needed.source;
    return nullptr;
}

}  // namespace fardel
