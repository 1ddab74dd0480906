#include <fardel/delivery/delta_segment.h>

#include <fardel/delivery/delta_tables.h>
#include <fardel/format/hash.h>
#include <fardel/format/limits.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint64_t kPrefixPerByte = 8;

Error misfit(const char* what) { return Error(ErrorCode::malformed, std::string("delta: ") + what); }

}  // namespace

std::uint64_t raw_bytes_of(std::span<const BlockRecord> blocks) noexcept {
    std::uint64_t bytes = 0;
    for (const BlockRecord& record : blocks)
        bytes += record.raw_bytes;
    return bytes;
}

std::uint64_t prefix_bytes_max(std::uint64_t given_bytes, std::uint64_t blocks) noexcept {
    return std::min<std::uint64_t>(kDeltaPrefixBytesMax,
                                   kPrefixPerByte * given_bytes + blocks * limits::kBlockBytesMax);
}

Result<std::vector<BlockRecord>> records_of(const Bundle& bundle, std::span<const BlockRun> runs) {
    // Blocks have at least one byte, so more than these cannot fit any segment.
    if (count_of(runs) > kDeltaPrefixBytesMax || count_of(runs) > bundle.table_count(TableKind::blocks))
        return misfit("a segment of more blocks than there are");
    std::vector<BlockRecord> records;
    for (const BlockRun& run : runs)
        for (std::uint64_t i = run.first; i < run.end(); ++i) {
            FARDEL_TRY_ASSIGN(const BlockRecord record, bundle.block(static_cast<std::uint32_t>(i)));
            if (record.raw_bytes > limits::kBlockBytesMax || record.stored_bytes > limits::kBlockBytesMax)
                return misfit("a block is too large");
            records.push_back(record);
        }
    return records;
}

Result<DeltaReader> DeltaReader::open(std::shared_ptr<const Bundle> old, const DeltaHead& head, unsigned jobs,
                                      std::shared_ptr<PrefixRoom> prefix) {
    FARDEL_TRY(verify_old_bundle(old.get(), head));
    return DeltaReader(std::move(old), head.level, jobs, std::move(prefix));
}

Status DeltaReader::decode(const DeltaBlocks& segment, std::span<const std::byte> frame, std::uint64_t given_bytes) {
    FARDEL_TRY_ASSIGN(const std::vector<BlockRecord> records, records_of(*old_, segment.prefix));
    const std::uint64_t bytes = raw_bytes_of(records);
    if (bytes > prefix_bytes_max(given_bytes, count_of(segment.blocks)))
        return Error(ErrorCode::limit, "delta: a segment refers to too much of the old bundle");
    given_.resize(static_cast<std::size_t>(given_bytes));
    const std::scoped_lock lock(prefix_->mutex);
    prefix_->bytes.resize(static_cast<std::size_t>(bytes));
    FARDEL_TRY(raw_.read_all(records, prefix_->bytes, jobs_));
    return decoder_.decode(prefix_->bytes, frame, given_);
}

Result<std::uint64_t> DeltaReader::read_blocks(const DeltaBlocks& segment, std::span<const std::byte> frame,
                                               const Bundle& target, const std::function<bool(std::uint32_t)>& wanted,
                                               const TakeBlock& take) {
    const bool is_raw = segment.form == DeltaBlocks::Form::raw;
    FARDEL_TRY_ASSIGN(const std::vector<BlockRecord> records, records_of(target, segment.blocks));
    std::uint64_t given_bytes = 0;
    for (const BlockRecord& record : records)
        given_bytes += is_raw ? record.raw_bytes : record.stored_bytes;
    if (given_bytes > kDeltaSegmentBytesMax)
        return Error(ErrorCode::limit, "delta: a segment gives too much");
    FARDEL_TRY(decode(segment, frame, given_bytes));

    std::vector<RawBlock> blocks;
    std::vector<std::uint32_t> indices;
    std::span<const std::byte> rest = given_;
    std::size_t at = 0;
    for (const BlockRun& run : segment.blocks)
        for (std::uint64_t i = run.first; i < run.end(); ++i, ++at) {
            const std::size_t size = is_raw ? records[at].raw_bytes : records[at].stored_bytes;
            if (wanted(static_cast<std::uint32_t>(i))) {
                blocks.push_back({records[at], rest.first(size)});
                indices.push_back(static_cast<std::uint32_t>(i));
            }
            rest = rest.subspan(size);
        }
    std::uint64_t differing = 0;
    if (is_raw) {
        FARDEL_TRY(encode_blocks(blocks, level_, jobs_, [&](std::size_t i, const auto& stored) -> Status {
            differing += stored ? 0 : 1;
            return stored ? take(indices[i], *stored) : ok();
        }));
        return differing;
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (blake3(blocks[i].raw) == blocks[i].record.stored_hash)
            FARDEL_TRY(take(indices[i], blocks[i].raw));
        else
            ++differing;
    }
    return differing;
}

}  // namespace fardel
