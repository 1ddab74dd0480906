#include "mount_set.h"

#include <fardel/base/fits.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>
#include <fardel/sources/source_scan.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace fardel {
namespace {

// Takes the first part off `name`.
std::string_view read_part(std::string_view& name) {
    const std::string_view part = name.substr(0, name.find('/'));
    name.remove_prefix(std::min(name.size(), part.size() + 1));
    return part;
}

// The preference of a mount: an axis that is in both ranks twice, by `own` first.
std::shared_ptr<const VariantPreference> join(const std::shared_ptr<const VariantPreference>& own,
                                              const std::shared_ptr<const VariantPreference>& of_set) {
    if (!own)
        return of_set;
    if (of_set->empty())
        return own;
    auto both = std::make_shared<VariantPreference>(*own);
    both->insert(both->end(), of_set->begin(), of_set->end());
    return both;
}

// The number of mounts that could be in a run and are in none.
constexpr std::size_t kDirectMax = 8;

// The run's members that are still mounted.
std::vector<NameRun::Member> members_of(const NameRun& run, std::span<const Mount> mounts) {
    std::vector<NameRun::Member> out;
    for (const Mount& mount : mounts)
        if (std::ranges::find(run.members(), mount.content.number) != run.members().end())
            out.push_back({.content = mount.content.number, .bundle = &mount.bundle()});
    return out;
}

// Moves mounts into the runs if too many are in none: into the newest run, or a new one if that is full. Returns
// whether there may be more to move.
bool collect(std::vector<Mount>& mounts, std::vector<std::shared_ptr<const NameRun>>& runs) {
    std::vector<Mount*> outside;
    for (Mount& mount : mounts)
        if (!mount.content.in_run && !mount.content.unfit && !mount.pure_only && mount.mount_point.empty())
            outside.push_back(&mount);
    if (outside.size() <= kDirectMax)
        return false;
    std::ranges::sort(outside, {}, [](const Mount* mount) { return mount->content.number; });

    std::vector<NameRun::Member> members;
    std::size_t names = 0;
    for (Mount* mount : outside) {
        const std::size_t more = in_memory(mount->bundle().table_count(TableKind::names));
        if (members.size() == NameRun::kMembersMax || (!members.empty() && names + more > NameRun::kBundleNamesMax))
            break;
        mount->content.in_run = NameRun::fits(mount->bundle());
        mount->content.unfit = !mount->content.in_run;
        if (mount->content.unfit)
            continue;
        members.push_back({.content = mount->content.number, .bundle = &mount->bundle()});
        names += more;
    }
    if (members.empty())
        return false;
    if (!runs.empty() && runs.back()->names() + names <= NameRun::kNamesMax &&
        runs.back()->members().size() + members.size() <= NameRun::kMembersMax) {
        const auto old = members_of(*runs.back(), mounts);
        members.insert(members.begin(), old.begin(), old.end());
        runs.pop_back();
    }
    runs.push_back(NameRun::build(members));
    return true;
}

// Inserts each mount before those of the same or a lower priority: it is the youngest of its priority. Of several, the
// last one is.
void insert_youngest(std::vector<Mount>& mounts, std::vector<Mount> added) {
    const auto is_above = [](const Mount& a, const Mount& b) { return a.priority > b.priority; };
    std::ranges::reverse(added);
    std::ranges::stable_sort(added, is_above);
    std::vector<Mount> all;
    all.reserve(mounts.size() + added.size());
    std::merge(std::make_move_iterator(added.begin()), std::make_move_iterator(added.end()),
               std::make_move_iterator(mounts.begin()), std::make_move_iterator(mounts.end()), std::back_inserter(all),
               is_above);
    mounts = std::move(all);
}

Result<Mount> extract(std::vector<Mount>& mounts, MountId id) {
    const auto at = std::ranges::find(mounts, id, &Mount::id);
    if (at == mounts.end())
        return no_such_mount(id);
    Mount mount = std::move(*at);
    mounts.erase(at);
    return mount;
}

// Verifies that no mount that is added shows the bundle of another one at the same mount point.
Status verify_alone(std::span<const Mount> added, std::span<const Mount> mounts) {
    std::unordered_multimap<BundleId, const Mount*> by_bundle;
    for (const Mount& mount : mounts)
        by_bundle.emplace(mount.bundle().id(), &mount);
    for (const Mount& mount : added) {
        for (auto [at, end] = by_bundle.equal_range(mount.bundle().id()); at != end; ++at) {
            const Mount& other = *at->second;
            if (other.id != mount.id && other.mount_point == mount.mount_point)
                return Error(ErrorCode::conflict, mount.bundle().label() + ": bundle " + mount.bundle().id().hex() +
                                                      " is mounted at \"/" + mount.mount_point + "\" already, from " +
                                                      other.bundle().label() +
                                                      "; unmount that or choose another mount point");
        }
        by_bundle.emplace(mount.bundle().id(), &mount);
    }
    return ok();
}

}  // namespace

