#include <fardel/vfs/file.h>

#include <fardel/format/bundle.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <string>
#include <utility>

namespace fardel {

File::File(std::shared_ptr<const Bundle> bundle, AssetIndex index, const AssetRecord& record) noexcept
    : bundle_(std::move(bundle)),
      size_bytes_(record.raw_bytes),
      index_(index),
      asset_id_(record.id),
      has_metadata_(record.metadata_first != kNoIndex) {}

Result<File> File::of(std::shared_ptr<const Bundle> bundle, AssetIndex index) {
    FARDEL_TRY_ASSIGN(const AssetRecord record, bundle->asset(index));
    return File(std::move(bundle), index, record);
}

const BundleId& File::bundle_id() const noexcept { return bundle_->id(); }

Result<std::size_t> File::read_at(std::uint64_t offset, std::span<std::byte> out) const {
    if (offset >= size_bytes_ || out.empty())
        return std::size_t{0};
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), size_bytes_ - offset));
    FARDEL_TRY(bundle_->read_at(index_, offset, out.first(count)));
    return count;
}

Result<std::vector<std::byte>> File::read_all(std::uint64_t bytes_max) const {
    return bundle_->read_all(index_, bytes_max);
}

Status File::read_all(std::span<std::byte> out) const {
    if (out.size() != size_bytes_)
        return Error(ErrorCode::limit, "room for " + std::to_string(out.size()) + " bytes, but the asset has " +
                                           std::to_string(size_bytes_));
    return out.empty() ? ok() : bundle_->read_at(index_, 0, out);
}

Result<FileView> File::view(std::uint64_t offset, std::uint64_t length) const {
    FARDEL_TRY_ASSIGN(auto bytes, bundle_->view(index_, offset, length));
    return FileView(std::move(bytes), static_cast<std::size_t>(length));
}

}  // namespace fardel
