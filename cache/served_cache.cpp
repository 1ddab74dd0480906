#include <fardel/cache/served_cache.h>

#include "cache_folder.h"
#include "spooled_bytes.h"

#include <fardel/cache/cache_record.h>
#include <fardel/format/hash.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

CacheFileKind kind_of(const ServedCacheFile& file) {
    return file.is_record ? CacheFileKind::record : CacheFileKind::object;
}

class FolderUpload final : public CacheUpload {
public:
    FolderUpload(const CacheFolder& folder, const ServedCacheFile& file, std::uint64_t bytes_max)
        : folder_(folder),
          file_(file),
          bytes_(file.is_record ? std::min<std::uint64_t>(bytes_max, kCacheRecordBytesMax) : bytes_max) {}

    Status append(std::span<const std::byte> bytes) override {
        if (!file_.is_record)
            hasher_.update(bytes);
        return bytes_.append(bytes);
    }

    Status finish() override {
        if (file_.is_record) {
            const std::vector<std::byte> record = bytes_.take_memory();
            FARDEL_TRY_ASSIGN(const CacheRecord decoded, decode_cache_record(id_from<BuildKey>(file_.id), record));
            return folder_.write(CacheFileKind::record, file_.id, record);
        }
        if (hasher_.finish() != file_.id)
            return Error(ErrorCode::corrupt, "the object has other bytes than its id says");
        return folder_.write(CacheFileKind::object, file_.id, *bytes_.take_blob());
    }

private:
    const CacheFolder& folder_;
    const ServedCacheFile file_;
    SpooledBytes bytes_;
    Hasher hasher_;
};

class ServedFolder final : public ServedCache {
public:
    explicit ServedFolder(CacheFolder folder) : folder_(std::move(folder)) {}

    Result<std::shared_ptr<const ByteSource>> open_file(const ServedCacheFile& file) const override {
        FARDEL_TRY_ASSIGN(const auto found, folder_.find(kind_of(file), file.id));
        if (!found)
            return Error(ErrorCode::missing, "the cache does not have it");
        folder_.mark_used(*found);
        auto bytes = folder_.blob(*found)->open_bytes();
        if (bytes || !found->packed)
            return bytes;
        // Clients find out what is wrong with files. A pack shows it here.
        folder_.drop(kind_of(file), file.id);
        return Error(ErrorCode::missing, "the cache has it in a pack that cannot be read");
    }

    bool has_object(const ServedCacheFile& file) const override {
        return !file.is_record && has(kind_of(file), file.id);
    }

    std::vector<bool> find_lacking(const CacheQuestion& question) const override {
        std::vector<bool> lacking;
        for (const BuildKey& key : question.records)
            lacking.push_back(!has(CacheFileKind::record, id_from<Hash>(key)));
        for (const AssetId& asset : question.objects)
            lacking.push_back(!has(CacheFileKind::object, id_from<Hash>(asset)));
        return lacking;
    }

    std::unique_ptr<CacheUpload> begin_upload(const ServedCacheFile& file, std::uint64_t bytes_max) const override {
        return std::make_unique<FolderUpload>(folder_, file, bytes_max);
    }

private:
    bool has(CacheFileKind kind, const Hash& id) const {
        const auto found = folder_.find(kind, id);
        return found && found->has_value();
    }

    const CacheFolder folder_;
};

}  // namespace

Result<std::unique_ptr<ServedCache>> ServedCache::open(const std::string& folder) {
    FARDEL_TRY_ASSIGN(CacheFolder opened, CacheFolder::open(folder, false));
    return std::unique_ptr<ServedCache>(std::make_unique<ServedFolder>(std::move(opened)));
}

std::optional<ServedCacheFile> ServedCache::find_file(std::string_view path) {
    constexpr std::size_t kDigitsOffset = std::string_view("records/ab/").size();
    const auto id = Hash::parse(path.substr(std::min(path.size(), kDigitsOffset)));
    if (!id)
        return std::nullopt;
    const ServedCacheFile file{.is_record = path.starts_with('r'), .id = *id};
    return cache_file_name(kind_of(file), file.id) == path ? std::optional(file) : std::nullopt;
}

}  // namespace fardel
