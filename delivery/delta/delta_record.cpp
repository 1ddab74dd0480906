#include <fardel/delivery/delta_record.h>

#include <fardel/base/byte_reader.h>
#include <fardel/base/byte_writer.h>
#include <fardel/store/incoming_bundle.h>

#include <array>
#include <string>
#include <string_view>

namespace fardel {
namespace {

constexpr std::string_view kDeltaMagic = "FARDELDT";
constexpr std::uint32_t kDeltaVersion = 4;
constexpr std::size_t kTablesEntryBytes = 20;
constexpr std::size_t kBlocksEntryBytesMin = 9;  // form, frame bytes, no prefix, one run

// ---- Numbers and runs -----------------------------------------------------------------------------------------------

// Seven bits in each byte, the lowest first; the highest bit says that more follow.
void write_number(ByteWriter& writer, std::uint32_t value) {
    for (; value >= 0x80; value >>= 7)
        writer.u8(static_cast<std::uint8_t>(value | 0x80));
    writer.u8(static_cast<std::uint8_t>(value));
}

std::uint32_t read_number(ByteReader& reader) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
        const std::uint8_t byte = reader.u8();
        value |= std::uint64_t{byte & 0x7fu} << shift;
        if ((byte & 0x80) != 0)
            continue;
        if (value > UINT32_MAX || (byte == 0 && shift != 0))
            break;
        return static_cast<std::uint32_t>(value);
    }
    reader.fail(ErrorCode::malformed, "a number is not in its shortest form");
    return 0;
}

void write_runs(ByteWriter& writer, std::span<const BlockRun> runs, std::uint64_t end) {
    write_number(writer, static_cast<std::uint32_t>(runs.size()));
    for (const BlockRun& run : runs) {
        write_number(writer, static_cast<std::uint32_t>(run.first - end));
        write_number(writer, run.count - 1);
        end = run.end();
    }
}

std::vector<BlockRun> read_runs(ByteReader& reader, std::uint64_t end) {
    std::vector<BlockRun> runs;
    const std::uint32_t count = read_number(reader);
    // A run has at least two bytes, so what is reserved is bounded by what was received.
    if (count > reader.rest_bytes() / 2) {
        reader.fail(ErrorCode::malformed, "more runs of blocks than bytes");
        return runs;
    }
    runs.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t gap = read_number(reader);
        const std::uint64_t first = end + gap;
        const std::uint64_t more = read_number(reader);
        // Runs without a gap between them would be one run: each list has one form.
        if (first + more + 1 > UINT32_MAX || (i != 0 && gap == 0)) {
            reader.fail(ErrorCode::malformed, "a run of blocks is out of place");
            return runs;
        }
        runs.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(more + 1)});
        end = first + more + 1;
    }
    return runs;
}

// ---- Entries of the directory ---------------------------------------------------------------------------------------

std::size_t index_of(DeltaBlocks::Form form) noexcept { return form == DeltaBlocks::Form::stored ? 1 : 0; }

DeltaTables read_tables_entry(ByteReader& reader) {
    DeltaTables tables;
    tables.frame_bytes = reader.u32();
    tables.raw_bytes = reader.u32();
    tables.prefix_offset = reader.u64();
    tables.prefix_bytes = reader.u32();
    if (tables.frame_bytes > kDeltaFrameBytesMax || tables.raw_bytes > kDeltaSegmentBytesMax ||
        tables.prefix_bytes > kDeltaPrefixBytesMax || tables.prefix_offset > kDeltaTablesBytesMax)
        reader.fail(ErrorCode::limit, "a segment of tables is too large");
    if (tables.frame_bytes == 0 || tables.raw_bytes == 0)
        reader.fail(ErrorCode::malformed, "an empty segment of tables");
    return tables;
}

DeltaBlocks read_blocks_entry(ByteReader& reader, std::array<std::uint64_t, 2>& ends) {
    DeltaBlocks blocks;
    const std::uint8_t form = reader.u8();
    blocks.form = static_cast<DeltaBlocks::Form>(form);
    if (form != 1 && form != 2)
        reader.fail(ErrorCode::malformed, "a segment of an unknown form");
    else if (form == 1 && ends[1] != 0)
        reader.fail(ErrorCode::malformed, "segments are not in the order of their forms");
    blocks.frame_bytes = reader.u32();
    if (blocks.frame_bytes > kDeltaFrameBytesMax)
        reader.fail(ErrorCode::limit, "a segment of blocks is too large");
    blocks.prefix = read_runs(reader, 0);
    std::uint64_t& end = ends[index_of(blocks.form)];
    blocks.blocks = read_runs(reader, end);
    if (blocks.frame_bytes == 0 || blocks.blocks.empty())
        reader.fail(ErrorCode::malformed, "an empty segment of blocks");
    else if (!reader.failed())
        end = blocks.blocks.back().end();
    return blocks;
}

}  // namespace

// ---- Runs of blocks -------------------------------------------------------------------------------------------------

std::vector<BlockRun> runs_of(const std::set<std::uint32_t>& blocks) {
    std::vector<BlockRun> runs;
    for (const std::uint32_t block : blocks) {
        if (!runs.empty() && runs.back().end() == block)
            ++runs.back().count;
        else
            runs.push_back({block, 1});
    }
    return runs;
}

