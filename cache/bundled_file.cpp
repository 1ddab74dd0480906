#include "bundled_file.h"

#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>

#include <span>
#include <utility>

namespace fardel {
namespace {

class BundledBytes final : public ByteSource {
public:
    explicit BundledBytes(BundledFile file) : file_(std::move(file)) {}

    std::uint64_t size_bytes() const noexcept override { return file_.size_bytes; }
    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        return file_.bundle->read_at(file_.asset, offset, out);
    }

private:
    const BundledFile file_;
};

Result<BundledFile> bundled_file(const std::shared_ptr<const Bundle>& bundle, AssetIndex asset) {
    FARDEL_TRY_ASSIGN(const AssetRecord record, bundle->asset(asset));
    return BundledFile{.bundle = bundle, .asset = asset, .size_bytes = record.raw_bytes};
}

}  // namespace

Result<std::vector<std::byte>> BundledFile::read(std::size_t bytes_max) const {
    return bundle->read_all(asset, bytes_max);
}

std::shared_ptr<const ByteSource> BundledFile::open() const { return std::make_shared<BundledBytes>(*this); }

std::string bundled_name(CacheFileKind kind, const Hash& id) {
    return std::string(cache_kind_folder(kind)) + '/' + id.hex();
}

Result<std::optional<BundledFile>> find_bundled_record(const std::shared_ptr<const Bundle>& bundle,
                                                       const BuildKey& key) {
    FARDEL_TRY_ASSIGN(const auto found, bundle->find_name(bundled_name(CacheFileKind::record, id_from<Hash>(key))));
    if (!found)
        return std::optional<BundledFile>();
    FARDEL_TRY_ASSIGN(const NameRecord name, bundle->name(*found));
    FARDEL_TRY_ASSIGN(const AssetIndex asset, bundle->default_asset(name));
    FARDEL_TRY_ASSIGN(BundledFile file, bundled_file(bundle, asset));
    return std::optional<BundledFile>(std::move(file));
}

Result<std::optional<BundledFile>> find_bundled_object(const std::shared_ptr<const Bundle>& bundle,
                                                       const AssetId& asset) {
    FARDEL_TRY_ASSIGN(const auto found, bundle->find_asset(asset));
    if (!found)
        return std::optional<BundledFile>();
    FARDEL_TRY_ASSIGN(BundledFile file, bundled_file(bundle, *found));
    return std::optional<BundledFile>(std::move(file));
}

}  // namespace fardel
