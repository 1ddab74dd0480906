#include <fardel/base/executor.h>
#include <fardel/base/threads.h>
#include <fardel/format/block_cache.h>

#include "read_scratch.h"

#include <fardel/base/core_number.h>
#include <fardel/format/manifest.h>

#include <cstring>
#include <list>
#include <mutex>
#include <unordered_map>

namespace fardel {
namespace {

constexpr std::size_t kShards = 16;

// The fields that determine the decoded bytes.
struct Key {
    Hash stored_hash;
    std::uint32_t raw_bytes;
    Codec codec;
    friend bool operator==(const Key&, const Key&) = default;
};

Key key_of(const BlockRecord& block) { return {block.stored_hash, block.raw_bytes, block.codec}; }

// The stored hash is cryptographic, so its bytes need no mixing. shard_of() uses other bytes of it.
struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept {
        std::size_t bits;
        std::memcpy(&bits, key.stored_hash.bytes.data(), sizeof bits);
        return bits;
    }
};

std::size_t shard_of(const Key& key) { return key.stored_hash.bytes[31] % kShards; }

struct Entry {
    Key key;
    BlockCache::Block bytes;
    mutable std::uint64_t moved_at = 0;  // the shard's insertion count when the block last moved to the front
};

}  // namespace

struct alignas(64) BlockCache::Shard {
    mutable Mutex mutex;
    mutable std::list<Entry> by_use;  // most recent first
    std::unordered_map<Key, std::list<Entry>::iterator, KeyHash> entries;
    std::size_t bytes = 0;
    std::size_t bytes_max = 0;
    std::uint64_t insertions = 0;
    mutable std::uint64_t hits = 0;
    mutable std::uint64_t misses = 0;
};

BlockCache::BlockCache(std::size_t bytes_max, std::shared_ptr<std::pmr::memory_resource> memory,
                       std::shared_ptr<Executor> executor)
    : memory_(std::move(memory)),
      shards_(std::make_unique<Shard[]>(kShards)),
      scratch_(std::make_unique<ReadScratchPool>(core_slots(), memory_.get())),
      executor_(std::move(executor)) {
    for (std::size_t i = 0; i < kShards; ++i)
        shards_[i].bytes_max = bytes_max / kShards;
}

BlockCache::~BlockCache() = default;

std::shared_ptr<std::byte[]> BlockCache::make_room(std::size_t size_bytes) const {
    return allocate_bytes(memory_.get(), size_bytes);
}

BlockCache::Block BlockCache::find(const BlockRecord& block) const {
    const Key key = key_of(block);
    const Shard& shard = shards_[shard_of(key)];
    const std::scoped_lock lock(shard.mutex);
    const auto found = shard.entries.find(key);
    if (found == shard.entries.end()) {
        ++shard.misses;
        return nullptr;
    }
    ++shard.hits;
    // Moving an entry writes to its neighbours, which other cores then have to fetch again. So it moves only when a
    // quarter of the other entries may have passed it.
    const Entry& entry = *found->second;
    if (shard.insertions - entry.moved_at > shard.entries.size() / 4) {
        entry.moved_at = shard.insertions;
        shard.by_use.splice(shard.by_use.begin(), shard.by_use, found->second);
    }
    return entry.bytes;
}

void BlockCache::insert(const BlockRecord& block, Block bytes) {
    const Key key = key_of(block);
    Shard& shard = shards_[shard_of(key)];
    std::list<Entry> leaving;  // freed after the lock is released
    const std::scoped_lock lock(shard.mutex);
    if (key.raw_bytes > shard.bytes_max || shard.entries.contains(key))
        return;
    while (shard.bytes + key.raw_bytes > shard.bytes_max) {
        const auto last = std::prev(shard.by_use.end());
        shard.bytes -= last->key.raw_bytes;
        shard.entries.erase(last->key);
        leaving.splice(leaving.begin(), shard.by_use, last);
    }
    shard.by_use.push_front({key, std::move(bytes), ++shard.insertions});
    shard.entries.emplace(key, shard.by_use.begin());
    shard.bytes += key.raw_bytes;
}

BlockCache::Usage BlockCache::usage() const {
    Usage total;
    for (std::size_t i = 0; i < kShards; ++i) {
        const std::scoped_lock lock(shards_[i].mutex);
        total.bytes += shards_[i].bytes;
        total.hits += shards_[i].hits;
        total.misses += shards_[i].misses;
    }
    total.decoded_bytes = decoded_bytes_.load(std::memory_order_relaxed);
    total.stalls = stalls_.load(std::memory_order_relaxed);
    return total;
}

}  // namespace fardel