std::uint64_t count_of(std::span<const BlockRun> runs) noexcept {
    std::uint64_t count = 0;
    for (const BlockRun& run : runs)
        count += run.count;
    return count;
}

// ---- The head -------------------------------------------------------------------------------------------------------

std::vector<std::byte> encode_delta_head(const DeltaHead& head) {
    ByteWriter writer;
    writer.text(kDeltaMagic);
    writer.u32(kDeltaVersion);
    writer.u32(head.level);
    writer.fixed(head.old_bundle);
    writer.fixed(head.old_layout);
    writer.fixed(head.new_bundle);
    writer.fixed(head.new_layout);
    writer.u64(head.file_bytes);
    writer.u64(head.directory_bytes);
    writer.u64(head.tables_bytes);
    writer.u64(head.blocks_bytes);
    writer.u32(head.table_segments);
    writer.u32(head.block_segments);
    writer.zeros(kDeltaHeadBytes - writer.size_bytes());
    return writer.take();
}

Result<DeltaHead> decode_delta_head(std::span<const std::byte> bytes) {
    ByteReader reader(bytes, "delta");
    if (reader.text(kDeltaMagic.size()) != kDeltaMagic)
        reader.fail(ErrorCode::malformed, "not a delta");
    const std::uint32_t version = reader.u32();
    if (version < kDeltaVersion)
        reader.fail(ErrorCode::unsupported,
                    "made by an earlier Fardel, whose deltas this one does not read; make it again "
                    "from both bundles with 'fardel delta'");
    if (version > kDeltaVersion)
        reader.fail(ErrorCode::unsupported, "made by a later Fardel, whose deltas this one does not read");
    DeltaHead head;
    head.level = reader.u32();
    head.old_bundle = reader.fixed<BundleId>();
    head.old_layout = reader.fixed<LayoutId>();
    head.new_bundle = reader.fixed<BundleId>();
    head.new_layout = reader.fixed<LayoutId>();
    head.file_bytes = reader.u64();
    head.directory_bytes = reader.u64();
    head.tables_bytes = reader.u64();
    head.blocks_bytes = reader.u64();
    head.table_segments = reader.u32();
    head.block_segments = reader.u32();
    if (head.level > kDeltaLevelMax)
        reader.fail(ErrorCode::malformed, "no such level of compression");
    if (head.directory_bytes > kDeltaDirectoryBytesMax || head.tables_bytes > kDeltaTablesBytesMax ||
        head.file_bytes > kReceivedFileBytesMax || head.blocks_bytes > kReceivedFileBytesMax)
        reader.fail(ErrorCode::limit, "larger than any bundle");
    while (reader.rest_bytes() != 0)
        if (reader.u8() != 0)
            reader.fail(ErrorCode::malformed, "a reserved byte is not zero");
    FARDEL_TRY(reader.finish());
    if (bytes.size() != kDeltaHeadBytes)
        return Error(ErrorCode::malformed, "delta: its head has " + std::to_string(bytes.size()) + " bytes");
    return head;
}

// ---- The directory --------------------------------------------------------------------------------------------------

std::vector<std::byte> encode_delta_directory(const DeltaDirectory& directory) {
    ByteWriter writer;
    for (const DeltaTables& tables : directory.tables) {
        writer.u32(tables.frame_bytes);
        writer.u32(tables.raw_bytes);
        writer.u64(tables.prefix_offset);
        writer.u32(tables.prefix_bytes);
    }
    std::array<std::uint64_t, 2> ends{};
    for (const DeltaBlocks& blocks : directory.blocks) {
        writer.u8(static_cast<std::uint8_t>(blocks.form));
        writer.u32(blocks.frame_bytes);
        write_runs(writer, blocks.prefix, 0);
        std::uint64_t& end = ends[index_of(blocks.form)];
        write_runs(writer, blocks.blocks, end);
        end = blocks.blocks.back().end();
    }
    return writer.take();
}

Result<DeltaDirectory> decode_delta_directory(const DeltaHead& head, std::span<const std::byte> bytes) {
    ByteReader reader(bytes, "delta");
    DeltaDirectory directory;
    if (head.table_segments > bytes.size() / kTablesEntryBytes ||
        head.block_segments > bytes.size() / kBlocksEntryBytesMin)
        return Error(ErrorCode::malformed, "delta: more segments than bytes");
    std::uint64_t tables_bytes = 0;
    std::uint64_t image_bytes = 0;
    for (std::uint32_t i = 0; i < head.table_segments; ++i) {
        directory.tables.push_back(read_tables_entry(reader));
        tables_bytes += directory.tables.back().frame_bytes;
        image_bytes += directory.tables.back().raw_bytes;
    }
    std::uint64_t blocks_bytes = 0;
    std::array<std::uint64_t, 2> ends{};
    for (std::uint32_t i = 0; i < head.block_segments && !reader.failed(); ++i) {
        directory.blocks.push_back(read_blocks_entry(reader, ends));
        blocks_bytes += directory.blocks.back().frame_bytes;
    }
    if (image_bytes > kDeltaTablesBytesMax)
        reader.fail(ErrorCode::limit, "it gives too many tables");
    if (tables_bytes != head.tables_bytes || blocks_bytes != head.blocks_bytes)
        reader.fail(ErrorCode::malformed, "its segments have other sizes than its head says");
    FARDEL_TRY(reader.finish());
    return directory;
}

}  // namespace fardel
