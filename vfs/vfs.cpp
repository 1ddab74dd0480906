#include <fardel/vfs/vfs.h>

#include "asset_verdicts.h"
#include "conflicts.h"
#include "explain.h"
#include "listing_state.h"
#include "mount_set.h"
#include "resolve.h"
#include "snapshot.h"

#include <fardel/format/hash.h>

#include <mutex>
#include <utility>

namespace fardel {
namespace {

Error missing(std::string_view text, std::string_view reason) {
    return Error(ErrorCode::missing, "path \"" + printable(text) + "\": " + std::string(reason));
}

// Says which path it was; for errors that come from below the path.
Error at_path(std::string_view text, Error error) {
    return std::move(error).with_context("path \"" + printable(text) + "\"");
}

Status verify_place(const std::string& place) {
    if (place.empty())
        return ok();
    if (auto good = verify_name(place); !good)
        return std::move(good).error().with_context("place \"" + printable(place) + "\"");
    if (is_reserved_root_part(std::string_view(place).substr(0, place.find('/'))))  // A15
        return Error(ErrorCode::denied,
                     "place \"" + printable(place) + "\": nothing is mounted in /assets and /bundles");
    return ok();
}

Result<std::shared_ptr<const Bundle>> open_bundle(std::shared_ptr<const ByteSource> source, const MountOptions& options,
                                                  const std::shared_ptr<BlockCache>& cache) {
    if (options.policy == nullptr && !options.allow_unsigned)
        return Error(ErrorCode::untrusted,
                     options.label +
                         ": there is no trust policy that could accept it; give one, or allow unsigned "
                         "bundles for development");
    BundleOptions bundle_options{
        .policy = options.policy, .now_s = options.now_s, .cache = cache, .label = options.label};
    auto bundle = Bundle::open(source, bundle_options);
    if (bundle || options.policy == nullptr || !options.allow_unsigned || bundle.error().code() != ErrorCode::untrusted)
        return bundle;
    bundle_options.policy = nullptr;
    return Bundle::open(std::move(source), std::move(bundle_options));
}

// The folder's or root's walk; nothing when nothing is there.
Result<std::optional<FolderWalk>> open_folder(const std::shared_ptr<const MountSet>& set, const PathParts& path) {
    if (path.kind == PathKind::root || path.kind == PathKind::published)
        return FolderWalk::open_published(set, path.name);
    if (path.kind == PathKind::bundle || path.kind == PathKind::bundle_name)
        if (const Mount* mount = set->find_bundle(id_from<BundleId>(path.id)))
            return FolderWalk::open_bundle(set, *mount, path.name);
    return std::optional<FolderWalk>();
}

Result<bool> is_folder(const std::shared_ptr<const MountSet>& set, const PathParts& path) {
    if (path.kind == PathKind::root || path.kind == PathKind::assets || path.kind == PathKind::bundles)
        return true;
    FARDEL_TRY_ASSIGN(const auto walk, open_folder(set, path));
    return walk.has_value();
}

// Of a name, whichever tree it is in.
Result<std::optional<NameMatch>> find_name(const MountSet& set, const PathParts& path) {
    if (path.kind == PathKind::published)
        return find_published(set, path.name, path.hash);
    if (path.kind == PathKind::bundle_name)
        return find_in_bundle(set, id_from<BundleId>(path.id), path.name, path.hash);
    return std::optional<NameMatch>();
}

Result<Stat> stat_asset(const Bundle& bundle, AssetIndex index, NodeKind kind) {
    FARDEL_TRY_ASSIGN(const AssetRecord record, bundle.asset(index));
    FARDEL_TRY_ASSIGN(const std::string_view content_type, bundle.string(record.content_type));
    return Stat{.kind = kind,
                .size_bytes = record.raw_bytes,
                .asset = record.id,
                .bundle = bundle.id(),
                .content_type = std::string(content_type)};
}

// What the first bundle says that has the asset and is not known to lie.
Result<std::optional<Stat>> find_asset_stat(const MountSet& set, const AssetVerdicts& verdicts, const AssetId& id) {
    std::optional<Error> first_error;
    for (const Mount& mount : set.mounts()) {
        auto index = mount.bundle->find_asset(id);
        if (!index && !first_error)
            first_error = std::move(index).error();
        if (!index || !index->has_value() || verdicts.find(mount.id, **index) == AssetVerdicts::Verdict::bad)
            continue;
        FARDEL_TRY_ASSIGN(auto stat, stat_asset(*mount.bundle, **index, NodeKind::file));
        return std::optional<Stat>(std::move(stat));
    }
    if (first_error)
        return *std::move(first_error);
    return std::optional<Stat>();
}

Result<std::optional<Stat>> find_stat_in(const std::shared_ptr<const MountSet>& set, const AssetVerdicts& verdicts,
                                         const PathParts& path) {
    if (path.kind == PathKind::asset)
        return find_asset_stat(*set, verdicts, id_from<AssetId>(path.id));
    FARDEL_TRY_ASSIGN(const auto match, find_name(*set, path));
    if (match) {
        const Bundle& bundle = *match->mount->bundle;
        FARDEL_TRY_ASSIGN(const AssetIndex index, bundle.default_asset(match->record));
        FARDEL_TRY_ASSIGN(
            auto stat, stat_asset(bundle, index, path.kind == PathKind::published ? NodeKind::link : NodeKind::file));
        return std::optional<Stat>(std::move(stat));
    }
    FARDEL_TRY_ASSIGN(const bool folder, is_folder(set, path));
    if (!folder)
        return std::optional<Stat>();
    Stat stat;
    if (path.kind == PathKind::bundle || path.kind == PathKind::bundle_name)
        stat.bundle = id_from<BundleId>(path.id);
    return std::optional<Stat>(std::move(stat));
}

}  // namespace

struct Vfs::Impl {
    std::shared_ptr<BlockCache> cache;  // nullptr: none
    Snapshot<MountSet> set{std::make_shared<const MountSet>()};
    mutable AssetVerdicts verdicts;

