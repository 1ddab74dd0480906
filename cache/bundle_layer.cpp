#include "bundled_file.h"

#include <fardel/cache/cache_layers.h>

#include <fardel/format/block_cache.h>
#include <fardel/format/bundle.h>
#include <fardel/format/name.h>

#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kBlockCacheBytes = 16u << 20;  // small objects share blocks

class BundleLayer final : public CacheLayer {
public:
    explicit BundleLayer(std::shared_ptr<const Bundle> bundle) : bundle_(std::move(bundle)) {}

    std::string name() const override { return "bundle " + printable(bundle_->label()); }
    bool is_writable() const override { return false; }

    Result<std::optional<std::vector<std::byte>>> find_record(const BuildKey& key) override {
        FARDEL_TRY_ASSIGN(const auto found, find_bundled_record(bundle_, key));
        if (!found)
            return std::optional<std::vector<std::byte>>();
        FARDEL_TRY_ASSIGN(auto bytes, found->read(kCacheRecordBytesMax));
        return std::optional<std::vector<std::byte>>(std::move(bytes));
    }
    Result<std::shared_ptr<const BlobSource>> find_object(const AssetId& asset, std::uint64_t size_bytes) override {
        FARDEL_TRY_ASSIGN(const auto found, find_bundled_object(bundle_, asset));
        if (!found || found->size_bytes != size_bytes)
            return std::shared_ptr<const BlobSource>();
        return make_bytes_blob(found->open());
    }

    Status write_record(const BuildKey&, std::span<const std::byte>) override { return read_only(); }
    Status write_object(const AssetId&, std::uint64_t, const BlobSource&) override { return read_only(); }
    void drop_record(const BuildKey&) override {}
    void drop_object(const AssetId&) override {}

private:
    Error read_only() const { return Error(ErrorCode::denied, name() + ": a bundle is read-only"); }

    const std::shared_ptr<const Bundle> bundle_;
};

}  // namespace

Result<std::unique_ptr<CacheLayer>> open_bundle_layer(const std::string& bundle) {
    FARDEL_TRY_ASSIGN(auto source, open_file_source(bundle));
    FARDEL_TRY_ASSIGN(
        auto opened,
        Bundle::open(std::move(source), {.cache = std::make_shared<BlockCache>(kBlockCacheBytes), .label = bundle}));
    return make_bundle_layer(std::move(opened));
}

std::unique_ptr<CacheLayer> make_bundle_layer(std::shared_ptr<const Bundle> bundle) {
    return std::make_unique<BundleLayer>(std::move(bundle));
}

}  // namespace fardel
