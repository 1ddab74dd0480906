#include <fardel/vfs/vfs.h>

#include "inspect/inspection.h"
#include "listing/listing_state.h"
#include "lookup/asset_choice.h"
#include "lookup/resolve.h"
#include "lookup/scope.h"
#include "vfs_state.h"

#include <fardel/base/executor.h>
#include <fardel/format/block_cache.h>
#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::string_view kNoName = "nothing has this name";

Error missing(std::string_view text, std::string_view reason) {
    return Error(ErrorCode::missing, "path \"" + printable(text) + "\": " + std::string(reason));
}

// The first of the paths under which another case is there; empty: none.
std::string other_case_of(const MountSet& set, std::span<const std::string> paths) {
    for (const std::string& path : paths) {
        const auto parts = parse_path_parts(path);
        const auto other =
            parts && parts->kind == PathKind::published ? find_other_case(set, parts->name) : std::nullopt;
        if (other)
            return "/" + *other;
    }
    return {};
}

// A common mistake of people who move from a system that ignores case.
Error missing_name(const MountSet& set, std::string_view text, std::span<const std::string> paths,
                   std::string_view reason) {
    const std::string other = other_case_of(set, paths);
    return missing(text, other.empty() ? std::string(reason)
                                       : std::string(reason) + ", but \"" + printable(other) +
                                             "\" is there, which differs only in case; a mount can fold case");
}

// Adds the path to an error of a layer that does not know it.
Error at_path(std::string_view text, Error&& error) {
    return std::move(error).with_context("path \"" + printable(text) + "\"");
}

// The same for a Result or Status, if it is an error.
template <class Outcome>
Outcome at_path(std::string_view text, Outcome&& outcome) {
    if (!outcome)
        return at_path(text, std::move(outcome).error());
    return std::move(outcome);
}

bool is_shown(const PathParts& path, TreeView view) {
    return view == TreeView::everything ||
           (path.kind != PathKind::asset && path.kind != PathKind::bundle && path.kind != PathKind::bundle_name);
}

// The walk over a folder or the root; nothing if there is no such folder.
Result<std::optional<FolderWalk>> open_folder(const std::shared_ptr<const MountSet>& set, const PathParts& path,
                                              TreeView view) {
    if (!is_shown(path, view))
        return std::optional<FolderWalk>();
    switch (path.kind) {
        case PathKind::root:
        case PathKind::assets:
        case PathKind::bundles:
        case PathKind::published: return FolderWalk::open_tree(set, path.name, view);
        case PathKind::bundle:
        case PathKind::bundle_name:
            if (const Mount* mount = set->find_bundle(id_from<BundleId>(path.id)))
                return FolderWalk::open_bundle(set, *mount, path.name);
            break;
        case PathKind::asset:
        case PathKind::nowhere: break;
    }
    return std::optional<FolderWalk>();
}

Result<bool> is_folder(const std::shared_ptr<const MountSet>& set, const PathParts& path,
                       TreeView view = TreeView::everything) {
    const bool is_own = path.kind == PathKind::assets || path.kind == PathKind::bundles;
    if (path.kind == PathKind::root || (is_own && view == TreeView::everything))
        return true;
    FARDEL_TRY_ASSIGN(const auto walk, open_folder(set, path, view));
    return walk.has_value();
}

// The match of a name of the published tree or of a bundle.
Result<std::optional<NameMatch>> find_name(const MountSet& set, const PathParts& path) {
    if (path.kind == PathKind::published)
        return find_published(set, path.name, path.hash);
    if (path.kind == PathKind::bundle_name)
        if (const Mount* mount = set.find_bundle(id_from<BundleId>(path.id)))
            return find_in_bundle(*mount, path.name, path.hash);
    return std::optional<NameMatch>();
}

