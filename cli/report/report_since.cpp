#include "report_since.h"

#include "console/figures.h"

#include <fardel/format/name.h>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <tuple>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kSinceShownMax = 5;  // of each list, on the console

std::uint64_t size_distance(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }

// Sorts by the size of the change; equal ones keep their order.
template <class Changes, class Before, class After>
void sort_changes(Changes& changes, Before before, After after) {
    std::ranges::stable_sort(changes, std::ranges::greater{}, [&](const auto& change) {
        const SizeSum was = before(change), is = after(change);
        return std::pair(size_distance(was.stored_bytes, is.stored_bytes), size_distance(was.raw_bytes, is.raw_bytes));
    });
}

std::vector<GroupChange> changes_of(const std::vector<SizedAsset>& before, const std::vector<SizedAsset>& after,
                                    SizeGroup group) {
    std::map<std::string, GroupChange> groups;
    for (const auto& [key, sum] : sum_sizes(before, group))
        groups[key].before = sum;
    for (const auto& [key, sum] : sum_sizes(after, group))
        groups[key].after = sum;
    std::vector<GroupChange> changes;
    for (auto& [key, change] : groups)
        if (change.before != change.after)
            changes.push_back({key, change.before, change.after});
    sort_changes(
        changes, [](const GroupChange& change) { return change.before; },
        [](const GroupChange& change) { return change.after; });
    return changes;
}

// ---- Assets ---------------------------------------------------------------------------------------------------------

// What makes an asset the same in both; sized assets are sorted by it.
auto identity_of(const SizedAsset& asset) {
    return std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>(
        asset.name, asset.tags, asset.bundle, asset.name.empty() ? std::string_view(asset.id) : std::string_view());
}

SizeSum sum_of(const std::optional<SizedAsset>& asset) {
    SizeSum sum;
    if (asset)
        sum.add(*asset);
    return sum;
}

// An asset that is gone and one of the same id that came are one that was renamed.
void join_renamed(std::vector<SizeChange>& changes) {
    std::multimap<std::string, std::size_t> removed;
    for (std::size_t i = 0; i < changes.size(); ++i)
        if (changes[i].kind == SizeChangeKind::removed)
            removed.emplace(changes[i].before->id, i);
    for (SizeChange& change : changes) {
        if (change.kind != SizeChangeKind::added)
            continue;
        const auto found = removed.find(change.after->id);
        if (found == removed.end())
            continue;
        change.kind = SizeChangeKind::renamed;
        change.before = std::exchange(changes[found->second].before, std::nullopt);
        removed.erase(found);
    }
    std::erase_if(changes, [](const SizeChange& change) { return !change.before && !change.after; });
}

std::vector<SizeChange> asset_changes(const std::vector<SizedAsset>& before, const std::vector<SizedAsset>& after) {
    std::vector<SizeChange> changes;
    auto was = before.begin();
    auto is = after.begin();
    // Both are sorted: one walk through both.
    while (was != before.end() || is != after.end()) {
        const bool only_was = is == after.end() || (was != before.end() && identity_of(*was) < identity_of(*is));
        const bool only_is = !only_was && (was == before.end() || identity_of(*is) < identity_of(*was));
        if (only_was) {
            changes.push_back({SizeChangeKind::removed, *was++, std::nullopt});
        } else if (only_is) {
            changes.push_back({SizeChangeKind::added, std::nullopt, *is++});
        } else {
            if (was->id != is->id)
                changes.push_back({SizeChangeKind::changed, *was, *is});
            else if (was->stored_bytes != is->stored_bytes || was->raw_bytes != is->raw_bytes)
                changes.push_back({SizeChangeKind::repacked, *was, *is});
            ++was;
            ++is;
        }
    }
    join_renamed(changes);
    sort_changes(
        changes, [](const SizeChange& change) { return sum_of(change.before); },
        [](const SizeChange& change) { return sum_of(change.after); });
    return changes;
}

// ---- Text and JSON --------------------------------------------------------------------------------------------------

