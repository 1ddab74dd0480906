// IncomingExtras: bytes that were received for a bundle on its way into a store and are not part of its file; parts of
// the file are made from them. They are kept beside the incoming pack, so that they need not be received again after a
// fetch was killed. A head, then one entry after the other: key, length, hash, bytes. One thread, while the incoming
// pack is locked.
#pragma once

#include <fardel/base/descriptor.h>
#include <fardel/base/file_path.h>
#include <fardel/base/result.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fardel {

class IncomingExtras {
public:
    // Compares what an earlier attempt kept with its hashes: from the first difference on, it counts for nothing, and
    // is written over. Errors: denied, io.
    static Result<IncomingExtras> open(FilePath path);

    bool has_any() const noexcept { return !entries_.empty(); }
    bool has(const Hash& key) const { return entries_.contains(key); }
    // Returns nothing if no bytes are kept with this key. Error: io.
    Result<std::optional<std::vector<std::byte>>> read(const Hash& key) const;
    // Does nothing if some are kept with this key. Errors: no_space, io.
    Status add(const Hash& key, std::span<const std::byte> bytes);

private:
    explicit IncomingExtras(FilePath path) : path_(std::move(path)) {}
    Status read_entries(std::uint64_t file_bytes);

    struct Entry {
        std::uint64_t offset = 0;  // of the bytes
        std::uint64_t length_bytes = 0;
    };
    FilePath path_;
    Descriptor file_;  // closed: there is none
    std::uint64_t end_ = 0;
    std::unordered_map<Hash, Entry> entries_;
};

}  // namespace fardel