Error no_such_mount(MountId mount) {
    return Error(ErrorCode::missing, "no mount has the number " + std::to_string(static_cast<std::uint32_t>(mount)));
}

std::string_view mount_kind_text(MountKind kind) noexcept {
    switch (kind) {
        case MountKind::bundle: return "bundle";
        case MountKind::folder: return "folder";
        case MountKind::archive: return "archive";
        case MountKind::plan: return "plan";
        case MountKind::project: return "project";
    }
    return "unknown";
}

MountContent MountContent::of(std::shared_ptr<const Bundle> bundle) {
    MountContent content;
    content.leases = std::make_shared<const BundleLeases>(bundle);
    content.limits_classes = bundle->limits_classes();
    content.bundle = std::move(bundle);
    return content;
}

bool Mount::shows(std::string_view name) const { return !paths || paths->matches(name); }

std::string Mount::path_of(std::string_view name) const {
    return mount_point.empty() ? std::string(name) : mount_point + "/" + std::string(name);
}

std::optional<std::string_view> Mount::inside(std::string_view name) const {
    if (mount_point.empty())
        return name;
    if (name.size() > mount_point.size() + 1 && name[mount_point.size()] == '/' && name.starts_with(mount_point))
        return name.substr(mount_point.size() + 1);
    if (case_rule == CaseRule::exact)
        return std::nullopt;
    const FolderRelation relation = relate(name);
    if (relation.kind != FolderRelation::inside || relation.rest.empty())
        return std::nullopt;
    return relation.rest;
}

FolderRelation Mount::relate(std::string_view folder) const {
    std::string_view rest = mount_point;
    while (!rest.empty()) {
        const std::string_view part = read_part(rest);
        if (folder.empty())
            return {.kind = FolderRelation::above, .rest = part};
        const std::string_view asked = read_part(folder);
        if (asked != part && (case_rule == CaseRule::exact || !names_fold_equal(asked, part)))
            return {};
    }
    return {.kind = FolderRelation::inside, .rest = folder};
}

MountDescription Mount::describe() const {
    MountDescription out{.id = id,
                         .kind = content.kind,
                         .label = bundle().label(),
                         .mount_point = mount_point,
                         .priority = priority,
                         .case_rule = case_rule,
                         .bundle = bundle().id(),
                         .layout = bundle().layout_id(),
                         .tainted = tainted(),
                         .has_variants = bundle().table_count(TableKind::variants) > 0,
                         .hidden = false,
                         .recall = {},
                         .signers = {},
                         .left_out = content.left_out};
    if (content.recall)
        out.recall = *content.recall;
    for (const TrustedSigner& signer : bundle().verdict().signers)
        out.signers.push_back(signer.label);
    return out;
}