    std::mutex writing;  // guards last_mount and the order of changes; no reader takes it
    std::uint32_t last_mount = 0;
};

Vfs::Vfs(const VfsOptions& options) : impl_(std::make_unique<Impl>()) {
    if (options.cache_bytes > 0)
        impl_->cache = std::make_shared<BlockCache>(options.cache_bytes);
}

Vfs::~Vfs() = default;

Result<MountId> Vfs::mount(const std::string& path, MountOptions options) {
    if (options.label.empty())
        options.label = path;
    FARDEL_TRY(verify_place(options.place));
    FARDEL_TRY_ASSIGN(auto source, open_file_source(path));
    return mount(std::move(source), std::move(options));
}

Result<MountId> Vfs::mount(std::shared_ptr<const ByteSource> source, MountOptions options) {
    if (options.label.empty())
        options.label = "bundle";
    FARDEL_TRY(verify_place(options.place));
    FARDEL_TRY_ASSIGN(auto bundle, open_bundle(std::move(source), options, impl_->cache));
    auto leases = std::make_shared<const BundleLeases>(bundle);

    const std::scoped_lock lock(impl_->writing);
    if (impl_->last_mount == kMountIdMax)
        return Error(ErrorCode::limit,
                     options.label + ": this Vfs has mounted " + std::to_string(kMountIdMax) + " times");
    const auto id = static_cast<MountId>(impl_->last_mount + 1);
    FARDEL_TRY_ASSIGN(auto next, impl_->set.read()->with({.id = id,
                                                          .priority = options.priority,
                                                          .case_rule = options.case_rule,
                                                          .place = std::move(options.place),
                                                          .bundle = std::move(bundle),
                                                          .leases = std::move(leases)}));
    impl_->last_mount += 1;
    impl_->set.replace(std::move(next));
    return id;
}

Status Vfs::unmount(MountId mount) {
    std::shared_ptr<const MountSet> old;  // its bundle's file is closed after the lock is gone
    const std::scoped_lock lock(impl_->writing);
    FARDEL_TRY_ASSIGN(auto next, impl_->set.read()->without(mount));
    old = impl_->set.replace(std::move(next));
    return ok();
}

std::vector<MountDescription> Vfs::mounts() const {
    const auto set = impl_->set.share();
    std::vector<MountDescription> out;
    for (const Mount& mount : set->mounts())
        out.push_back(mount.describe());
    return out;
}

bool Vfs::tainted() const noexcept { return impl_->set.read()->tainted(); }

Result<std::optional<File>> Vfs::find(std::string_view path) const {
    FARDEL_TRY_ASSIGN(const PathParts parts, parse_path_parts(path));
    return find(path, parts);
}

Result<std::optional<File>> Vfs::find(std::string_view text, const PathParts& path) const {
    if (path.kind == PathKind::asset) {
        const AssetId id = id_from<AssetId>(path.id);
        auto search = find_asset_copy(*impl_->set.read(), impl_->verdicts, id, Compare::no);
        if (search && search->undecided)  // may take long; nobody shall wait for it
            search = find_asset_copy(*impl_->set.share(), impl_->verdicts, id, Compare::yes);
        if (!search)
            return at_path(text, std::move(search).error());
        return std::move(search->file);
    }
    const auto set = impl_->set.read();
    const auto match = find_name(*set, path);
    if (!match)
        return at_path(text, match.error());
    if (!match->has_value())
        return std::optional<File>();
    auto file = open_match(**match);
    if (!file)
        return at_path(text, std::move(file).error());
    return std::optional<File>(*std::move(file));
}

Result<File> Vfs::open(std::string_view path) const {
    FARDEL_TRY_ASSIGN(const PathParts parts, parse_path_parts(path));
    return open(path, parts);
}

Result<File> Vfs::open(std::string_view text, const PathParts& path) const {
    FARDEL_TRY_ASSIGN(auto file, find(text, path));
    if (file)
        return *std::move(file);
    const auto folder = is_folder(impl_->set.share(), path);
    return missing(text, folder && *folder ? "is a folder" : "nothing has this name");
}

Result<std::optional<Stat>> Vfs::find_stat(std::string_view path) const {
    FARDEL_TRY_ASSIGN(const PathParts parts, parse_path_parts(path));
    auto stat = find_stat_in(impl_->set.share(), impl_->verdicts, parts);
    if (!stat)
        return at_path(path, std::move(stat).error());
    return stat;
}

Result<Stat> Vfs::stat(std::string_view path) const {
    FARDEL_TRY_ASSIGN(auto stat, find_stat(path));
    if (!stat)
        return missing(path, "nothing has this name");
    return *std::move(stat);
}

Result<VfsPath> Vfs::read_link(std::string_view path) const {
    FARDEL_TRY_ASSIGN(const Stat found, stat(path));
    if (found.kind != NodeKind::link)
        return missing(path, "is no link");
    return VfsPath::of(*found.asset);
}

Result<Listing> Vfs::open_listing(std::string_view path) const {
    FARDEL_TRY_ASSIGN(const PathParts parts, parse_path_parts(path));
    const auto set = impl_->set.share();
    if (parts.kind == PathKind::bundles)
        return Listing(std::make_unique<Listing::Impl>(Listing::Impl{.walk = BundleIdWalk(set)}));
    if (parts.kind == PathKind::assets) {
        auto walk = AssetIdWalk::open(set);
        if (!walk)
            return at_path(path, std::move(walk).error());
        return Listing(std::make_unique<Listing::Impl>(Listing::Impl{.walk = *std::move(walk)}));
    }
    auto walk = open_folder(set, parts);
    if (!walk)
        return at_path(path, std::move(walk).error());
    if (!walk->has_value())
        return missing(path, "no such folder");
    return Listing(std::make_unique<Listing::Impl>(Listing::Impl{.walk = *std::move(*walk)}));
}

Result<std::vector<Entry>> Vfs::list(std::string_view path, std::size_t entries_max) const {
    FARDEL_TRY_ASSIGN(Listing listing, open_listing(path));
    std::vector<Entry> out;
    for (;;) {
        auto entry = listing.next();
        if (!entry)
            return at_path(path, std::move(entry).error());
        if (!entry->has_value())
            return out;
        if (out.size() == entries_max)
            return Error(ErrorCode::limit,
                         "path \"" + printable(path) + "\": more than " + std::to_string(entries_max) + " entries");
        out.push_back(*std::move(*entry));
    }
}

Result<Explanation> Vfs::explain(std::string_view path) const {
    FARDEL_TRY_ASSIGN(const PathParts parts, parse_path_parts(path));
    const auto set = impl_->set.share();
    Explanation out = explain_path(*set, impl_->verdicts, parts);
    out.path = path;
    const auto folder = is_folder(set, parts);
    out.folder = folder && *folder;
    return out;
}

Result<std::vector<Conflict>> Vfs::conflicts(std::size_t conflicts_max) const {
    return find_conflicts(*impl_->set.share(), conflicts_max);
}

}  // namespace fardel
