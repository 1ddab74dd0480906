#include <fardel/verifier/bundle_diff.h>

#include <fardel/format/manifest.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace fardel {
namespace {

std::string_view leaf_of(std::string_view name) { return name.substr(name.rfind('/') + 1); }

DiffName diff_name(const BundleContents& contents, const ContentName& name) {
    DiffName side;
    side.text = name.text;
    side.published = name.published;
    side.extends = name.extends;
    for (const ContentVariant& variant : name.variants) {
        const ContentAsset& asset = contents.assets[variant.asset];
        side.variants.push_back({.tags = format_tags(variant),
                                 .asset = asset.id,
                                 .raw_bytes = asset.raw_bytes,
                                 .content_type = asset.content_type});
    }
    return side;
}

// ---- Names

// Whether `part` differs in any asset that both names lead to.
template <class Part>
bool differs(const BundleContents& before, const ContentName& old_name, const BundleContents& after,
             const ContentName& new_name, Part part) {
    for (const ContentVariant& old_variant : old_name.variants)
        for (const ContentVariant& new_variant : new_name.variants) {
            const ContentAsset& old_asset = before.assets[old_variant.asset];
            const ContentAsset& new_asset = after.assets[new_variant.asset];
            if (old_asset.id == new_asset.id && old_asset.*part != new_asset.*part)
                return true;
        }
    return false;
}

bool other_tags(const DiffName& before, const DiffName& after) {
    return !std::ranges::equal(before.variants, after.variants, {}, &DiffVariant::tags, &DiffVariant::tags);
}

// Whether `part` differs between variants that have the same tags, in any order.
template <class Part>
bool differs_by_tags(const DiffName& before, const DiffName& after, Part part) {
    return std::ranges::any_of(before.variants, [&](const DiffVariant& old_variant) {
        const auto found = std::ranges::find(after.variants, old_variant.tags, &DiffVariant::tags);
        return found != after.variants.end() && old_variant.*part != (*found).*part;
    });
}

std::vector<DiffAspect> aspects_of(const BundleContents& before, const ContentName& old_name,
                                   const BundleContents& after, const ContentName& new_name) {
    const DiffName old_side = diff_name(before, old_name), new_side = diff_name(after, new_name);
    const bool tombstone_changed = old_side.tombstone() != new_side.tombstone();
    const std::pair<DiffAspect, bool> comparisons[] = {
        {DiffAspect::content, differs_by_tags(old_side, new_side, &DiffVariant::asset)},
        {DiffAspect::content_type, differs_by_tags(old_side, new_side, &DiffVariant::content_type)},
        {DiffAspect::variants, !tombstone_changed && other_tags(old_side, new_side)},
        {DiffAspect::published, old_side.published != new_side.published},
        {DiffAspect::extends, old_side.extends != new_side.extends},
        {DiffAspect::tombstone, tombstone_changed},
        {DiffAspect::references, differs(before, old_name, after, new_name, &ContentAsset::references)},
        {DiffAspect::metadata, differs(before, old_name, after, new_name, &ContentAsset::metadata)},
    };
    std::vector<DiffAspect> aspects;
    for (const auto& [aspect, differing] : comparisons)
        if (differing)
            aspects.push_back(aspect);
    return aspects;
}

void compare_names(const BundleContents& before, const BundleContents& after, BundleDiff& diff) {
    auto old_name = before.names.begin();
    auto new_name = after.names.begin();
    while (old_name != before.names.end() || new_name != after.names.end()) {
        if (new_name == after.names.end() || (old_name != before.names.end() && old_name->text < new_name->text)) {
            diff.removed.push_back(diff_name(before, *old_name++));
        } else if (old_name == before.names.end() || new_name->text < old_name->text) {
            diff.added.push_back(diff_name(after, *new_name++));
        } else {
            if (auto aspects = aspects_of(before, *old_name, after, *new_name); !aspects.empty())
                diff.changed.push_back({diff_name(before, *old_name), diff_name(after, *new_name), std::move(aspects)});
            ++old_name;
            ++new_name;
        }
    }
}

// ---- Renames

bool equal_except_name(const DiffName& before, const DiffName& after) {
    return std::tie(before.published, before.extends, before.variants) ==
           std::tie(after.published, after.extends, after.variants);
}

// Turns pairs of a removed and an added name that are otherwise equal into renames. With `by_leaf`, only pairs with the
// same last part.
void pair_names(BundleDiff& diff, std::vector<bool>& removed_paired, std::vector<bool>& added_paired, bool by_leaf) {
    const auto key_of = [&](const DiffName& name) {
        return std::pair(name.variants.front().asset, by_leaf ? leaf_of(name.text) : std::string_view());
    };
    std::map<std::pair<AssetId, std::string_view>, std::vector<std::size_t>> candidates;  // indexes of removed names
    for (std::size_t i = diff.removed.size(); i-- > 0;)  // candidates are taken from the back
        if (!removed_paired[i] && !diff.removed[i].tombstone())
            candidates[key_of(diff.removed[i])].push_back(i);
    for (std::size_t i = 0; i < diff.added.size(); ++i) {
        if (added_paired[i] || diff.added[i].tombstone())
            continue;
        std::vector<std::size_t>& alike = candidates[key_of(diff.added[i])];
        const auto found = std::find_if(alike.rbegin(), alike.rend(), [&](std::size_t old_index) {
            return equal_except_name(diff.removed[old_index], diff.added[i]);
        });
        if (found == alike.rend())
            continue;
        removed_paired[*found] = added_paired[i] = true;
        diff.renamed.push_back({diff.removed[*found], diff.added[i], {}});
        alike.erase(std::next(found).base());
    }
}

std::vector<DiffName> without(std::vector<DiffName> names, const std::vector<bool>& taken) {
    std::vector<DiffName> rest;
    for (std::size_t i = 0; i < names.size(); ++i)
        if (!taken[i])
            rest.push_back(std::move(names[i]));
    return rest;
}

void find_renames(BundleDiff& diff) {
    std::vector<bool> removed_paired(diff.removed.size()), added_paired(diff.added.size());
    pair_names(diff, removed_paired, added_paired, true);
    pair_names(diff, removed_paired, added_paired, false);
    diff.removed = without(std::move(diff.removed), removed_paired);
    diff.added = without(std::move(diff.added), added_paired);
    std::ranges::sort(diff.renamed, {},
                      [](const DiffChange& change) -> const std::string& { return change.after.text; });
}

// ---- Consumes, dependencies, metadata

template <class Value, class Key>
std::vector<DiffPair<Value>> compare_by(const std::vector<Value>& before, const std::vector<Value>& after, Key key) {
    std::map<decltype(key(before.front())), DiffPair<Value>> pairs;
    for (const Value& value : before)
        pairs[key(value)].before = value;
    for (const Value& value : after)
        pairs[key(value)].after = value;
    std::vector<DiffPair<Value>> changes;
    for (auto& entry : pairs)
        if (entry.second.before != entry.second.after)
            changes.push_back(std::move(entry.second));
    return changes;
}

// Joins the removal of one version of a dependency and the addition of another into one change.
void pair_versions(std::vector<DiffPair<ContentDependency>>& changes) {
    for (DiffPair<ContentDependency>& removal : changes) {
        if (removal.after || !removal.before || removal.before->name.empty())
            continue;
        const auto addition = std::ranges::find_if(changes, [&](const DiffPair<ContentDependency>& other) {
            return !other.before && other.after && other.after->name == removal.before->name;
        });
        if (addition == changes.end())
            continue;
        removal.after = std::exchange(addition->after, std::nullopt);
    }
    std::erase_if(changes, [](const DiffPair<ContentDependency>& pair) { return !pair.before && !pair.after; });
}

// Whether the dependencies that both bundles have are in another order.
bool other_order(const std::vector<ContentDependency>& before, const std::vector<ContentDependency>& after) {
    const auto shared = [](const std::vector<ContentDependency>& of, const std::vector<ContentDependency>& with) {
        std::unordered_set<BundleId> known;
        for (const ContentDependency& dependency : with)
            known.insert(dependency.bundle);
        std::vector<BundleId> ids;
        for (const ContentDependency& dependency : of)
            if (known.contains(dependency.bundle))
                ids.push_back(dependency.bundle);
        return ids;
    };
    return shared(before, after) != shared(after, before);
}

// ---- Bytes

DiffSizes sizes_of(const Bundle& bundle, const BundleContents& contents) {
    return {contents.assets.size(), contents.names.size(), contents.raw_bytes, contents.stored_bytes,
            bundle.source()->size_bytes()};
}

void count_fetched(const BundleContents& before, const BundleContents& after, BundleDiff& diff) {
    std::unordered_set<Hash> blocks, pieces;
    std::unordered_set<AssetId> assets;
    for (const BlockRecord& block : before.blocks)
        blocks.insert(block.stored_hash);
    for (const ContentAsset& asset : before.assets) {
        assets.insert(asset.id);
        pieces.insert(asset.pieces.begin(), asset.pieces.end());
    }
    std::vector<bool> wanted(after.blocks.size());
    for (const ContentAsset& asset : after.assets) {
        if (asset.raw_bytes == 0 || assets.contains(asset.id))
            continue;
        if (asset.pieces.empty())
            wanted[asset.first_block] = true;
        for (std::size_t i = 0; i < asset.pieces.size(); ++i)
            if (!pieces.contains(asset.pieces[i]))
                wanted[asset.first_block + i] = true;
    }
    for (std::size_t i = 0; i < wanted.size(); ++i)
        if (wanted[i] && blocks.insert(after.blocks[i].stored_hash).second) {  // equal blocks are fetched once
            diff.fetch_bytes += after.blocks[i].stored_bytes;
            ++diff.fetch_blocks;
        }
}

}  // namespace

