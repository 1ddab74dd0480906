// LibraryBlocks: the stored bytes of blocks that bundle files in libraries have, by their hashes.
//
// The layouts of the bundles are read when the first block is asked for: at most kLibraryBundlesMax bundles, and
// kLibraryBlocksMax blocks at about 80 bytes of memory each. The files may change at any time: bytes are compared with
// their hash whenever they are read. Any number of threads.
#pragma once

#include <fardel/format/hash.h>
#include <fardel/format/ids.h>
#include <fardel/store/bundle_store.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fardel {

inline constexpr std::size_t kLibraryBundlesMax = 4096;
inline constexpr std::size_t kLibraryBlocksMax = 4u << 20;

class LibraryBlocks {
public:
    // nullptr: there are none. Borrows it.
    explicit LibraryBlocks(const BundleLibrary* library) : library_(library) {}

    // Whether a layout says that there are such bytes.
    bool has(const Hash& stored_hash, std::uint32_t stored_bytes);
    // Returns bytes with this hash; nothing if there are none.
    std::optional<std::vector<std::byte>> find(const Hash& stored_hash, std::uint32_t stored_bytes);

private:
    struct Location {
        std::uint32_t bundle = 0;  // index into bundles_
        std::uint32_t stored_bytes = 0;
        std::uint64_t offset = 0;  // in the file
    };
    // With the lock held. Returns nullptr if no layout has it.
    const Location* locate(const Hash& stored_hash, std::uint32_t stored_bytes);
    void read_layouts();
    void add_blocks(const BundleId& id);
    const ByteSource* open(std::uint32_t bundle);

    const BundleLibrary* const library_;
    std::mutex mutex_;  // guards what follows
    bool is_read_ = false;
    std::vector<BundleId> bundles_;
    std::unordered_map<Hash, Location> blocks_;
    // The bundle that was read last: blocks are asked for in the order of a file.
    std::pair<std::uint32_t, std::shared_ptr<const ByteSource>> open_{UINT32_MAX, nullptr};
};

}  // namespace fardel
