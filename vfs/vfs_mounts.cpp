// The part of Vfs that changes the mounts, and pure mode.
#include "inspect/inspection.h"
#include "mounts/missing_dependencies.h"
#include "vfs_state.h"

#include <fardel/format/id_path.h>
#include <fardel/vfs/bundle_variants.h>
#include <fardel/vfs/inspect.h>
#include <fardel/vfs/pure_check.h>
#include <fardel/vfs/pure_policy.h>
#include <fardel/vfs/vfs.h>

#include <utility>

namespace fardel {
namespace {

Status verify_mount_point(const std::string& mount_point) {
    if (mount_point.empty())
        return ok();
    if (auto good = verify_name(mount_point); !good)
        return std::move(good).error().with_context("mount point \"" + printable(mount_point) + "\"");
    if (find_id_path(mount_point))  // tests/ATTACKS.md, A15
        return Error(ErrorCode::denied, "mount point \"" + printable(mount_point) +
                                            "\": nothing is mounted at /assets and /bundles, or below an id there");
    return ok();
}

Status verify_dependencies(const MissingDependencies& judge, const Mount& mount) {
    FARDEL_TRY_ASSIGN(const std::vector<MissingDependency> missing, judge.of(mount));
    if (missing.empty())
        return ok();
    std::string list;
    for (const MissingDependency& one : missing)
        list += (list.empty() ? "" : ", ") + (one.requirement.empty() ? one.bundle.hex() : one.reason);
    return Error(ErrorCode::unresolved,
                 mount.bundle().label() + ": it depends on bundles that are not mounted: " + list);
}

std::string label_of(const MountRequest& request) {
    if (!request.options.label.empty())
        return request.options.label;
    if (const auto* path = std::get_if<std::string>(&request.subject))
        return *path;
    return std::holds_alternative<std::shared_ptr<const BundlePlan>>(request.subject) ? "plan" : "bundle";
}

// nullptr: none.
std::shared_ptr<const VariantPreference> shared_preference(VariantPreference preference) {
    return preference.empty() ? nullptr : std::make_shared<const VariantPreference>(std::move(preference));
}

}  // namespace

Result<ContentNumber> Vfs::Impl::next_content() {
    if (last_content == kContentNumberMax)
        return Error(ErrorCode::limit, "this Vfs has mounted " + std::to_string(kContentNumberMax) + " times");
    return static_cast<ContentNumber>(++last_content);
}

std::shared_ptr<const MountSet> Vfs::Impl::show(std::shared_ptr<const MountSet> next) {
    mounted = std::move(next);
    return set.replace(pure ? pure->show(*mounted) : mounted->openly());
}

std::vector<MissingDependency> Vfs::Impl::newly_missing(const MountSet& next) const {
    return options.on_missing_dependency ? find_newly_missing(*mounted->openly(), *next.openly())
                                         : std::vector<MissingDependency>();
}

void Vfs::Impl::watch(std::span<const MountId> gone, std::span<const MountId> ids,
                      std::span<const OpenedMount> opened) {
    for (const MountId id : gone)
        watches.erase(id);
    for (std::size_t i = 0; i < opened.size(); ++i)
        if (opened[i].watch)
            watches[ids[i]] = opened[i].watch;
}

void Vfs::Impl::report(const std::vector<MissingDependency>& missing) const {
    for (const MissingDependency& one : missing)
        options.on_missing_dependency(one);
}

Result<MountId> Vfs::mount(MountSubject subject, MountOptions options) {
    FARDEL_TRY_ASSIGN(const std::vector<MountId> ids,
                      apply({.mount = {{.subject = std::move(subject), .options = std::move(options)}}}));
    return ids.front();
}

Result<MountId> Vfs::mount(const BundlePlan& plan, MountOptions options) {
    return mount(std::shared_ptr<const BundlePlan>(std::shared_ptr<const BundlePlan>(), &plan), std::move(options));
}

Status Vfs::unmount(MountId mount) {
    FARDEL_TRY(apply({.unmount = {mount}}));
    return ok();
}

Result<std::vector<Vfs::Impl::OpenedMount>> Vfs::Impl::open_mounts(std::span<const MountRequest> requests) const {
    std::vector<OpenedMount> opened;
    for (const MountRequest& request : requests) {
        MountOptions how = request.options;
        how.label = label_of(request);
        FARDEL_TRY(verify_mount_point(how.mount_point));
        OpenedMount& one = opened.emplace_back();
        FARDEL_TRY_ASSIGN(one.mount.content, open_mount_content(request.subject, how, cache, digests));
        one.require_dependencies = how.require_dependencies;
        one.mount.priority = how.priority;
        one.mount.case_rule = how.case_rule;
        one.mount.mount_point = how.mount_point;
        one.mount.pure_only = how.pure_only;
        one.mount.own_preference = shared_preference(how.preference);
        if (!how.watch)
            continue;
        FARDEL_TRY_ASSIGN(auto content, watch_content(one.mount.content, request));
        if (content)
            one.watch = std::make_shared<Watch>(Watch{.content = std::move(content), .required = required_by(how)});
    }
    return opened;
}

Result<std::vector<Mount>> Vfs::Impl::numbered(const std::vector<OpenedMount>& opened) {
    std::vector<Mount> mounts;
    for (const OpenedMount& one : opened) {
        Mount& mount = mounts.emplace_back(one.mount);
        FARDEL_TRY_ASSIGN(mount.content.number, next_content());
        mount.id = static_cast<MountId>(++last_mount);
    }
    return mounts;
}

Status Vfs::Impl::verify_required(const MountSet& next, const std::vector<OpenedMount>& opened) const {
    const auto open_set = next.openly();
    const MissingDependencies all(next);
    const MissingDependencies open(*open_set);
    for (const OpenedMount& one : opened)
        if (one.require_dependencies)
            FARDEL_TRY(verify_dependencies(one.mount.pure_only ? all : open, one.mount));
    return ok();
}

Result<std::vector<MountId>> Vfs::Impl::apply(MountChange& change) {
    FARDEL_TRY_ASSIGN(const auto opened, open_mounts(change.mount));
    std::shared_ptr<const MountSet> old;  // declared before the lock, so that files are closed without it
    std::vector<MountId> ids;
    std::vector<MissingDependency> missing;
    std::unique_lock lock(writing);
    MountSetChange set_change{.remove = change.unmount, .prioritise = std::move(change.prioritise)};
    FARDEL_TRY_ASSIGN(set_change.add, numbered(opened));
    for (const Mount& mount : set_change.add)
        ids.push_back(mount.id);
    FARDEL_TRY_ASSIGN(auto next, mounted->changed(std::move(set_change)));
    FARDEL_TRY(verify_required(*next, opened));
    missing = newly_missing(*next);
    old = show(std::move(next));
    watch(change.unmount, ids, opened);
    lock.unlock();
    log_mounts(change.unmount, ids, opened);
    report(missing);
    return ids;
}

Result<std::vector<MountId>> Vfs::apply(MountChange change) { return impl_->with_log(impl_->apply(change)); }

Result<std::vector<AssetChange>> Vfs::Impl::replace(std::vector<MountId>& group,
                                                    std::span<const MountRequest> requests) {
    FARDEL_TRY_ASSIGN(const auto opened, open_mounts(requests));
    const MountId top = group.back();
    std::vector<MountId> ids;
    VisibleChange visible;
    std::unique_lock lock(writing);
    MountSetChange change{.remove = {group.begin(), group.end() - 1}, .above = top};
    FARDEL_TRY_ASSIGN(change.add_below, numbered(opened));
    change.replace.push_back({.mount = top, .content = std::move(change.add_below.back().content)});
    change.add_below.pop_back();
    for (const Mount& mount : change.add_below)
        ids.push_back(mount.id);
    ids.push_back(top);
    FARDEL_TRY_ASSIGN(auto next, mounted->changed(std::move(change)));
    FARDEL_TRY(verify_required(*next, opened));
    visible.missing = newly_missing(*next);
    visible.before = show(std::move(next));
    visible.after = set.share();
    watch(group, ids, std::span(opened).first(opened.size() - 1));
    lock.unlock();
    log_mounts(std::span(group).first(group.size() - 1), ids, opened);
    report(visible.missing);
    auto changes = find_asset_changes(*visible.before, *visible.after, group, ids);
    group = std::move(ids);
    return changes;
}

Result<std::vector<AssetChange>> Vfs::replace(std::vector<MountId>& group, const std::vector<MountRequest>& requests) {
    if (requests.empty())
        return Error(ErrorCode::malformed, "no bundle is named for the mounts that are to be replaced");
    if (group.empty()) {
        FARDEL_TRY_ASSIGN(group, apply({.mount = requests}));
        return std::vector<AssetChange>();
    }
    return impl_->with_log(impl_->replace(group, requests));
}

Result<std::vector<AssetChange>> Vfs::replace(MountId mount, MountRequest request) {
    request.options.label = label_of(request);
    FARDEL_TRY_ASSIGN(MountContent content, impl_->with_log(open_mount_content(request.subject, request.options,
                                                                               impl_->cache, impl_->digests)));
    FARDEL_TRY_ASSIGN(const auto change,
                      impl_->with_log(impl_->replace_content(mount, std::move(content),
                                                             Impl::required_by(request.options), std::nullopt)));
    if (impl_->options.log)
        impl_->options.log(LogLevel::note, "put " + request.options.label + " into mount " +
                                               std::to_string(static_cast<std::uint32_t>(mount)));
    impl_->report(change->missing);
    return find_asset_changes(*change->before, *change->after, mount);
}

Result<MountContent> Vfs::Impl::content_of(MountId mount) {
    const std::scoped_lock lock(writing);
    const Mount* found = mounted->find(mount);
    if (found == nullptr)
        return no_such_mount(mount);
    return found->content;
}

Result<std::optional<Vfs::Impl::VisibleChange>> Vfs::Impl::replace_content(MountId mount, MountContent content,
                                                                           Required required,
                                                                           std::optional<ContentNumber> expected) {
    VisibleChange visible;
    const std::scoped_lock lock(writing);
    const Mount* found = mounted->find(mount);
    if (found == nullptr)
        return no_such_mount(mount);
    if (expected && found->content.number != *expected)
        return std::optional<VisibleChange>();
    FARDEL_TRY_ASSIGN(content.number, next_content());
    MountSetChange wanted;
    wanted.replace.push_back({.mount = mount, .content = std::move(content)});
    FARDEL_TRY_ASSIGN(auto next, mounted->changed(std::move(wanted)));
    if (required == Required::dependencies)
        FARDEL_TRY(verify_dependencies(MissingDependencies(*next), *next->find(mount)));
    visible.missing = newly_missing(*next);
    visible.before = show(std::move(next));
    visible.after = set.share();
    if (!expected)
        watches.erase(mount);
    return std::optional(visible);
}

Result<std::vector<AssetChange>> Vfs::Impl::refresh(MountId mount, const Reopen& reopen, Required required) {
    for (;;) {
        FARDEL_TRY_ASSIGN(const MountContent scanned, content_of(mount));
        // A new number even for the same names and bytes: blobs remember the files that were scanned.
        FARDEL_TRY_ASSIGN(MountContent content, reopen(scanned));
        FARDEL_TRY_ASSIGN(const auto change, replace_content(mount, std::move(content), required, scanned.number));
        if (change) {
            report(change->missing);
            return find_asset_changes(*change->before, *change->after, mount);
        }
        // replace() has put other content there meanwhile; that is what has to be scanned.
    }
}

Result<std::vector<AssetChange>> Vfs::refresh(MountId mount) {
    const auto reopen = [&](const MountContent& old) -> Result<MountContent> {
        if (old.path.empty())
            return Error(ErrorCode::unsupported, old.bundle->label() +
                                                     ": only folders, legacy archives and projects are "
                                                     "read again; replace() takes another bundle");
        return rescan(old, impl_->cache, impl_->digests);
    };
    const std::scoped_lock lock(impl_->refreshing);
    return impl_->refresh(mount, reopen, Impl::Required::nothing);
}

Vfs::Impl::Watches Vfs::Impl::current_watches() {
    const std::scoped_lock lock(writing);
    return watches;
}

Result<std::vector<AssetChange>> Vfs::poll() {
    std::vector<AssetChange> changes;
    const std::unique_lock lock(impl_->refreshing, std::try_to_lock);
    if (!lock)
        return changes;
    for (const auto& one : impl_->current_watches()) {
        const MountId id = one.first;
        Impl::Watch& watch = *one.second;
        FARDEL_TRY_ASSIGN(const bool changed, watch.content->take_change());
        watch.pending = watch.pending || changed;
        if (!watch.pending)
            continue;
        const auto reopen = [&](const MountContent& old) {
            return watch.content->reopen(old, impl_->cache, impl_->digests);
        };
        auto more = impl_->refresh(id, reopen, watch.required);
        using Verdict = ContentWatch::Verdict;
        const Verdict verdict = more ? Verdict::once : watch.content->judge(more.error(), changed);
        if (!more && (verdict == Verdict::later || !impl_->current_watches().contains(id)))
            continue;  // files are being written, or the mount has been removed or replaced meanwhile
        // The error waits for the next call if it would take the changes of other mounts away.
        watch.pending = !more && (verdict == Verdict::again || !changes.empty());
        if (!more && !changes.empty())
            continue;
        if (!more)
            return std::move(more).error();
        changes.insert(changes.end(), more->begin(), more->end());
    }
    return changes;
}

void Vfs::prefer(VariantPreference preference) {
    std::shared_ptr<const MountSet> old;
    const std::scoped_lock lock(impl_->writing);
    old = impl_->show(impl_->mounted->preferring(std::make_shared<const VariantPreference>(std::move(preference))));
}

Status Vfs::prefer(MountId mount, VariantPreference preference) {
    std::shared_ptr<const MountSet> old;
    const std::scoped_lock lock(impl_->writing);
    if (impl_->mounted->find(mount) == nullptr)
        return no_such_mount(mount);
    old = impl_->show(impl_->mounted->preferring(mount, shared_preference(std::move(preference))));
    return ok();
}

Result<VariantPreference> Vfs::variant_axes() const {
    VariantAxes axes;
    const auto set = impl_->set.share();
    for (const std::uint32_t mount : set->extenders())
        FARDEL_TRY(add_variant_axes(set->mounts()[mount].bundle(), axes));
    return list_axes(axes);
}

PureReport Vfs::enter_pure(PurePolicy policy) {
    std::shared_ptr<const MountSet> old;
    const std::scoped_lock lock(impl_->writing);
    impl_->pure = std::make_unique<PureLock>(std::move(policy));
    old = impl_->show(impl_->mounted);
    return PureReport(impl_->pure->problems(*impl_->mounted));
}

void Vfs::leave_pure() {
    std::shared_ptr<const MountSet> old;
    const std::scoped_lock lock(impl_->writing);
    impl_->pure.reset();
    old = impl_->show(impl_->mounted);
}

std::optional<PureReport> Vfs::pure_report() const {
    const std::scoped_lock lock(impl_->writing);
    if (!impl_->pure)
        return std::nullopt;
    return PureReport(impl_->pure->problems(*impl_->mounted));
}

Result<PureReply> Vfs::answer_pure(const PureOffer& offer, std::span<const PureAxis> chosen,
                                   std::string_view connection, std::span<const PureProblem> others) const {
    std::shared_ptr<const MountSet> set;
    std::vector<PureProblem> problems;
    {
        const std::scoped_lock lock(impl_->writing);
        if (!impl_->pure)
            return Error(ErrorCode::denied, "an offer is answered in pure mode: enter_pure() comes first");
        set = impl_->set.share();
        problems = impl_->pure->problems(*impl_->mounted);
    }
    problems.insert(problems.end(), others.begin(), others.end());
    std::vector<std::shared_ptr<const Bundle>> bundles;
    for (const Mount& mount : set->mounts())
        if (!mount.paths)
            bundles.push_back(mount.content.bundle);
    return answer_pure_offer(offer, *set->pure_policy(), bundles, chosen, connection, std::move(problems));
}

std::vector<MountDescription> Vfs::mounts() const {
    const std::scoped_lock lock(impl_->writing);
    const auto set = impl_->set.share();
    std::vector<MountDescription> out;
    const MissingDependencies judge(*set);
    for (const Mount& mount : set->mounts()) {
        out.push_back(mount.describe());
        if (auto missing = judge.of(mount))  // a damaged table is verify's to report
            out.back().missing_dependencies = std::move(missing).value();
    }
    for (const Mount& mount : impl_->mounted->mounts())
        if (set->find(mount.id) == nullptr)
            out.emplace_back(mount.describe()).hidden = true;
    return out;
}

bool Vfs::tainted() const noexcept { return impl_->set.read()->tainted(); }

}  // namespace fardel