std::shared_ptr<MountSet> MountSet::make(std::vector<Mount> mounts, const Runs& runs,
                                         std::shared_ptr<const VariantPreference> preference) {
    auto set = std::make_shared<MountSet>();
    set->mounts_ = std::move(mounts);
    set->preference_ = std::move(preference);
    std::unordered_map<ContentNumber, std::uint32_t> index_of;
    for (std::uint32_t i = 0; i < set->mounts_.size(); ++i) {
        Mount& mount = set->mounts_[i];
        mount.preference = join(mount.own_preference, set->preference_);
        set->prefers_ = set->prefers_ || !mount.preference->empty();
        index_of.emplace(mount.content.number, i);
        if (!mount.content.in_run)
            set->direct_.push_back(i);
        if (mount.bundle().table_count(TableKind::variants) > 0)
            set->extenders_.push_back(i);
    }
    for (const auto& run : runs) {
        IndexedRun& indexed = set->runs_.emplace_back();
        indexed.run = run;
        for (const ContentNumber member : run->members())
            indexed.indexes.push_back(index_of.at(member));
    }
    const auto& all = set->mounts_;
    const auto bundle_of = [&](std::uint32_t index) -> const BundleId& { return all[index].bundle().id(); };

    auto& order = set->by_bundle_;
    for (std::uint32_t i = 0; i < all.size(); ++i)
        if (!all[i].paths)
            order.push_back(i);
    std::ranges::stable_sort(order, {}, bundle_of);
    // Not std::ranges::unique: clang 14 cannot compile what it returns.
    order.erase(std::unique(order.begin(), order.end(),
                            [&](std::uint32_t a, std::uint32_t b) { return bundle_of(a) == bundle_of(b); }),
                order.end());

    set->tainted_ = std::ranges::any_of(all, &Mount::tainted);
    return set;
}

Result<std::shared_ptr<const MountSet>> MountSet::changed(MountSetChange change) const {
    std::vector<Mount> mounts = mounts_;
    for (const MountId id : change.remove)
        FARDEL_TRY(extract(mounts, id));
    for (const MountPriority& wanted : change.prioritise) {
        FARDEL_TRY_ASSIGN(Mount mount, extract(mounts, wanted.mount));
        mount.priority = wanted.priority;
        insert_youngest(mounts, {mount});
    }
    for (MountSetChange::Replacement& replacement : change.replace) {
        const auto at = std::ranges::find(mounts, replacement.mount, &Mount::id);
        if (at == mounts.end())
            return no_such_mount(replacement.mount);
        at->content = std::move(replacement.content);
        FARDEL_TRY(verify_alone({&*at, 1}, mounts));
    }
    FARDEL_TRY(verify_alone(change.add_below, mounts));
    for (Mount& mount : change.add_below) {
        const auto above = std::ranges::find(mounts, change.above, &Mount::id);
        if (above == mounts.end())
            return no_such_mount(change.above);
        mount.priority = above->priority;
        mounts.insert(above + 1, std::move(mount));
    }
    FARDEL_TRY(verify_alone(change.add, mounts));
    insert_youngest(mounts, std::move(change.add));

    Runs runs = this->runs();
    std::unordered_set<ContentNumber> contents;
    for (const Mount& mount : mounts)
        contents.insert(mount.content.number);
    const auto is_mounted = [&](ContentNumber number) { return contents.contains(number); };
    for (auto& run : runs)
        if (!std::ranges::all_of(run->members(), is_mounted))
            run = NameRun::build(members_of(*run, mounts));
    std::erase_if(runs, [](const auto& run) { return run->members().empty(); });
    while (collect(mounts, runs)) {
    }
    return std::shared_ptr<const MountSet>(make(std::move(mounts), runs, preference_));
}

std::shared_ptr<const MountSet> MountSet::recalling(std::span<const std::shared_ptr<const Error>> recalls) const {
    std::vector<Mount> mounts = mounts_;
    for (std::size_t i = 0; i < mounts.size(); ++i)
        mounts[i].content.recall = recalls[i];
    return make(std::move(mounts), runs(), preference_);
}

