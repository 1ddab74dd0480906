// KeptBytes: what is here of a bundle that is read from a server. It is in the store, below incoming/, where a fetch
// goes on from it; if another program writes there, or the disk is full, the latest bytes are kept in memory alone.
//
// Any number of threads at once. Reading never waits for a write to the disk.
#pragma once

#include "fetch/library_blocks.h"

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/hash.h>
#include <fardel/store/bundle_store.h>
#include <fardel/store/incoming_bundle.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace fardel {

class KeptBytes {
public:
    // If received bytes cannot be kept on disk, why_in_memory() returns the reason. Errors: denied, no_space, io (the
    // store itself).
    static Result<std::unique_ptr<KeptBytes>> open(const BundleStore& store, const BundleId& bundle);

    // The size of the bundle file, if it is known. Set it before the first write.
    std::optional<std::uint64_t> file_bytes() const noexcept { return file_bytes_; }
    Status set_file_bytes(std::uint64_t file_bytes);

    // Fills `out` and returns true if all of it is here. The caller judges the bytes.
    bool read(std::uint64_t offset, std::span<std::byte> out) const;
    // Whether all of it is here.
    bool holds(std::uint64_t offset, std::uint64_t length) const;
    // Uses a block that another bundle in the store or in a library has. Returns whether it is here then.
    bool share(LibraryBlocks& library, std::uint64_t offset, const Hash& stored_hash, std::uint32_t stored_bytes);
    // Makes what is here an incomplete bundle of the store, whose blocks others can use. All tables must be here. What
    // comes later is kept in memory only.
    Status leave_to_store(const LayoutId& layout);
    // Keeps bytes that were compared with their hash.
    void write(std::uint64_t offset, std::span<const std::byte> bytes);
    // Both forget everything, as it does not fit the bundle. After restart(), a fetch can still use blocks of it.
    // Nobody reads meanwhile.
    Status discard();
    Status restart();

    // Why bytes are no longer kept on disk; nothing: they are.
    std::optional<Error> why_in_memory() const;

private:
    struct Recent {
        std::uint64_t offset = 0;
        std::vector<std::byte> bytes;
    };

    KeptBytes() = default;
    bool read_recent(std::uint64_t offset, std::span<std::byte> out) const;
    const Recent* find_recent(std::uint64_t offset) const;  // with the lock held
    void write_recent(std::uint64_t offset, std::span<const std::byte> bytes);

    std::mutex writing_;  // guards what incoming_ and the library do
    std::optional<IncomingBundle> incoming_;
    std::shared_ptr<const ByteSource> stored_;  // of `incoming_`, or of an incomplete bundle; nullptr: nothing
    std::optional<std::uint64_t> file_bytes_;
    mutable std::mutex mutex_;  // guards what follows
    std::optional<Error> why_in_memory_;
    std::list<Recent> recent_;                                        // the latest first
    std::map<std::uint64_t, std::list<Recent>::iterator> by_offset_;  // of recent_
    std::size_t recent_bytes_ = 0;
};

}  // namespace fardel
