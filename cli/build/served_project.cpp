#include "build/served_project.h"

#include "build/resolved_project.h"

#include <fardel/format/byte_source.h>
#include <fardel/format/head.h>
#include <fardel/packer/build.h>
#include <fardel/packer/project.h>
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

ServedProject::ServedProject(std::string folder, std::string target, std::string digest_folder)
    : folder_(std::move(folder)), target_(std::move(target)), digest_folder_(std::move(digest_folder)) {}

Result<bool> ServedProject::refresh(const std::stop_token& stop) {
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
    project_.reset();
    // Before the files are read, so that a change while they are read counts as one.
    FARDEL_TRY_ASSIGN(watched_, WatchedInputs::begin(path_in_project(folder_, std::string(kProjectFileName)), {}));
    FARDEL_TRY(watched_->watch(folder_));
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
    if (!project_)
        project_ =
            make_project_reader({.reads_configuration = true})
                ->open(file, {.digests = digests_, .digest_folder = digest_folder_, .watch = true, .target = target_});
    FARDEL_TRY_ASSIGN(ProjectBundle bundle, project_->read(stop));
    FARDEL_TRY_ASSIGN(Project project, read_project(file));
    FARDEL_TRY_ASSIGN(project, project_for(std::move(project), target_));
    if (project.split)
        return Error(ErrorCode::unsupported, file + ": a project with [split] is several bundles; build it instead");
    std::vector<std::string> needed;
    for (const ProjectDependency& dependency : project.dependencies)
        if (dependency.is_static && !dependency.file.empty())
            needed.push_back(dependency.file);
    FARDEL_TRY_ASSIGN(auto dependencies, open_dependencies(needed));
    return Root{{.id = {}, .source = std::move(bundle.source)}, std::move(dependencies)};
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
