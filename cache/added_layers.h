// AddedLayers: layers that are only read, as one layer to which more can be added while it is used.
#pragma once

#include <fardel/cache/cache_layer.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace fardel {

class AddedLayers final : public CacheLayer {
public:
    // Asked after those that were added before. Error: limit.
    Status add(std::shared_ptr<CacheLayer> layer);

    std::string name() const override;
    bool is_writable() const override { return false; }
    Result<std::optional<std::vector<std::byte>>> find_record(const BuildKey& key) override;
    Result<std::shared_ptr<const BlobSource>> find_object(const AssetId& asset, std::uint64_t size_bytes) override;
    Status write_record(const BuildKey& key, std::span<const std::byte> bytes) override;
    Status write_object(const AssetId& asset, std::uint64_t size_bytes, const BlobSource& bytes) override;
    void drop_record(const BuildKey&) override {}
    void drop_object(const AssetId&) override {}

private:
    std::vector<std::shared_ptr<CacheLayer>> layers() const;

    mutable std::mutex mutex_;
    std::vector<std::shared_ptr<CacheLayer>> layers_;
};

}  // namespace fardel
