#include "id_walk.h"

#include <fardel/format/manifest.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace fardel {

BundleIdWalk::BundleIdWalk(std::shared_ptr<const MountSet> set) noexcept : set_(std::move(set)) {}

Result<std::optional<ListingEntry>> BundleIdWalk::next() {
    if (position_ == set_->by_bundle().size())
        return std::optional<ListingEntry>();
    const Mount& mount = set_->mounts()[set_->by_bundle()[position_++]];
    return std::optional(ListingEntry{.name = mount.bundle().id().hex(), .kind = NodeKind::folder});
}

AssetIdWalk::AssetIdWalk(std::shared_ptr<const MountSet> set) noexcept : set_(std::move(set)) {}

Result<AssetIdWalk> AssetIdWalk::open(std::shared_ptr<const MountSet> set) {
    AssetIdWalk walk(std::move(set));
    for (const std::uint32_t index : walk.set_->by_bundle())
        FARDEL_TRY(walk.push({.bundle = &walk.set_->mounts()[index].bundle(), .index = 0, .id = {}}));
    return walk;
}

Status AssetIdWalk::push(Source source) {
    if (source.index >= source.bundle->asset_count())
        return ok();
    FARDEL_TRY_ASSIGN(const AssetRecord record, source.bundle->asset(static_cast<AssetIndex>(source.index)));
    if (source.index > 0 && record.id <= source.id)
        return Error(ErrorCode::malformed,
                     source.bundle->label() + ": assets are not sorted at record " + std::to_string(source.index));
    source.id = record.id;
    heap_.push_back(source);
    std::ranges::push_heap(heap_, std::greater(), &Source::id);
    return ok();
}

Result<std::optional<ListingEntry>> AssetIdWalk::next() {
    if (heap_.empty())
        return std::optional<ListingEntry>();
    const AssetId id = heap_.front().id;
    while (!heap_.empty() && heap_.front().id == id) {
        std::ranges::pop_heap(heap_, std::greater(), &Source::id);
        Source source = heap_.back();
        heap_.pop_back();
        ++source.index;
        FARDEL_TRY(push(source));
    }
    return std::optional(ListingEntry{.name = id.hex(), .kind = NodeKind::file});
}

}  // namespace fardel
