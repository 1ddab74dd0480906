#include "packs/store_record.h"

#include <fardel/base/fits.h>
#include <fardel/format/sealed_record.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace fardel {
namespace {

constexpr SealedKind kRecordKind{.subject = "store record", .magic = "FARDELSR", .version = 1};
constexpr std::size_t kPackFieldBytes = 32 + 8;
constexpr std::size_t kExtentFieldBytes = 8 + 8 + 4 + 8;

bool adjoin(const StoreExtent& first, const StoreExtent& second) noexcept {
    return first.end() == second.file_offset && first.pack == second.pack &&
           first.pack_offset + first.length_bytes == second.pack_offset;
}

// Checks what the fields alone cannot show.
Status verify_extents(const StoreRecord& record) {
    std::uint64_t end = 0;
    std::size_t used = 0;  // packs
    for (std::size_t i = 0; i < record.extents.size(); ++i) {
        const StoreExtent& extent = record.extents[i];
        if (extent.length_bytes == 0 || extent.file_offset < end ||
            !fits(extent.file_offset, extent.length_bytes, record.file_bytes))
            return Error(ErrorCode::malformed, "store record: extent " + std::to_string(i) + " is out of place");
        if (extent.pack >= record.packs.size() || extent.pack > used ||
            !fits(extent.pack_offset, extent.length_bytes, record.packs[extent.pack].size_bytes))
            return Error(ErrorCode::malformed, "store record: extent " + std::to_string(i) + " leaves its pack");
        if (i > 0 && adjoin(record.extents[i - 1], extent))
            return Error(ErrorCode::malformed, "store record: extent " + std::to_string(i) + " is cut in two");
        used = std::max<std::size_t>(used, extent.pack + 1);
        end = extent.end();
    }
    if (used != record.packs.size())
        return Error(ErrorCode::malformed, "store record: a pack is not used");
    return ok();
}

}  // namespace

// ---- The value ------------------------------------------------------------------------------------------------------

std::uint64_t StoreRecord::held_bytes() const noexcept {
    std::uint64_t held = 0;
    for (const StoreExtent& extent : extents)
        held += extent.length_bytes;
    return held;
}

const StoreExtent* StoreRecord::find(std::uint64_t file_offset, std::uint64_t length_bytes) const noexcept {
    const auto after = std::ranges::upper_bound(extents, file_offset, {}, &StoreExtent::file_offset);
    if (after == extents.begin())
        return nullptr;
    const StoreExtent& extent = *std::prev(after);
    return fits(file_offset - extent.file_offset, length_bytes, extent.length_bytes) ? &extent : nullptr;
}

void StoreRecordBuilder::add(std::uint64_t file_offset, std::uint64_t length_bytes, const StorePack& pack,
                             std::uint64_t pack_offset) {
    if (length_bytes == 0)
        return;
    std::size_t slot = packs_.size();
    while (slot > 0 && packs_[slot - 1].id != pack.id)  // usually the latest; a bundle lies in few packs
        --slot;
    if (slot == 0) {
        packs_.push_back(pack);
        slot = packs_.size();
    }
    const StoreExtent extent{file_offset, length_bytes, static_cast<std::uint32_t>(slot - 1), pack_offset};
    if (!extents_.empty() && adjoin(extents_.back(), extent))
        extents_.back().length_bytes += length_bytes;
    else
        extents_.push_back(extent);
}

StoreRecord StoreRecordBuilder::finish(const BundleId& bundle, const LayoutId& layout, std::uint64_t file_bytes) && {
    std::ranges::sort(extents_, {}, &StoreExtent::file_offset);
    StoreRecord record{.bundle = bundle, .layout = layout, .file_bytes = file_bytes};
    std::vector<std::uint32_t> renumbered(packs_.size(), UINT32_MAX);
    for (StoreExtent extent : extents_) {
        std::uint32_t& number = renumbered[extent.pack];
        // Packs are numbered by their first use, so that there is one record for one state.
        if (number == UINT32_MAX) {
            number = static_cast<std::uint32_t>(record.packs.size());
            record.packs.push_back(packs_[extent.pack]);
        }
        extent.pack = number;
        if (!record.extents.empty() && adjoin(record.extents.back(), extent))
            record.extents.back().length_bytes += extent.length_bytes;
        else
            record.extents.push_back(extent);
    }
    return record;
}

// ---- The encoding ---------------------------------------------------------------------------------------------------

std::uint64_t encoded_record_bytes(const StoreRecord& record) noexcept {
    constexpr std::uint64_t kFixedBytes = kSealBytes + 2 * sizeof(Hash) + 8 + 4 + 4;
    return kFixedBytes + record.packs.size() * kPackFieldBytes + record.extents.size() * kExtentFieldBytes;
}

std::vector<std::byte> encode_store_record(const StoreRecord& record) {
    ByteWriter writer = begin_sealed(kRecordKind);
    writer.fixed(record.bundle);
    writer.fixed(record.layout);
    writer.u64(record.file_bytes);
    writer.u32(static_cast<std::uint32_t>(record.packs.size()));
    for (const StorePack& pack : record.packs) {
        writer.fixed(pack.id);
        writer.u64(pack.size_bytes);
    }
    writer.u32(static_cast<std::uint32_t>(record.extents.size()));
    for (const StoreExtent& extent : record.extents) {
        writer.u64(extent.file_offset);
        writer.u64(extent.length_bytes);
        writer.u32(extent.pack);
        writer.u64(extent.pack_offset);
    }
    return seal(std::move(writer));
}

Result<StoreRecord> decode_store_record(std::span<const std::byte> bytes) {
    if (bytes.size() > kStoreRecordBytesMax)
        return Error(ErrorCode::limit, "store record: " + std::to_string(bytes.size()) + " bytes");
    FARDEL_TRY_ASSIGN(ByteReader reader, open_sealed(bytes, kRecordKind));
    StoreRecord record;
    record.bundle = reader.fixed<BundleId>();
    record.layout = reader.fixed<LayoutId>();
    record.file_bytes = reader.u64();
    record.packs.resize(in_memory(reader.count<std::uint32_t>(kPackFieldBytes)));
    for (StorePack& pack : record.packs) {
        pack.id = reader.fixed<PackId>();
        pack.size_bytes = reader.u64();
    }
    record.extents.resize(in_memory(reader.count<std::uint32_t>(kExtentFieldBytes)));
    for (StoreExtent& extent : record.extents) {
        extent.file_offset = reader.u64();
        extent.length_bytes = reader.u64();
        extent.pack = reader.u32();
        extent.pack_offset = reader.u64();
    }
    FARDEL_TRY(reader.finish());
    // Each pack is an open file while the bundle is read.
    if (record.packs.size() > kStorePacksMax)
        return Error(ErrorCode::limit, "store record: " + std::to_string(record.packs.size()) + " packs");
    FARDEL_TRY(verify_extents(record));
    return record;
}

}  // namespace fardel