template <class Values, class Make>
Json first_changes(const Values& values, std::size_t list_max, Make make) {
    return Json{{"total", values.size()},
                {"list", json_list(std::span(values).first(std::min(values.size(), list_max)), make)}};
}

Json side_json(const std::optional<SizedAsset>& asset, std::string (*show)(std::string_view)) {
    if (!asset)
        return {};
    return json_of(SizedAsset{.name = show(asset->name),
                              .tags = show(asset->tags),
                              .bundle = show(asset->bundle),
                              .owner = show(asset->owner),
                              .content_type = show(asset->content_type),
                              .id = show(asset->id),
                              .raw_bytes = asset->raw_bytes,
                              .stored_bytes = asset->stored_bytes});
}

std::string format_steps(const SizeSum& before, const SizeSum& after) {
    return fmt::format("stored {}; raw {}", format_step(before.stored_bytes, after.stored_bytes),
                       format_step(before.raw_bytes, after.raw_bytes));
}

std::string format_size_change(const SizeChange& change) {
    const SizedAsset& asset = change.after ? *change.after : *change.before;
    return fmt::format("{} {}{}: {}", size_change_name(change.kind),
                       asset.name.empty() ? "/assets/" + printable(asset.id) : printable(asset.name),
                       asset.tags.empty() ? "" : " [" + printable(asset.tags) + "]",
                       format_steps(sum_of(change.before), sum_of(change.after)));
}

}  // namespace

std::string_view size_change_name(SizeChangeKind kind) {
    constexpr std::array<std::string_view, kSizeChangeKinds> kNames{"added", "removed", "renamed", "changed",
                                                                    "repacked"};
    return kNames[static_cast<std::size_t>(kind)];
}

ReportSince compare_sizes(const std::vector<SizedAsset>& before, const std::vector<SizedAsset>& after) {
    ReportSince since{.files = {},
                      .before = total_of(before),
                      .after = total_of(after),
                      .folders = changes_of(before, after, SizeGroup::folder),
                      .types = changes_of(before, after, SizeGroup::type),
                      .owners = changes_of(before, after, SizeGroup::owner),
                      .assets = asset_changes(before, after)};
    for (const SizeChange& change : since.assets)
        ++since.counts[static_cast<std::size_t>(change.kind)];
    return since;
}

Json json_of(const ReportSince& since, std::size_t list_max, std::string (*show)(std::string_view)) {
    const auto groups = [&](const std::vector<GroupChange>& changes, std::string_view key) {
        return first_changes(changes, list_max, [&](const GroupChange& change) {
            return Json{
                {key, show(change.group)}, {"before", json_of(change.before)}, {"after", json_of(change.after)}};
        });
    };
    Json json{{"files", json_list(since.files, [&](const std::string& file) { return Json(show(file)); })},
              {"before", json_of(since.before)},
              {"after", json_of(since.after)}};
    for (std::size_t kind = 0; kind < kSizeChangeKinds; ++kind)
        json.set(size_change_name(static_cast<SizeChangeKind>(kind)), since.counts[kind]);
    json.set("folders", groups(since.folders, "folder"));
    json.set("types", groups(since.types, "type"));
    json.set("owners", groups(since.owners, "owner"));
    json.set("assets", first_changes(since.assets, list_max, [&](const SizeChange& change) {
                 return Json{{"change", size_change_name(change.kind)},
                             {"before", side_json(change.before, show)},
                             {"after", side_json(change.after, show)}};
             }));
    return json;
}

std::string format_since(const ReportSince& since) {
    std::string text = fmt::format("since then: {}\n", format_steps(since.before, since.after));
    std::string counts;
    for (std::size_t kind = 0; kind < kSizeChangeKinds; ++kind)
        counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", format_count(since.counts[kind]),
                              size_change_name(static_cast<SizeChangeKind>(kind)));
    text += "assets: " + counts + "\n";
    text += format_items(since.folders, kSinceShownMax, "  ", [](const GroupChange& change) {
        return fmt::format("{}/: {}", printable(change.group), format_steps(change.before, change.after));
    });
    return text + format_items(since.assets, kSinceShownMax, "  ", format_size_change);
}

}  // namespace fardel
