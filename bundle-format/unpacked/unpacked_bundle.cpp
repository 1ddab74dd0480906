#include <fardel/base/fits.h>
#include <fardel/format/unpacked_bundle.h>

#include "blob_digest.h"
#include "open_blobs.h"
#include "tables/buckets.h"
#include "write/asset_order.h"
#include "write/bundle_sections.h"
#include "write/number_table.h"
#include "write/plan_check.h"
#include "write/sorted_names.h"

#include <fardel/format/hash.h>
#include <fardel/format/limits.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace fardel {
namespace {

// A block of the source, and the location of its bytes.
struct Extent {
    std::uint64_t offset = 0;  // in the source
    std::uint32_t size_bytes = 0;
    std::uint32_t planned = 0;
    std::uint64_t blob_offset = 0;
};

struct UnpackedContent {
    StoredContent stored;
    std::vector<Extent> extents;  // by offset
};

// Lays out one raw block for each piece of each distinct asset, as write_bundle would.
Result<UnpackedContent> lay_out(std::span<const PlannedAsset> planned, std::span<const std::uint32_t> order,
                                const KnownBlobs& digests) {
    UnpackedContent out;
    StoredContent& stored = out.stored;
    stored.asset_of.resize(planned.size());
    NumberTable known;  // positions in stored.assets, by id
    known.reset(planned.size());
    for (const std::uint32_t index : order) {
        const BlobDigest& digest = *digests[index];
        const std::uint32_t same = known.find(
            leading_bits(digest.id), [&](std::uint32_t asset) { return stored.assets[asset].id == digest.id; });
        if (same != NumberTable::kNone) {
            stored.asset_of[index] = same;
            stored.duplicate_bytes += digest.raw_bytes;
            continue;
        }
        const auto number = static_cast<std::uint32_t>(stored.assets.size());
        known.insert(leading_bits(digest.id), number);
        stored.asset_of[index] = number;
        StoredAsset asset{
            .id = digest.id, .raw_bytes = digest.raw_bytes, .planned = index, .piece_log2 = digest.piece_log2};
        if (digest.raw_bytes > 0)
            asset.placement.first_block = static_cast<std::uint32_t>(stored.blocks.size());
        const std::uint64_t piece_bytes = std::uint64_t{1} << digest.piece_log2;
        for (std::uint64_t done = 0, piece = 0; done < digest.raw_bytes; done += piece_bytes, ++piece) {
            if (stored.blocks.size() == limits::kBlocksMax)
                return Error(ErrorCode::limit,
                             "the assets have more than " + std::to_string(limits::kBlocksMax) + " blocks");
            BlockRecord block;
            block.raw_bytes = block.stored_bytes =
                static_cast<std::uint32_t>(std::min(piece_bytes, digest.raw_bytes - done));
            // Stored raw, so the stored hash is the raw one, which the digest has: no byte is read to lay the bundle
            // out.
            block.stored_hash = digest.pieces.empty() ? id_from<Hash>(digest.id) : digest.pieces[in_memory(piece)];
            // Only blocks of assets of several pieces: in a block that assets share, none begins at the alignment, and
            // padding would cost 2 KiB for each 64 KiB. The ids must be those that write_bundle gives.
            const bool aligned = !digest.pieces.empty() && block.raw_bytes >= limits::kRawBlockAlign;
            block.stored_offset = aligned ? align_up(stored.blocks_bytes, limits::kRawBlockAlign) : stored.blocks_bytes;
            stored.blocks_bytes = block.stored_offset + block.stored_bytes;
            out.extents.push_back({kBlocksOffset + block.stored_offset, block.raw_bytes, index, done});
            stored.blocks.push_back(block);
            stored.piece_hashes.push_back(digest.pieces.empty() ? Hash{} : digest.pieces[in_memory(piece)]);
        }
        stored.raw_bytes += digest.raw_bytes;
        stored.assets.push_back(asset);
    }
    sort_by_id(stored);
    return out;
}

// Keeps in memory what the writer writes around the blocks. It is never committed.
class TablesFile final : public StagedFile {
public:
    explicit TablesFile(std::uint64_t tables_offset) : tables_offset_(tables_offset) {}