std::string_view diff_aspect_name(DiffAspect aspect) noexcept {
    switch (aspect) {
        case DiffAspect::content: return "content";
        case DiffAspect::content_type: return "content type";
        case DiffAspect::variants: return "variants";
        case DiffAspect::published: return "published";
        case DiffAspect::extends: return "extends";
        case DiffAspect::tombstone: return "tombstone";
        case DiffAspect::references: return "references";
        case DiffAspect::metadata: return "metadata";
    }
    return "";
}

Result<BundleDiff> diff_bundles(const Bundle& before, const Bundle& after) {
    FARDEL_TRY_ASSIGN(const BundleContents old_contents, read_contents(before));
    FARDEL_TRY_ASSIGN(const BundleContents new_contents, read_contents(after));
    BundleDiff diff;
    diff.before_id = before.id();
    diff.after_id = after.id();
    diff.before_layout = before.layout_id();
    diff.after_layout = after.layout_id();
    compare_names(old_contents, new_contents, diff);
    find_renames(diff);
    diff.consumes = compare_by(old_contents.consumes, new_contents.consumes,
                               [](const ContentConsume& consume) { return std::pair(consume.text, consume.pattern); });
    diff.dependencies = compare_by(old_contents.dependencies, new_contents.dependencies,
                                   [](const ContentDependency& dependency) { return dependency.bundle; });
    pair_versions(diff.dependencies);
    diff.dependency_order = other_order(old_contents.dependencies, new_contents.dependencies);
    diff.metadata = compare_by(old_contents.metadata, new_contents.metadata,
                               [](const ContentMetadata& entry) { return std::pair(entry.key, entry.creator); });
    diff.signatures = before.envelopes() != after.envelopes();
    diff.before = sizes_of(before, old_contents);
    diff.after = sizes_of(after, new_contents);
    count_fetched(old_contents, new_contents, diff);
    return diff;
}

}  // namespace fardel