std::shared_ptr<const MountSet> MountSet::preferring(std::shared_ptr<const VariantPreference> preference) const {
    return make(mounts_, runs(), std::move(preference));
}

std::shared_ptr<const MountSet> MountSet::preferring(MountId mount,
                                                     std::shared_ptr<const VariantPreference> preference) const {
    std::vector<Mount> mounts = mounts_;
    std::ranges::find(mounts, mount, &Mount::id)->own_preference = std::move(preference);
    return make(std::move(mounts), runs(), preference_);
}

std::shared_ptr<const MountSet> MountSet::locked(std::vector<Mount> mounts,
                                                 std::shared_ptr<const PurePolicy> policy) const {
    for (Mount& mount : mounts) {
        mount.content.in_run = mount.content.unfit = mount.pure_only = false;
        if (!mount.paths)
            mount.content.scope.reset();
    }
    Runs runs;
    while (collect(mounts, runs)) {
    }
    auto set = make(std::move(mounts), runs, preference_);
    set->pure_policy_ = std::move(policy);
    return set;
}

std::shared_ptr<const MountSet> MountSet::openly() const {
    if (std::ranges::none_of(mounts_, &Mount::pure_only))
        return shared_from_this();
    std::vector<Mount> mounts = mounts_;
    std::erase_if(mounts, [](const Mount& mount) { return mount.pure_only; });
    return make(std::move(mounts), runs(), preference_);
}

const Mount* MountSet::find(MountId mount) const noexcept {
    const auto at = std::ranges::find(mounts_, mount, &Mount::id);
    return at != mounts_.end() ? &*at : nullptr;
}

MountSet::Runs MountSet::runs() const {
    Runs out;
    for (const IndexedRun& indexed : runs_)
        out.push_back(indexed.run);
    return out;
}

CandidateWalk::CandidateWalk(const MountSet& set, std::uint64_t hash) noexcept : set_(set) {
    // Each run, and each mount that it names, is waited for while the others are on their way.
    for (const MountSet::IndexedRun& indexed : set.runs_)
        indexed.run->prefetch(hash);
    for (const MountSet::IndexedRun& indexed : set.runs_) {
        const auto note = [&](std::size_t member) {
            const std::uint32_t index = indexed.indexes[member];
            set.mounts_[index].bundle().prefetch_name(hash);
            if (hit_count_ < kHitsMax)
                hits_[hit_count_] = index;
            ++hit_count_;
        };
        if (!indexed.run->for_each(hash, note) || hit_count_ > kHitsMax) {
            all_ = true;
            return;
        }
    }
    if (hit_count_ > 1)
        std::sort(hits_.begin(), hits_.begin() + static_cast<std::ptrdiff_t>(hit_count_));
}

const Mount* CandidateWalk::next() noexcept {
    const auto& mounts = set_.mounts_;
    if (all_)
        return next_ < mounts.size() ? &mounts[next_++] : nullptr;
    const bool has_hit = hit_ < hit_count_;
    const bool has_direct = direct_ < set_.direct_.size();
    if (has_hit && (!has_direct || hits_[hit_] < set_.direct_[direct_]))
        return &mounts[hits_[hit_++]];
    return has_direct ? &mounts[set_.direct_[direct_++]] : nullptr;
}

const Mount* MountSet::find_bundle(const BundleId& bundle) const noexcept {
    const auto bundle_of = [&](std::uint32_t index) -> const BundleId& { return mounts_[index].bundle().id(); };
    const auto at = std::ranges::lower_bound(by_bundle_, bundle, {}, bundle_of);
    return at != by_bundle_.end() && bundle_of(*at) == bundle ? &mounts_[*at] : nullptr;
}

}  // namespace fardel
