#include <fardel/format/block_cache.h>

#include <atomic>
#include <list>
#include <mutex>
#include <unordered_map>

namespace fardel {
namespace {

constexpr std::size_t kShards = 16;

struct Key {
    std::uint64_t owner;
    std::uint32_t block;
    friend bool operator==(const Key&, const Key&) = default;
};

// Neighbouring blocks fall into different shards and buckets.
struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept {
        std::uint64_t mixed = (key.owner * 0x9e37'79b9'7f4a'7c15ull) ^ (key.block * 0xc2b2'ae3d'27d4'eb4full);
        return static_cast<std::size_t>(mixed ^ (mixed >> 29));
    }
};

struct Entry {
    Key key;
    BlockCache::Block bytes;
    std::size_t size_bytes;
};

}  // namespace

struct alignas(64) BlockCache::Shard {
    mutable std::mutex mutex;
    mutable std::list<Entry> by_use;   // most recent first
    std::unordered_map<Key, std::list<Entry>::iterator, KeyHash> entries;
    std::size_t bytes = 0;
    std::size_t bytes_max = 0;
    mutable std::uint64_t hits = 0;
    mutable std::uint64_t misses = 0;

    void erase(std::list<Entry>::iterator at) {
        bytes -= at->size_bytes;
        entries.erase(at->key);
        by_use.erase(at);
    }
};

BlockCache::BlockCache(std::size_t bytes_max) : shards_(std::make_unique<Shard[]>(kShards)) {
    for (std::size_t i = 0; i < kShards; ++i) shards_[i].bytes_max = bytes_max / kShards;
}

BlockCache::~BlockCache() = default;

std::uint64_t BlockCache::next_owner() noexcept {
    static std::atomic<std::uint64_t> next{1};
    return next.fetch_add(1, std::memory_order_relaxed);
}

BlockCache::Block BlockCache::find(std::uint64_t owner, std::uint32_t block) const {
    const Key key{owner, block};
    const Shard& shard = shards_[KeyHash{}(key) % kShards];
    const std::scoped_lock lock(shard.mutex);
    const auto found = shard.entries.find(key);
    if (found == shard.entries.end()) {
        ++shard.misses;
        return nullptr;
    }
    ++shard.hits;
    shard.by_use.splice(shard.by_use.begin(), shard.by_use, found->second);
    return found->second->bytes;
}

void BlockCache::insert(std::uint64_t owner, std::uint32_t block, Block bytes, std::size_t size_bytes) {
    const Key key{owner, block};
    Shard& shard = shards_[KeyHash{}(key) % kShards];
    std::list<Entry> leaving;   // freed after the lock
    {
        const std::scoped_lock lock(shard.mutex);
        if (size_bytes > shard.bytes_max || shard.entries.contains(key)) return;
        while (shard.bytes + size_bytes > shard.bytes_max) {
            const auto last = std::prev(shard.by_use.end());
            shard.bytes -= last->size_bytes;
            shard.entries.erase(last->key);
            leaving.splice(leaving.begin(), shard.by_use, last);
        }
        shard.by_use.push_front({key, std::move(bytes), size_bytes});
        shard.entries.emplace(key, shard.by_use.begin());
        shard.bytes += size_bytes;
    }
}

void BlockCache::erase_owner(std::uint64_t owner) {
    for (std::size_t i = 0; i < kShards; ++i) {
        Shard& shard = shards_[i];
        const std::scoped_lock lock(shard.mutex);
        for (auto at = shard.by_use.begin(); at != shard.by_use.end();) {
            const auto next = std::next(at);
            if (at->key.owner == owner) shard.erase(at);
            at = next;
        }
    }
}

BlockCache::Usage BlockCache::usage() const {
    Usage total;
    for (std::size_t i = 0; i < kShards; ++i) {
        const std::scoped_lock lock(shards_[i].mutex);
        total.bytes += shards_[i].bytes;
        total.hits += shards_[i].hits;
        total.misses += shards_[i].misses;
    }
    return total;
}

}  // namespace fardel