// The file of a name of the published tree or of a bundle.
Result<std::optional<File>> find_file(const MountSet& set, const PathParts& path) {
    if (path.kind == PathKind::published)
        return find_published_file(set, path.name, path.hash);
    if (path.kind == PathKind::bundle_name)
        if (const Mount* mount = set.find_bundle(id_from<BundleId>(path.id)))
            return find_own_file(set, *mount, path.name, path.hash);
    return std::optional<File>();
}

// Whether a name with another extension may be meant.
bool is_name(const PathParts& path) { return path.kind == PathKind::published || path.kind == PathKind::bundle_name; }

// The paths behind a look-up's that are tried; too long ones, which no bundle has, are left out.
std::vector<std::string> other_paths(const LookUp& wanted, const PathParts& path) {
    if (wanted.extensions == nullptr || !is_name(path))
        return {};
    std::vector<std::string> out = wanted.extensions->other_names(wanted.path);
    std::erase_if(out, [](const std::string& other) { return !parse_path_parts(other); });
    return out;
}

bool is_reference(const LookUp& wanted) { return wanted.from != nullptr && !wanted.path.starts_with('/'); }

Result<PathStat> stat_asset(const Bundle& bundle, AssetIndex index, NodeKind kind) {
    FARDEL_TRY_ASSIGN(const AssetRecord record, bundle.asset(index));
    FARDEL_TRY_ASSIGN(const std::string_view content_type, bundle.string(record.content_type));
    return PathStat{.kind = kind,
                    .size_bytes = record.raw_bytes,
                    .asset = record.id,
                    .bundle = bundle.id(),
                    .content_type = std::string(content_type),
                    .has_metadata = record.metadata_first != kNoIndex};
}

// From the first bundle that has the asset and whose content is not known to differ from the id.
Result<std::optional<PathStat>> find_asset_stat(const MountSet& set, const AssetVerdicts& verdicts, const AssetId& id) {
    std::optional<Error> first_error;
    for (const Mount& mount : set.mounts()) {
        if (mount.paths)
            continue;
        auto index = mount.bundle().find_asset(id);
        if (!index && !first_error)
            first_error = std::move(index).error();
        if (!index || !index->has_value() ||
            verdicts.find(mount.content.number, **index) == AssetVerdicts::Verdict::bad)
            continue;
        FARDEL_TRY_ASSIGN(auto stat, stat_asset(mount.bundle(), **index, NodeKind::file));
        return std::optional<PathStat>(std::move(stat));
    }
    if (first_error)
        return *std::move(first_error);
    return std::optional<PathStat>();
}

Result<std::optional<PathStat>> find_stat_in(const std::shared_ptr<const MountSet>& set, const AssetVerdicts& verdicts,
                                             const PathParts& path, TreeView view) {
    if (!is_shown(path, view))
        return std::optional<PathStat>();
    if (path.kind == PathKind::asset)
        return find_asset_stat(*set, verdicts, id_from<AssetId>(path.id));
    FARDEL_TRY_ASSIGN(const auto match, find_name(*set, path));
    if (match) {
        const bool published = path.kind == PathKind::published;
        FARDEL_TRY_ASSIGN(const AssetChoice choice,
                          published ? choose_published(*set, *match, path.name, path.hash) : choose_own(*set, *match));
        FARDEL_TRY_ASSIGN(
            auto stat, stat_asset(choice.mount->bundle(), choice.asset, published ? NodeKind::link : NodeKind::file));
        return std::optional<PathStat>(std::move(stat));
    }
    FARDEL_TRY_ASSIGN(const bool folder, is_folder(set, path, view));
    if (!folder)
        return std::optional<PathStat>();
    PathStat stat;
    if (path.kind == PathKind::bundle || path.kind == PathKind::bundle_name)
        stat.bundle = id_from<BundleId>(path.id);
    return std::optional<PathStat>(std::move(stat));
}

std::string absolute(std::string_view path) {
    return path.starts_with('/') ? std::string(path) : "/" + std::string(path);
}

