#include "delta/asset_match.h"

#include "delta/content_sketch.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kSketchedBytes = 1u << 20;
constexpr std::uint64_t kSketchedBytesMin = 512;  // of less, too few numbers come to compare
constexpr std::size_t kSharedMin = 2;             // numbers that two similar files have in common
constexpr std::size_t kSameNumberMax = 8;         // files that share one number; those of more files tell little

using Matches = std::unordered_map<std::uint32_t, AssetIndex>;

std::uint32_t number_of(AssetIndex index) noexcept { return static_cast<std::uint32_t>(index); }

// Returns the assets of a name, in the order of its variants.
Result<std::vector<AssetIndex>> assets_of(const Bundle& bundle, const NameRecord& name) {
    std::vector<AssetIndex> assets;
    if (name.is(NameRecord::tombstone))
        return assets;
    if (!name.is(NameRecord::has_variants)) {
        assets.push_back(AssetIndex{name.target});
        return assets;
    }
    for (std::uint32_t i = 0; i < name.count; ++i) {
        FARDEL_TRY_ASSIGN(const VariantRecord variant, bundle.variant(name.target + i));
        assets.push_back(AssetIndex{variant.asset});
    }
    return assets;
}

Status match_names(const Bundle& old, const Bundle& target, const std::vector<bool>& open, Matches& matches) {
    for (std::uint32_t i = 0; i < target.name_count(); ++i) {
        FARDEL_TRY_ASSIGN(const NameRecord name, target.name(NameIndex{i}));
        FARDEL_TRY_ASSIGN(const std::vector<AssetIndex> assets, assets_of(target, name));
        if (std::ranges::none_of(assets, [&](AssetIndex asset) { return open[number_of(asset)]; }))
            continue;
        FARDEL_TRY_ASSIGN(const std::string_view text, target.name_text(NameIndex{i}));
        FARDEL_TRY_ASSIGN(const auto found, old.find_name(text));
        if (!found)
            continue;
        FARDEL_TRY_ASSIGN(const NameRecord old_name, old.name(*found));
        FARDEL_TRY_ASSIGN(const std::vector<AssetIndex> old_assets, assets_of(old, old_name));
        for (std::size_t v = 0; v < assets.size() && !old_assets.empty(); ++v)
            if (open[number_of(assets[v])])
                matches.try_emplace(number_of(assets[v]), old_assets[std::min(v, old_assets.size() - 1)]);
    }
    return ok();
}

Result<std::vector<std::uint64_t>> sketch_of(const Bundle& bundle, AssetIndex index, const std::stop_token& stop) {
    FARDEL_TRY_ASSIGN(const AssetRecord asset, bundle.asset(index));
    ContentSketch sketch;
    if (asset.raw_bytes < kSketchedBytesMin)
        return std::move(sketch).finish();
    std::vector<std::byte> buffer;
    for (std::uint64_t at = 0; at < asset.raw_bytes; at += buffer.size()) {
        if (stop.stop_requested())
            return Error(ErrorCode::cancelled, "comparing the bundles was stopped");
        buffer.resize(static_cast<std::size_t>(std::min<std::uint64_t>(asset.raw_bytes - at, kSketchedBytes)));
        FARDEL_TRY(bundle.read_at(index, at, buffer));
        sketch.add(buffer);
    }
    return std::move(sketch).finish();
}

Status match_content(const Bundle& old, const Bundle& target, std::span<const AssetIndex> assets,
                     const std::stop_token& stop, Matches& matches) {
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> wanted;  // number → positions in `assets`
    for (std::size_t i = 0; i < assets.size(); ++i) {
        FARDEL_TRY_ASSIGN(const std::vector<std::uint64_t> sketch, sketch_of(target, assets[i], stop));
        for (const std::uint64_t number : sketch)
            if (auto& sharing = wanted[number]; sharing.size() < kSameNumberMax)
                sharing.push_back(i);
    }
    if (wanted.empty())
        return ok();
    std::vector<std::size_t> most(assets.size(), kSharedMin - 1);
    for (std::uint32_t i = 0; i < old.asset_count(); ++i) {
        FARDEL_TRY_ASSIGN(const std::vector<std::uint64_t> sketch, sketch_of(old, AssetIndex{i}, stop));
        std::unordered_map<std::size_t, std::size_t> shared;
        for (const std::uint64_t number : sketch)
            if (const auto found = wanted.find(number); found != wanted.end())
                for (const std::size_t asset : found->second)
                    if (++shared[asset] > most[asset]) {
                        most[asset] = shared[asset];
                        matches[number_of(assets[asset])] = AssetIndex{i};
                    }
    }
    return ok();
}

}  // namespace

Result<std::unordered_map<std::uint32_t, AssetIndex>> match_assets(const Bundle& old, const Bundle& target,
                                                                   std::span<const AssetIndex> assets,
                                                                   const std::stop_token& stop) {
    Matches matches;
    std::vector<bool> open(target.asset_count(), false);
    for (const AssetIndex index : assets) {
        FARDEL_TRY_ASSIGN(const AssetRecord asset, target.asset(index));
        FARDEL_TRY_ASSIGN(const auto same, old.find_asset(asset.id));
        if (same)
            matches.emplace(number_of(index), *same);
        else
            open[number_of(index)] = true;
    }
    FARDEL_TRY(match_names(old, target, open, matches));
    std::vector<AssetIndex> left;
    for (const AssetIndex index : assets)
        if (!matches.contains(number_of(index)))
            left.push_back(index);
    if (!left.empty())
        FARDEL_TRY(match_content(old, target, left, stop, matches));
    return matches;
}

}  // namespace fardel
