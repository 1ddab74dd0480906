#include <fardel/cache/cache_layers.h>

#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint64_t kEntryBytes = 256;  // the overhead of an entry

// ---- Entries --------------------------------------------------------------------------------------------------------

// Blobs by id, the most recently used first.
template <class Id>
class RecentBytes {
public:
    struct Entry {
        Id id;
        std::uint64_t size_bytes = 0;
        std::uint64_t used = 0;
        std::shared_ptr<const BlobSource> blob;
    };

    const Entry* find(const Id& id, std::uint64_t now) {
        const auto at = by_id_.find(id);
        if (at == by_id_.end())
            return nullptr;
        by_use_.splice(by_use_.begin(), by_use_, at->second);
        by_use_.front().used = now;
        return &by_use_.front();
    }
    void put(Entry entry) {
        remove(entry.id);
        by_use_.push_front(std::move(entry));
        by_id_[by_use_.front().id] = by_use_.begin();
        bytes_ += by_use_.front().size_bytes + kEntryBytes;
    }
    void remove(const Id& id) {
        const auto at = by_id_.find(id);
        if (at == by_id_.end())
            return;
        bytes_ -= at->second->size_bytes + kEntryBytes;
        by_use_.erase(at->second);
        by_id_.erase(at);
    }
    const Entry* last() const { return by_use_.empty() ? nullptr : &by_use_.back(); }
    std::uint64_t bytes() const noexcept { return bytes_; }

private:
    std::list<Entry> by_use_;
    std::unordered_map<Id, typename std::list<Entry>::iterator> by_id_;
    std::uint64_t bytes_ = 0;
};

Result<std::vector<std::byte>> read_whole(const BlobSource& blob, std::uint64_t size_bytes) {
    FARDEL_TRY_ASSIGN(const auto stream, blob.open());
    // One byte more, to notice a blob that is longer than it should be.
    std::vector<std::byte> bytes(static_cast<std::size_t>(size_bytes) + 1);
    std::size_t size = 0;
    for (std::size_t count = 1; count > 0 && size < bytes.size(); size += count) {
        FARDEL_TRY_ASSIGN(count, stream->read(std::span(bytes).subspan(size)));
    }
    if (size != size_bytes)
        return Error(ErrorCode::corrupt, "expected " + std::to_string(size_bytes) + " bytes of an asset, found " +
                                             (size > size_bytes ? "more" : std::to_string(size)));
    bytes.resize(size);
    return bytes;
}

// ---- The layer ------------------------------------------------------------------------------------------------------

class MemoryLayer final : public CacheLayer {
public:
    explicit MemoryLayer(std::size_t bytes_max) : bytes_max_(bytes_max) {}

    std::string name() const override { return "memory"; }
    bool is_writable() const override { return true; }

    Result<std::optional<std::vector<std::byte>>> find_record(const BuildKey& key) override {
        std::shared_ptr<const BlobSource> blob;
        std::uint64_t size_bytes = 0;
        {
            const std::scoped_lock lock(mutex_);
            if (const auto* const entry = records_.find(key, ++now_)) {
                blob = entry->blob;
                size_bytes = entry->size_bytes;
            }
        }
        if (!blob)
            return std::optional<std::vector<std::byte>>();
        // The blob outlives its entry, so it is copied without the lock.
        FARDEL_TRY_ASSIGN(auto bytes, read_whole(*blob, size_bytes));
        return std::optional<std::vector<std::byte>>(std::move(bytes));
    }
    Status write_record(const BuildKey& key, std::span<const std::byte> bytes) override {
        insert(records_, key, {bytes.begin(), bytes.end()});
        return ok();
    }

    Result<std::shared_ptr<const BlobSource>> find_object(const AssetId& asset, std::uint64_t size_bytes) override {
        const std::scoped_lock lock(mutex_);
        const auto* const entry = objects_.find(asset, ++now_);
        return entry != nullptr && entry->size_bytes == size_bytes ? entry->blob : nullptr;
    }
    Status write_object(const AssetId& asset, std::uint64_t size_bytes, const BlobSource& bytes) override {
        if (size_bytes > bytes_max_ / 2)  // it would displace too many others
            return ok();
        FARDEL_TRY_ASSIGN(const auto known, find_object(asset, size_bytes));
        if (known)
            return ok();
        FARDEL_TRY_ASSIGN(auto whole, read_whole(bytes, size_bytes));
        insert(objects_, asset, std::move(whole));
        return ok();
    }

    void drop_record(const BuildKey& key) override {
        const std::scoped_lock lock(mutex_);
        records_.remove(key);
    }
    void drop_object(const AssetId& asset) override {
        const std::scoped_lock lock(mutex_);
        objects_.remove(asset);
    }

private:
    template <class Id>
    void insert(RecentBytes<Id>& entries, const Id& id, std::vector<std::byte> bytes) {
        const std::uint64_t size_bytes = bytes.size();
        auto blob = make_memory_blob(std::move(bytes));
        const std::scoped_lock lock(mutex_);
        entries.put({.id = id, .size_bytes = size_bytes, .used = ++now_, .blob = std::move(blob)});
        while (records_.bytes() + objects_.bytes() > bytes_max_)
            remove_oldest();
    }
    void remove_oldest() {
        const auto* const record = records_.last();
        const auto* const object = objects_.last();
        // Records and objects share one bound; `used` counts accesses to both.
        if (object == nullptr || (record != nullptr && record->used < object->used))
            records_.remove(BuildKey(record->id));
        else
            objects_.remove(AssetId(object->id));
    }

    const std::size_t bytes_max_;
    std::mutex mutex_;
    std::uint64_t now_ = 0;
    RecentBytes<BuildKey> records_;
    RecentBytes<AssetId> objects_;
};

}  // namespace

std::unique_ptr<CacheLayer> make_memory_layer(std::size_t bytes_max) {
    return std::make_unique<MemoryLayer>(bytes_max);
}

}  // namespace fardel
