#include "asset_choice.h"

#include <fardel/format/limits.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>
#include <fardel/vfs/bundle_variants.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fardel {
namespace {

// Whether a pure policy allows the variant: on each axis of the policy, it has a tag that is listed there.
bool is_allowed(const VariantTags& tags, const PurePolicy* policy) {
    if (policy == nullptr)
        return true;
    return std::ranges::all_of(tags, [&](const TagView& tag) {
        const auto axis = std::ranges::find(policy->rules().variants, tag.axis, &PureAxis::axis);
        return axis == policy->rules().variants.end() || std::ranges::find(axis->tags, tag.value) != axis->tags.end();
    });
}

// Mounts are in order of precedence. Tags of a variant are sorted by axis, so equal sets of tags are equal lists.
bool is_above(const Mount& a, const Mount& b) { return &a < &b; }

// The variants to choose from, by the preference of the mount whose name it is. Tags are views of the bundles' tables.
struct Choices {
    const PurePolicy* policy = nullptr;
    const VariantPreference& preference;
    std::vector<VariantTraits> traits;
    std::vector<AssetChoice> assets;

    Choices(const MountSet& set, const NameMatch& match)
        : policy(set.pure_policy()), preference(set.preference_of(*match.mount)) {}

    Status add(const NameMatch& match) {
        const Bundle& bundle = match.mount->bundle();
        std::vector<VariantTraits> more;
        std::vector<AssetIndex> indexes;
        if (match.record.is(NameRecord::has_variants)) {
            FARDEL_TRY(read_variants(bundle, match.record, preference, more, indexes));
        } else {
            FARDEL_TRY_ASSIGN(const AssetIndex asset, bundle.default_asset(match.record));
            FARDEL_TRY(read_metrics(bundle, asset, preference, more.emplace_back()));
            indexes.push_back(asset);
        }
        for (std::size_t i = 0; i < more.size(); ++i) {
            // Left out before choosing, so that a preference cannot choose what the server does not allow.
            if (!is_allowed(more[i].tags, policy))
                continue;
            traits.push_back(std::move(more[i]));
            assets.push_back({.mount = match.mount, .asset = indexes[i]});
        }
        return ok();
    }

    Status verify_any() const {
        return assets.empty() ? Status(Error(ErrorCode::denied, "the pure policy allows none of its variants")) : ok();
    }

    Result<AssetChoice> choose_best(WithTags with_tags) && {
        FARDEL_TRY(verify_any());
        const std::size_t best = choose_variant(traits, preference);
        AssetChoice choice = std::move(assets[best]);
        if (with_tags == WithTags::yes)
            choice.tags = std::move(traits[best].tags);
        return choice;
    }

    // Leaves, of variants with equal tags, that of the mount with the highest precedence, in the position of the first:
    // a bound of a metric must not choose one that it hides.
    void remove_hidden() {
        std::map<VariantTags, std::size_t> position;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < assets.size(); ++i) {
            const auto [at, is_first] = position.try_emplace(traits[i].tags, kept);
            if (!is_first && !is_above(*assets[i].mount, *assets[at->second].mount))
                continue;
            const std::size_t to = is_first ? kept++ : at->second;
            if (to != i) {
                traits[to] = std::move(traits[i]);
                assets[to] = std::move(assets[i]);
            }
        }
        traits.resize(kept);
        assets.resize(kept);
    }
};

Result<AssetChoice> choose_default(const NameMatch& match) {
    FARDEL_TRY_ASSIGN(const AssetIndex asset, match.mount->bundle().default_asset(match.record));
    return AssetChoice{.mount = match.mount, .asset = asset};
}

// Whose name an extender's variants are added to: those of its static dependencies that have the name; if none of them
// is mounted, that of whoever publishes it.
enum class Extends : std::uint8_t { the_published, the_bundle, another };

Result<Extends> target_of(const MountSet& set, const Mount& extender, const Mount& bundle, std::string_view name) {
    Extends target = Extends::the_published;
    const std::uint64_t count =
        std::min<std::uint64_t>(extender.bundle().table_count(TableKind::dependencies), limits::kDependenciesMax);
    for (std::uint32_t i = 0; i < count; ++i) {
        FARDEL_TRY_ASSIGN(const DependencyRecord dependency, extender.bundle().dependency(i));
        if ((dependency.flags & DependencyRecord::is_static) == 0)
            continue;
        if (dependency.bundle == bundle.bundle().id())
            return Extends::the_bundle;
        const Mount* other = set.find_bundle(dependency.bundle);
        if (other == nullptr)
            continue;
        FARDEL_TRY_ASSIGN(const auto match, find_in_mount(*other, name, name_hash(name)));
        if (match)
            target = Extends::another;
    }
    return target;
}