// The asset that `find` means by the path, without reading its content.
Result<File> find_unread(const MountSet& set, const std::string& path) {
    FARDEL_TRY_ASSIGN(const PathParts parts, parse_path_parts(path));
    FARDEL_TRY_ASSIGN(auto file,
                      at_path(path, parts.kind == PathKind::asset ? find_asset_file(set, id_from<AssetId>(parts.id))
                                                                  : find_file(set, parts)));
    if (!file)
        return missing(path, "no asset is there");
    return *std::move(file);
}

// Explains a path that is well formed.
Explanation explain_in(const std::shared_ptr<const MountSet>& set, AssetVerdicts& verdicts, std::string_view path) {
    const PathParts parts = parse_path_parts(path).value();
    Explanation out = explain_path(*set, verdicts, parts);
    out.path = absolute(path);
    const auto folder = is_folder(set, parts);
    out.folder = folder && *folder;
    return out;
}

}  // namespace

Result<std::optional<File>> Vfs::Impl::find_copy(const AssetId& asset) const {
    FARDEL_TRY_ASSIGN(AssetSearch search, find_asset_copy(*set.read(), verdicts, asset, Compare::no));
    if (search.undecided) {  // reads the whole asset: shared, so that no change of the mounts waits for it
        FARDEL_TRY_ASSIGN(search, find_asset_copy(*set.share(), verdicts, asset, Compare::yes));
    }
    return std::move(search.file);
}

Status Vfs::Impl::verify_here(const File& file) const {
    if (!options.open_needs_content)
        return ok();
    FARDEL_TRY_ASSIGN(const bool here, file.bundle()->holds_content(file.index()));
    if (here)
        return ok();
    return Error(ErrorCode::missing, "the content of asset " + file.asset_id().hex() + " of bundle " +
                                         file.bundle_id().hex() + " is not here; fetch it first");
}

Status Vfs::Impl::verify_allowed(const std::optional<File>& found) const {
    if (!found)
        return ok();
    if (found->bundle()->limits_classes()) {  // first bytes are read, so they have to be here (tests/ATTACKS.md, A137)
        FARDEL_TRY(verify_here(*found));
        FARDEL_TRY(found->bundle()->verify_class(found->index()));
    }
    if (found->has_metadata())
        FARDEL_TRY(found->bundle()->verify_asset_date(found->index()));
    if (recorder)
        recorder->note(*found);
    return ok();
}

namespace {

// Threads of a game.
class GameExecutor final : public Executor {
public:
    explicit GameExecutor(const VfsOptions& options)
        : threads_(std::max(options.read_threads, 1u)), run_task_(options.run_task) {}
    unsigned thread_count() const noexcept override { return threads_; }
    void run(std::function<void()> task) override { run_task_(std::move(task)); }

private:
    const unsigned threads_;
    const std::function<void(std::function<void()>)> run_task_;
};

std::shared_ptr<Executor> executor_of(const VfsOptions& options) {
    if (options.run_task)
        return std::make_shared<GameExecutor>(options);
    return options.read_threads > 0 ? start_executor(options.read_threads) : nullptr;
}

}  // namespace

Vfs::Impl::Impl(const VfsOptions& given)
    : options(given),
      executor(executor_of(given)),
      cache(given.cache_bytes > 0 || given.memory || executor
                ? std::make_shared<BlockCache>(given.cache_bytes, given.memory, executor)
                : nullptr),
      digests{.folder = given.digest_folder},
      recorder(given.records_trace ? std::make_unique<TraceRecorder>() : nullptr) {}

Vfs::Vfs(const VfsOptions& options) : impl_(std::make_unique<Impl>(options)) {}

Vfs::~Vfs() = default;

