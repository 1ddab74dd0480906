#include "added_layers.h"

#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kAddedLayersMax = 256;

// Returns the first answer that is one. A layer that fails is passed over, and its error counts if no other layer has
// an answer.
template <class Found, class Ask>
Result<Found> first_found(const std::vector<std::shared_ptr<CacheLayer>>& layers, const Ask& ask) {
    Result<Found> none = Found();
    for (const auto& layer : layers) {
        Result<Found> found = ask(*layer);
        if (found && *found)
            return found;
        if (!found)
            none = std::move(found);
    }
    return none;
}

Error added_are_read_only() { return Error(ErrorCode::denied, "added layers are only read"); }

}  // namespace

Status AddedLayers::add(std::shared_ptr<CacheLayer> layer) {
    const std::scoped_lock lock(mutex_);
    if (layers_.size() >= kAddedLayersMax)
        return Error(ErrorCode::limit,
                     "at most " + std::to_string(kAddedLayersMax) + " bundles can be added to a cache");
    layers_.push_back(std::move(layer));
    return ok();
}

std::string AddedLayers::name() const { return "added bundles"; }

std::vector<std::shared_ptr<CacheLayer>> AddedLayers::layers() const {
    const std::scoped_lock lock(mutex_);
    return layers_;
}

Result<std::optional<std::vector<std::byte>>> AddedLayers::find_record(const BuildKey& key) {
    return first_found<std::optional<std::vector<std::byte>>>(
        layers(), [&](CacheLayer& layer) { return layer.find_record(key); });
}

Result<std::shared_ptr<const BlobSource>> AddedLayers::find_object(const AssetId& asset, std::uint64_t size_bytes) {
    return first_found<std::shared_ptr<const BlobSource>>(
        layers(), [&](CacheLayer& layer) { return layer.find_object(asset, size_bytes); });
}

Status AddedLayers::write_record(const BuildKey&, std::span<const std::byte>) { return added_are_read_only(); }
Status AddedLayers::write_object(const AssetId&, std::uint64_t, const BlobSource&) { return added_are_read_only(); }

}  // namespace fardel
