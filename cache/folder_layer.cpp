#include "cache_folder.h"
#include "cache_hold.h"

#include <fardel/cache/cache_layers.h>

#include <fardel/format/hash.h>
#include <fardel/format/name.h>

#include <mutex>
#include <optional>
#include <utility>

namespace fardel {
namespace {

class FolderLayer final : public CacheLayer {
public:
    FolderLayer(CacheFolder folder, bool shared) : folder_(std::move(folder)), shared_(shared) {}

    std::string name() const override {
        return std::string(shared_ ? "shared folder " : "folder ") + printable(folder_.path());
    }
    bool is_writable() const override { return true; }

    Result<std::optional<std::vector<std::byte>>> find_record(const BuildKey& key) override {
        FARDEL_TRY_ASSIGN(const auto file, folder_.find(CacheFileKind::record, id_from<Hash>(key)));
        if (!file || !use(*file))
            return std::optional<std::vector<std::byte>>();
        return folder_.find_bytes(*file, kCacheRecordBytesMax);
    }
    Status write_record(const BuildKey& key, std::span<const std::byte> bytes) override {
        hold();
        return folder_.write(CacheFileKind::record, id_from<Hash>(key), bytes);
    }

    Result<std::shared_ptr<const BlobSource>> find_object(const AssetId& asset, std::uint64_t size_bytes) override {
        FARDEL_TRY_ASSIGN(const auto file, find(asset, size_bytes));
        if (!file || !use(*file))
            return std::shared_ptr<const BlobSource>();
        return folder_.blob(*file);
    }
    Status write_object(const AssetId& asset, std::uint64_t size_bytes, const BlobSource& bytes) override {
        FARDEL_TRY_ASSIGN(const auto file, find(asset, size_bytes));
        if (file && use(*file))
            return ok();
        hold();
        return folder_.write(CacheFileKind::object, id_from<Hash>(asset), bytes);
    }

    std::vector<BuildKey> find_lacking(std::span<const BuildKey> keys) override {
        std::vector<BuildKey> lacking;
        for (const BuildKey& key : keys)
            if (const auto file = folder_.find(CacheFileKind::record, id_from<Hash>(key)); file && !*file)
                lacking.push_back(key);
        return lacking;
    }

    void drop_record(const BuildKey& key) override { folder_.drop(CacheFileKind::record, id_from<Hash>(key)); }
    void drop_object(const AssetId& asset) override { folder_.drop(CacheFileKind::object, id_from<Hash>(asset)); }

private:
    // What a program that may not write to the folder, or has no locks there, uses is not kept.
    const std::optional<CacheHold>& hold() {
        std::call_once(held_, [&] {
            if (auto opened = CacheHold::open(folder_))
                hold_.emplace(*std::move(opened));
        });
        return hold_;
    }
    // Returns false if the file is gone.
    bool use(const CacheFile& file) {
        if (!hold()) {
            folder_.mark_used(file);
            return true;
        }
        const auto used = hold()->use(file);
        return !used || *used;
    }

    // A network share may report an outdated size for some time. Then the size is checked when the file is read.
    Result<std::optional<CacheFile>> find(const AssetId& asset, std::uint64_t size_bytes) const {
        FARDEL_TRY_ASSIGN(auto file, folder_.find(CacheFileKind::object, id_from<Hash>(asset)));
        if (file && file->size_bytes != size_bytes && !shared_)
            file.reset();
        return file;
    }

    const CacheFolder folder_;
    const bool shared_;
    std::once_flag held_;
    std::optional<CacheHold> hold_;
};

}  // namespace

Result<std::unique_ptr<CacheLayer>> open_folder_layer(const std::string& folder, bool shared) {
    FARDEL_TRY_ASSIGN(CacheFolder opened, CacheFolder::open(folder, true));
    return std::unique_ptr<CacheLayer>(std::make_unique<FolderLayer>(std::move(opened), shared));
}

}  // namespace fardel