Result<std::optional<File>> Vfs::Impl::find_path(const LookUp& wanted) const {
    FARDEL_TRY_ASSIGN(const PathParts parts, parse_path_parts(wanted.path));
    if (parts.kind == PathKind::asset)
        return at_path(wanted.path, find_copy(id_from<AssetId>(parts.id)));
    if (wanted.extensions == nullptr) {
        auto found = find_file(*set.read(), parts);
        if (!found)
            found = at_path(wanted.path, std::move(found).error());
        return found;
    }
    const auto now = set.share();  // all names are looked up in the same mounts
    FARDEL_TRY_ASSIGN(auto file, at_path(wanted.path, find_file(*now, parts)));
    if (file)
        return file;
    for (const std::string& other : other_paths(wanted, parts)) {
        FARDEL_TRY_ASSIGN(file, at_path(other, find_file(*now, parse_path_parts(other).value())));
        if (file)
            break;
    }
    return file;
}

Result<std::optional<File>> Vfs::Impl::find_reference(const LookUp& wanted) const {
    const auto now = set.share();
    FARDEL_TRY_ASSIGN(auto file, find_in_scope(*now, *wanted.from, wanted.path));
    if (file || wanted.extensions == nullptr)
        return file;
    for (const std::string& other : wanted.extensions->other_names(wanted.path)) {
        if (!verify_name(other))
            continue;
        FARDEL_TRY_ASSIGN(file, find_in_scope(*now, *wanted.from, other));
        if (file)
            break;
    }
    return file;
}

Result<std::optional<File>> Vfs::find(const LookUp& wanted) const {
    const bool reference = is_reference(wanted);
    auto file = reference ? impl_->find_reference(wanted) : impl_->find_path(wanted);
    if (file) {
        auto allowed = impl_->verify_allowed(*file);
        if (!allowed)
            file = reference ? std::move(allowed).error() : at_path(wanted.path, std::move(allowed).error());
    }
    if (!file)
        impl_->log_refusal(file.error());
    return file;
}

Result<File> Vfs::open(const LookUp& wanted) const {
    FARDEL_TRY_ASSIGN(auto file, find(wanted));
    if (file) {
        FARDEL_TRY(wanted.from != nullptr ? impl_->verify_here(*file)
                                          : at_path(wanted.path, impl_->verify_here(*file)));
        return *std::move(file);
    }
    if (wanted.from != nullptr)
        return Error(
            ErrorCode::missing,
            "reference \"" + printable(wanted.path) +
                "\": neither its bundle, nor the static dependencies of that, nor the published tree has such a name");
    FARDEL_TRY_ASSIGN(const PathParts parts, parse_path_parts(wanted.path));
    const auto set = impl_->set.share();
    std::vector<std::string> paths = other_paths(wanted, parts);
    paths.insert(paths.begin(), std::string(wanted.path));
    if (wanted.extensions != nullptr)
        return missing_name(*set, wanted.path, paths, "nothing has this name, with any of the extensions");
    const auto folder = is_folder(set, parts);
    return folder && *folder ? missing(wanted.path, "is a folder") : missing_name(*set, wanted.path, paths, kNoName);
}

Result<std::vector<MissingContent>> Vfs::find_missing(std::span<const std::string> paths, ContentReach reach,
                                                      std::size_t assets_max) const {
    const auto set = impl_->set.share();
    std::vector<File> files;
    for (const std::string& path : paths) {
        FARDEL_TRY_ASSIGN(File file, find_unread(*set, path));
        files.push_back(std::move(file));
    }
    return find_missing_content(*set, files, reach, assets_max);
}

Result<std::optional<PathStat>> Vfs::find_stat(std::string_view path, TreeView view) const {
    FARDEL_TRY_ASSIGN(const PathParts parts, parse_path_parts(path));
    return at_path(path, find_stat_in(impl_->set.share(), impl_->verdicts, parts, view));
}

bool Vfs::exists(std::string_view path) const {
    const auto stat = find_stat(path);
    return stat && stat->has_value();
}

