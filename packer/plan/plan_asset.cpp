#include "plan_asset.h"

#include <fardel/format/hash.h>

namespace fardel {
namespace {

Result<std::vector<std::byte>> read_planned(const BlobSource& blob, std::uint64_t size_bytes) {
    FARDEL_TRY_ASSIGN(const auto stream, blob.open());
    std::vector<std::byte> bytes(static_cast<std::size_t>(size_bytes) +
                                 1);  // one more, to notice a file that has grown
    std::size_t size = 0;
    while (size < bytes.size()) {
        FARDEL_TRY_ASSIGN(const std::size_t count, stream->read(std::span(bytes).subspan(size)));
        if (count == 0)
            break;
        size += count;
    }
    if (size != size_bytes)
        return Error(ErrorCode::conflict, "has another size than before; the file was changed meanwhile");
    bytes.resize(size);
    return bytes;
}

}  // namespace

Result<AssetId> AssetReader::id() {
    if (asset_.known)
        return asset_.known->asset;
    FARDEL_TRY(bytes());
    return id_from<AssetId>(blake3(*bytes_));
}

Result<std::span<const std::byte>> AssetReader::bytes() {
    if (!bytes_) {
        FARDEL_TRY_ASSIGN(bytes_, read_planned(*asset_.source, size_bytes_));
        if (asset_.known && id_from<AssetId>(blake3(*bytes_)) != asset_.known->asset)
            return Error(ErrorCode::conflict, "was edited while it was built; build again");
    }
    return std::span<const std::byte>(*bytes_);
}

std::vector<std::string_view> first_names_of(const BundlePlan& plan) {
    std::vector<std::string_view> names(plan.assets.size());
    for (const PlannedName& name : plan.names)
        for (const PlannedVariant& variant : name.variants)
            if (variant.asset < names.size() &&
                (names[variant.asset].empty() || name.name.view() < names[variant.asset]))
                names[variant.asset] = name.name.view();
    for (std::size_t asset = 0; asset < names.size(); ++asset)
        if (names[asset].empty())
            names[asset] = plan.assets[asset].key;
    return names;
}

}  // namespace fardel
