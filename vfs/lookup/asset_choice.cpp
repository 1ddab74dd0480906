#include "asset_choice.h"

#include <fardel/format/limits.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <cstdint>
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

// The variants to choose from. Tags are views of the bundles' tables.
struct Choices {
    const PurePolicy* policy = nullptr;
    std::vector<VariantTags> tags;
    std::vector<AssetChoice> assets;

    Status add(const NameMatch& match) {
        const Bundle& bundle = match.mount->bundle();
        if (!match.record.is(NameRecord::has_variants)) {
            FARDEL_TRY_ASSIGN(const AssetIndex asset, bundle.default_asset(match.record));
            tags.emplace_back();
            assets.push_back({.mount = match.mount, .asset = asset});
            return ok();
        }
        if (match.record.count == 0 || match.record.count > limits::kVariantsPerNameMax)
            return Error(ErrorCode::malformed,
                         bundle.label() + ": a name with " + std::to_string(match.record.count) + " variants");
        for (std::uint32_t i = 0; i < match.record.count; ++i)
            FARDEL_TRY(add_variant(*match.mount, match.record.target + i));
        return ok();
    }

    Status add_variant(const Mount& mount, std::uint32_t index) {
        const Bundle& bundle = mount.bundle();
        FARDEL_TRY_ASSIGN(const VariantRecord variant, bundle.variant(index));
        if (variant.asset >= bundle.asset_count() || variant.tag_count > limits::kTagsPerVariantMax)
            return Error(ErrorCode::malformed,
                         bundle.label() + ": variant " + std::to_string(index) + " leads nowhere");
        VariantTags out;
        for (std::uint32_t i = 0; i < variant.tag_count; ++i) {
            FARDEL_TRY_ASSIGN(const TagRecord tag, bundle.tag(variant.tag_first + i));
            FARDEL_TRY_ASSIGN(const std::string_view axis, bundle.string(tag.axis));
            FARDEL_TRY_ASSIGN(const std::string_view value, bundle.string(tag.value));
            out.push_back({axis, value});
        }
        // Left out before choosing, so that a preference cannot choose what the server does not allow.
        if (!is_allowed(out, policy))
            return ok();
        tags.push_back(std::move(out));
        assets.push_back({.mount = &mount, .asset = AssetIndex{variant.asset}});
        return ok();
    }

    Status verify_any() const {
        return assets.empty() ? Status(Error(ErrorCode::denied, "the pure policy allows none of its variants")) : ok();
    }

    // Of two variants with equal tags, that of the mount with the higher precedence.
    Result<AssetChoice> choose_best(const MountSet& set, WithTags with_tags) && {
        FARDEL_TRY(verify_any());
        std::size_t best = choose_variant(tags, set.preference());
        for (std::size_t i = 0; i < tags.size(); ++i)
            if (tags[i] == tags[best] && is_above(*assets[i].mount, *assets[best].mount))
                best = i;
        return std::move(*this).take(best, with_tags);
    }

    AssetChoice take(std::size_t index, WithTags with_tags) && {
        AssetChoice choice = std::move(assets[index]);
        if (with_tags == WithTags::yes)
            choice.tags = std::move(tags[index]);
        return choice;
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

// Adds the variants that other bundles add to `name` of the tree, as the match's bundle has it. `wins` says whether
// the match is what the published tree gives.
template <class Wins>
Status add_extensions(Choices& choices, const MountSet& set, const NameMatch& match, std::string_view name,
                      std::uint64_t hash, const Wins& wins) {
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
            FARDEL_TRY(choices.add(*more));
    }
    return ok();
}

}  // namespace

Result<AssetChoice> choose_own(const MountSet& set, const NameMatch& match, WithTags with_tags) {
    // The short way: one asset, or nothing that could prefer another. Most look-ups take it.
    if (!match.record.is(NameRecord::has_variants) ||
        (set.preference().empty() && set.pure_policy() == nullptr && with_tags == WithTags::no))
        return choose_default(match);
    Choices choices;
    choices.policy = set.pure_policy();
    FARDEL_TRY(choices.add(match));
    FARDEL_TRY(choices.verify_any());
    return std::move(choices).take(choose_variant(choices.tags, set.preference()), with_tags);
}

Result<AssetChoice> choose_published(const MountSet& set, const NameMatch& match, std::string_view name,
                                     std::uint64_t hash, WithTags with_tags) {
    if (set.extenders().empty())
        return choose_own(set, match, with_tags);
    Choices choices;
    choices.policy = set.pure_policy();
    FARDEL_TRY(choices.add(match));
    FARDEL_TRY(add_extensions(choices, set, match, name, hash, [] { return Result<bool>(true); }));
    return std::move(choices).choose_best(set, with_tags);
}

Result<AssetChoice> choose_scoped(const MountSet& set, const NameMatch& match, std::string_view name) {
    if (set.extenders().empty() || !match.record.is(NameRecord::published) || match.record.is(NameRecord::extends))
        return choose_own(set, match);
    const Mount& mount = *match.mount;
    const std::string path =
        mount.mount_point.empty() ? std::string(name) : mount.mount_point + '/' + std::string(name);
    const std::uint64_t hash = name_hash(path);
    Choices choices;
    choices.policy = set.pure_policy();
    FARDEL_TRY(choices.add(match));
    FARDEL_TRY(add_extensions(choices, set, match, path, hash, [&]() -> Result<bool> {
        FARDEL_TRY_ASSIGN(const auto winner, find_published(set, path, hash));
        return winner && winner->same_record(match);
    }));
    return std::move(choices).choose_best(set, WithTags::no);
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