    Status write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
        std::vector<std::byte>& part = offset < tables_offset_ ? heads : tables;
        const std::uint64_t at = offset < tables_offset_ ? offset : offset - tables_offset_;
        if (!fits(at, bytes.size(), PTRDIFF_MAX))
            return Error(ErrorCode::limit, "the tables of an unpacked bundle do not fit into memory");
        if (part.size() < at + bytes.size())
            part.resize(in_memory(at + bytes.size()));
        if (!bytes.empty())
            std::memcpy(part.data() + at, bytes.data(), bytes.size());
        return ok();
    }
    Status resize(std::uint64_t size_bytes) override {
        tables.resize(in_memory(size_bytes - tables_offset_));  // after the writes, so it is in memory
        return ok();
    }
    Status commit() override { return ok(); }

    std::vector<std::byte> heads;
    std::vector<std::byte> tables;

private:
    std::uint64_t tables_offset_;
};

class UnpackedSource final : public ByteSource {
public:
    UnpackedSource(TablesFile file, std::uint64_t tables_offset, std::vector<Extent> extents,
                   std::vector<PlannedBlob> blobs)
        : heads_(std::move(file.heads)),
          tables_(std::move(file.tables)),
          tables_offset_(tables_offset),
          extents_(std::move(extents)),
          blobs_(std::move(blobs)) {}

    std::uint64_t size_bytes() const noexcept override { return tables_offset_ + tables_.size(); }

    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        if (!fits(offset, out.size(), size_bytes()))
            return Error(ErrorCode::corrupt, "a read past the end");
        while (!out.empty()) {
            FARDEL_TRY_ASSIGN(const std::size_t count, read_some(offset, out));
            offset += count;
            out = out.subspan(count);
        }
        return ok();
    }

private:
    static std::size_t copy(std::span<const std::byte> from, std::uint64_t at, std::span<std::byte> out) {
        const std::size_t count = std::min(out.size(), from.size() - in_memory(at));
        std::memcpy(out.data(), from.data() + at, count);
        return count;
    }

    // Reads from the part that contains `offset`: heads, a block, the zeros behind it, or tables.
    Result<std::size_t> read_some(std::uint64_t offset, std::span<std::byte> out) const {
        if (offset < heads_.size())
            return copy(heads_, offset, out);
        if (offset >= tables_offset_)
            return copy(tables_, offset - tables_offset_, out);
        const auto next = std::ranges::upper_bound(extents_, offset, {}, &Extent::offset);
        if (next != extents_.begin()) {
            const Extent& extent = *std::prev(next);
            if (const std::uint64_t within = offset - extent.offset; within < extent.size_bytes) {
                const auto count =
                    static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), extent.size_bytes - within));
                FARDEL_TRY(blobs_.read_at(extent.planned, extent.blob_offset + within, out.first(count)));
                return count;
            }
        }
        const std::uint64_t end = next != extents_.end() ? next->offset : tables_offset_;
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), end - offset));
        std::ranges::fill(out.first(count), std::byte{0});
        return count;
    }

    std::vector<std::byte> heads_;
    std::vector<std::byte> tables_;
    std::uint64_t tables_offset_;
    std::vector<Extent> extents_;
    OpenBlobs blobs_;
};

}  // namespace

Result<std::shared_ptr<const ByteSource>> make_unpacked_source(const BundlePlan& plan, const UnpackOptions& options) {
    FARDEL_TRY(verify_plan(plan));
    FARDEL_TRY_ASSIGN(const std::vector<std::uint32_t> names_by_text, sort_names(plan.names));
    FARDEL_TRY_ASSIGN(const std::vector<std::uint32_t> order, order_assets(plan.assets));
    FARDEL_TRY_ASSIGN(const auto digests, digest_blobs(plan.assets, options));
    FARDEL_TRY_ASSIGN(UnpackedContent content, lay_out(plan.assets, order, digests));

    const std::uint64_t tables_offset = manifest_offset(content.stored.blocks_bytes);
    TablesFile file(tables_offset);
    // The writer's own tables, so that a folder has the ids that its pack has
    // (docs/decisions/0013-everything-mounted-is-a-bundle.md).
    FARDEL_TRY(write_sections(plan, names_by_text, content.stored, file));

    std::vector<PlannedBlob> blobs;
    blobs.reserve(plan.assets.size());
    for (std::size_t i = 0; i < plan.assets.size(); ++i)
        blobs.push_back({plan.assets[i].source, plan.assets[i].key, digests[i]->raw_bytes});
    return std::shared_ptr<const ByteSource>(std::make_shared<const UnpackedSource>(
        std::move(file), tables_offset, std::move(content.extents), std::move(blobs)));
}

}  // namespace fardel