Result<PathStat> Vfs::stat(std::string_view path) const {
    FARDEL_TRY_ASSIGN(auto stat, find_stat(path));
    if (!stat)
        return missing_name(*impl_->set.share(), path, std::vector{std::string(path)}, kNoName);
    return *std::move(stat);
}

Result<std::string> Vfs::read_link(std::string_view path) const {
    FARDEL_TRY_ASSIGN(const PathStat found, stat(path));
    if (found.kind != NodeKind::link)
        return missing(path, "is no link");
    return "/assets/" + found.asset->hex();
}

Result<Listing> Vfs::open_listing(std::string_view path, TreeView view) const {
    FARDEL_TRY_ASSIGN(const PathParts parts, parse_path_parts(path));
    FARDEL_TRY_ASSIGN(auto walk, at_path(path, open_folder(impl_->set.share(), parts, view)));
    if (!walk)
        return missing(path, "no such folder");
    return Listing(std::make_unique<Listing::Impl>(Listing::Impl{.walk = *std::move(walk)}));
}

Result<std::vector<ListingEntry>> Vfs::list(std::string_view path, std::size_t entries_max) const {
    FARDEL_TRY_ASSIGN(Listing listing, open_listing(path));
    std::vector<ListingEntry> out;
    for (;;) {
        FARDEL_TRY_ASSIGN(auto entry, at_path(path, listing.next()));
        if (!entry)
            return out;
        if (out.size() == entries_max)
            return Error(ErrorCode::limit,
                         "path \"" + printable(path) + "\": more than " + std::to_string(entries_max) + " entries");
        out.push_back(*std::move(entry));
    }
}

Result<Metadata> Vfs::metadata(std::string_view path) const {
    FARDEL_TRY_ASSIGN(const PathParts parts, parse_path_parts(path));
    const auto set = impl_->set.share();
    if (parts.kind == PathKind::bundle)
        if (const Mount* const mount = set->find_bundle(id_from<BundleId>(parts.id)))
            return metadata_of(mount->bundle());
    FARDEL_TRY_ASSIGN(const File file, find_unread(*set, std::string(path)));
    return metadata_of(file);
}

Result<Explanation> Vfs::explain(const LookUp& wanted) const {
    if (is_reference(wanted)) {
        const auto set = impl_->set.share();
        FARDEL_TRY_ASSIGN(const ReferencePath found, find_reference_path(*set, *wanted.from, wanted.path));
        FARDEL_TRY(parse_path_parts(found.path));
        Explanation out = explain_in(set, impl_->verdicts, found.path);
        out.route = found.route;
        return out;
    }
    FARDEL_TRY_ASSIGN(const PathParts parts, parse_path_parts(wanted.path));
    const auto set = impl_->set.share();
    std::vector<std::string> paths = other_paths(wanted, parts);
    paths.insert(paths.begin(), std::string(wanted.path));
    // The path that find() stops at; the first if it stops at none.
    const auto ends = [&](const std::string& text) {
        const auto file = find_file(*set, parse_path_parts(text).value());
        return !file || file->has_value();
    };
    const auto found = is_name(parts) ? std::ranges::find_if(paths, ends) : paths.begin();
    const bool none = found == paths.end();
    const std::string& shown = none ? paths.front() : *found;
    Explanation out = explain_in(set, impl_->verdicts, shown);
    const auto tried_end = none ? paths.end() : found;
    for (auto tried = paths.begin() + (none ? 1 : 0); tried != tried_end; ++tried)
        out.tried.push_back(absolute(*tried));
    if (!out.winner && !out.folder)
        out.other_case = other_case_of(*set, paths);
    return out;
}

Result<std::vector<PathConflict>> Vfs::conflicts(std::size_t conflicts_max) const {
    return find_conflicts(*impl_->set.share(), conflicts_max);
}

Result<UnresolvedNeeds> Vfs::check_links(std::size_t unresolved_max) const {
    return find_unresolved_needs(*impl_->set.share(), unresolved_max);
}

}  // namespace fardel
