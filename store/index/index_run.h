// IndexRun: a sorted file that says where the stored bytes of blocks are; a part of a store's block index.
//
// docs/store.md gives the bytes. The file never changes after it was written. It is only a hint: whoever uses a
// location compares the bytes there. Damage in its head is found when it is opened, and in a page when that is read.
// One thread.
#pragma once

#include "packs/store_record.h"

#include <fardel/base/descriptor.h>
#include <fardel/base/file_path.h>
#include <fardel/base/result.h>
#include <fardel/format/ids.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fardel {

struct StoredBlock {
    StorePack pack;
    std::uint64_t pack_offset = 0;
    std::uint32_t stored_bytes = 0;
};

// The first bytes of a block's hash: enough to find it, because its bytes are compared anyway.
using BlockKey = std::array<std::byte, 16>;
BlockKey block_key(const Hash& stored_hash) noexcept;

struct IndexRunEntry {
    BlockKey key{};
    std::uint32_t stored_bytes = 0;
    std::uint32_t pack = 0;  // index into IndexRunHead::packs
    std::uint64_t pack_offset = 0;
    friend bool operator==(const IndexRunEntry&, const IndexRunEntry&) = default;
};

// A record of the store, as it was when its blocks were read.
struct IndexedRecord {
    BundleId bundle;
    Hash checksum;  // the last bytes of the record
    friend auto operator<=>(const IndexedRecord&, const IndexedRecord&) = default;
};

struct IndexRunHead {
    std::vector<IndexedRecord> records;  // whose blocks the run has
    std::vector<StorePack> packs;
    std::uint64_t entries = 0;
    friend bool operator==(const IndexRunHead&, const IndexRunHead&) = default;
};

inline constexpr std::size_t kRunPageBytes = 4096;
inline constexpr std::size_t kRunPageEntries = 127;
// A longer head is not read: room for about 400,000 records with a pack each.
inline constexpr std::size_t kRunHeadBytesMax = 64u << 20;

// The encoding ends with zeros up to a whole page.
std::vector<std::byte> encode_run_head(const IndexRunHead& head);
// Errors: corrupt (the checksum differs), malformed, unsupported (another version), limit.
Result<IndexRunHead> decode_run_head(std::span<const std::byte> bytes);
// Returns the size of a head from its first kRunHeadStartBytes bytes. Errors: malformed, unsupported, limit.
inline constexpr std::size_t kRunHeadStartBytes = 8 + 4 + 4 + 4 + 8;
Result<std::size_t> run_head_bytes(std::span<const std::byte> bytes);

using IndexRunPage = std::array<std::byte, kRunPageBytes>;
// At most kRunPageEntries.
IndexRunPage encode_run_page(std::span<const IndexRunEntry> entries);
// Reads the first `count` entries. Errors: corrupt (the checksum differs).
Result<std::vector<IndexRunEntry>> decode_run_page(const IndexRunPage& page, std::size_t count);

class IndexRun {
public:
    // Errors: missing, corrupt, malformed, unsupported, limit, denied, io.
    static Result<IndexRun> open(const FilePath& path);

    const FilePath& path() const noexcept { return path_; }
    const IndexRunHead& head() const noexcept { return head_; }
    std::uint64_t page_count() const noexcept { return (head_.entries + kRunPageEntries - 1) / kRunPageEntries; }

    // The entries stay valid until another page is read. Errors: corrupt, io.
    Result<std::span<const IndexRunEntry>> read_page(std::uint64_t number);
    // Returns where bytes with this hash should be. Errors: those of read_page.
    Result<std::optional<StoredBlock>> find(const Hash& stored_hash);

private:
    IndexRun(FilePath path, Descriptor file, IndexRunHead head, std::uint64_t pages_offset);
    FilePath path_;
    Descriptor file_;
    IndexRunHead head_;
    std::uint64_t pages_offset_ = 0;
    std::uint64_t page_number_ = UINT64_MAX;  // of the page that was read last
    std::vector<IndexRunEntry> page_;
};

// Writes a run in one step. `next` returns the entries, by key, and nothing at the end; head.entries is set here.
// Not synced. Errors: those of `next`; missing (no such folder), denied, no_space, io.
Status write_index_run(const FilePath& path, IndexRunHead head,
                       const std::function<Result<std::optional<IndexRunEntry>>()>& next);

}  // namespace fardel