// The names that add variants to `name` of the tree, as the match's bundle has it. `wins` says whether the match is
// what the published tree gives.
template <class Wins>
Result<std::vector<NameMatch>> find_extensions(const MountSet& set, const NameMatch& match, std::string_view name,
                                               std::uint64_t hash, const Wins& wins) {
    std::vector<NameMatch> found;
    for (const std::uint32_t index : set.extenders()) {
        const Mount& mount = set.mounts()[index];
        FARDEL_TRY_ASSIGN(const auto more, find_in_mount(mount, name, hash));
        // A mount whose rule bounds it adds no variants to names of other rules: that would override them by another
        // way.
        if (!more || more->same_record(match) || !more->record.is(NameRecord::extends) ||
            !more->record.is(NameRecord::published) || !more->may_publish ||
            (!more->may_override && !more->same_rule(match)))
            continue;
        FARDEL_TRY_ASSIGN(const Extends target, target_of(set, mount, *match.mount, name));
        bool added = target == Extends::the_bundle;
        if (target == Extends::the_published) {
            FARDEL_TRY_ASSIGN(added, wins());
        }
        if (added)
            found.push_back(*more);
    }
    return found;
}

// Among the variants of the match and of those that extend it.
Result<AssetChoice> choose_among(const MountSet& set, const NameMatch& match, std::span<const NameMatch> extensions,
                                 WithTags with_tags) {
    // The short way: one asset, or nothing that could prefer another. Most look-ups take it.
    const bool has_choice = match.record.is(NameRecord::has_variants) &&
                            (!set.preference_of(*match.mount).empty() || set.pure_policy() != nullptr);
    if (extensions.empty() && !has_choice && with_tags == WithTags::no)
        return choose_default(match);
    Choices choices(set, match);
    FARDEL_TRY(choices.add(match));
    for (const NameMatch& more : extensions)
        FARDEL_TRY(choices.add(more));
    if (!extensions.empty())
        choices.remove_hidden();
    return std::move(choices).choose_best(with_tags);
}

}  // namespace

Result<AssetChoice> choose_own(const MountSet& set, const NameMatch& match, WithTags with_tags) {
    return choose_among(set, match, {}, with_tags);
}

Result<AssetChoice> choose_published(const MountSet& set, const NameMatch& match, std::string_view name,
                                     std::uint64_t hash, WithTags with_tags) {
    if (set.extenders().empty())
        return choose_own(set, match, with_tags);
    FARDEL_TRY_ASSIGN(const auto extensions,
                      find_extensions(set, match, name, hash, [] { return Result<bool>(true); }));
    return choose_among(set, match, extensions, with_tags);
}

Result<AssetChoice> choose_scoped(const MountSet& set, const NameMatch& match, std::string_view name) {
    if (set.extenders().empty() || !match.record.is(NameRecord::published) || match.record.is(NameRecord::extends))
        return choose_own(set, match);
    const Mount& mount = *match.mount;
    const std::string path =
        mount.mount_point.empty() ? std::string(name) : mount.mount_point + '/' + std::string(name);
    const std::uint64_t hash = name_hash(path);
    FARDEL_TRY_ASSIGN(const auto extensions, find_extensions(set, match, path, hash, [&]() -> Result<bool> {
                          FARDEL_TRY_ASSIGN(const auto winner, find_published(set, path, hash));
                          return winner && winner->same_record(match);
                      }));
    return choose_among(set, match, extensions, WithTags::no);
}

Result<File> open_choice(const AssetChoice& choice) {
    return File::of(choice.mount->content.leases->of_this_thread(), choice.asset);
}

Result<std::optional<File>> find_chosen_file(const AssetChoice& choice) {
    FARDEL_TRY(choice.mount->verify_not_recalled());
    FARDEL_TRY_ASSIGN(const AssetRecord& record, choice.mount->bundle().asset(choice.asset));
    return std::optional<File>(std::in_place, choice.mount->content.leases->of_this_thread(), choice.asset, record);
}

Result<std::optional<File>> find_own_file(const MountSet& set, const Mount& mount, std::string_view name,
                                          std::uint64_t hash) {
    FARDEL_TRY_ASSIGN(const auto match, find_in_bundle(mount, name, hash));
    if (!match)
        return std::optional<File>();
    FARDEL_TRY_ASSIGN(const AssetChoice choice, choose_own(set, *match));
    return find_chosen_file(choice);
}

Result<std::optional<File>> find_published_file(const MountSet& set, std::string_view name, std::uint64_t hash) {
    FARDEL_TRY_ASSIGN(const auto match, find_published(set, name, hash));
    if (!match)
        return std::optional<File>();
    FARDEL_TRY_ASSIGN(const AssetChoice choice, choose_published(set, *match, name, hash));
    return find_chosen_file(choice);
}

}  // namespace fardel
