// RemoteFile: a bundle file on servers as a ByteSource. What is not here comes by range when it is read, is compared
// with its hash, and is kept. Blocks that other bundles here have are not requested.
//
// Tables come in pages, each proved by the page tree up to the root in the heads; blocks by the hashes in the layout.
// Any number of threads may read. Threads that want the same bytes wait for one request; bytes that are here wait for
// nothing. Reads in order are read ahead. The bytes that it returns are right, but whoever reads a bundle compares them
// all the same.
#pragma once

#include "remote/file_parts.h"
#include "remote/kept_bytes.h"
#include "remote/read_ahead.h"
#include "remote/rebuilt_blocks.h"
#include "remote/server_queue.h"
#include "remote/unit_requests.h"

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/ids.h>
#include <fardel/format/manifest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fardel {

class RemoteFile final : public ByteSource {
public:
    // `urls`: of the bundle file, at least one. Reads nothing yet.
    RemoteFile(const BundleId& bundle, std::unique_ptr<KeptBytes> kept, std::shared_ptr<ServerQueue> queue,
               std::vector<std::string> urls, HeldElsewhere elsewhere);

    // Takes heads and trailer from what is kept, without asking a server. Returns false if they are not there. Errors:
    // corrupt, malformed (what is kept does not fit the bundle id).
    Result<bool> open_kept();
    // Fetches heads and trailer from the server, and asks it first from now on. They are kept by keep_heads(), after
    // the caller has judged the signatures. Errors: those of the server; corrupt (it is not this bundle).
    Status open_from(std::size_t server);
    // Keeps them; what is kept with other heads is discarded.
    Status keep_heads();
    // Discards what was kept since keep_heads(), unless there was something with the same heads before.
    Status forget();

    // Requests the last page of each page tree: every look-up begins there. Of a small bundle, these are all tables,
    // and they are neighbours.
    void request_top_pages() const;

    std::uint64_t size_bytes() const noexcept override { return file_bytes_; }
    // Errors: those of the servers (unreachable, missing, corrupt, …), cancelled.
    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override;
    // Whether these bytes are kept; they are compared when they are read.
    bool holds(std::uint64_t offset, std::uint64_t length) const override {
        return requests_.kept().holds(offset, length);
    }
    // Requests blocks that are not here, at most 8 MiB, if the layout's pages about them are here.
    void prefetch(std::uint64_t offset, std::uint64_t length) const override;

    struct Wanted {
        std::uint64_t offset = 0;  // of stored bytes in the file
        std::uint32_t length_bytes = 0;
        Hash stored_hash;
    };
    // Requests blocks that are not here.
    void want(std::vector<Wanted> blocks, RequestPriority priority) const;
    bool holds_block(const Wanted& block) const;

    const KeptBytes& kept() const noexcept { return requests_.kept(); }
    Status leave_to_store(const LayoutId& layout) const { return requests_.kept().leave_to_store(layout); }

private:
    struct FoundBlock {
        std::uint64_t offset = 0;  // in the file
        BlockRecord record;
        std::uint64_t end() const noexcept { return offset + record.stored_bytes; }
    };

    class TablesSource;
    void bring_block(const ServerUnit& unit) const;
    Status take_heads(std::span<const std::byte> heads, std::uint64_t file_bytes);
    Status read_level(std::size_t level, std::uint64_t begin, std::span<std::byte> out) const;
    Status read_pages(std::size_t level, std::uint64_t first, std::uint64_t last, std::vector<std::byte>& out) const;
    Result<std::vector<Hash>> page_hashes(const TableLevel& level, std::uint64_t first, std::uint64_t last) const;
    std::uint64_t widen(std::size_t level, std::uint64_t first, std::uint64_t last, std::uint64_t& from) const;
    Status read_blocks(std::uint64_t offset, std::span<std::byte> out) const;
    Result<std::optional<FoundBlock>> find_block(std::uint64_t offset) const;
    std::optional<FoundBlock> peek_block(std::uint64_t offset) const;
    Result<std::optional<FoundBlock>> find_in_page(std::span<const std::byte> page, std::uint64_t wanted) const;
    void note_block_pages(std::uint64_t first, std::span<const std::byte> bytes) const;
    static ServerUnit unit_of(const Wanted& block);
    static ServerUnit unit_of(const FoundBlock& block);
    ServerUnit unit_of(const TableLevel& level, std::uint64_t page, const Hash& hash) const;
    std::vector<ServerUnit> missing_blocks(std::uint64_t from, std::uint64_t to) const;
    void read_ahead(std::uint64_t offset, std::uint64_t end) const;

    const BundleId id_;
    const HeldElsewhere elsewhere_;
    UnitRequests requests_;

    std::uint64_t file_bytes_ = 0;
    bool are_heads_new_ = false;
    std::vector<std::byte> heads_;
    std::vector<std::byte> trailer_;
    std::uint64_t trailer_offset_ = 0;
    std::uint64_t blocks_offset_ = 0;
    std::uint64_t blocks_bytes_ = 0;
    FileParts parts_;
    std::optional<std::size_t> blocks_level_;  // the records of the blocks table
    std::unique_ptr<RebuiltBlocks> rebuilt_;

    mutable std::mutex mutex_;  // guards what follows; held for no read or request
    mutable ReadAhead ahead_;
    mutable std::map<std::uint64_t, std::uint64_t> block_pages_;  // pages of the blocks table by their first block
    struct Window {
        std::uint64_t next = 0;  // the page after the latest ones
        std::uint64_t pages = 0;
    };
    mutable std::vector<Window> windows_;  // of each level
};

}  // namespace fardel
