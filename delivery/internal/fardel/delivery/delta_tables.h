// The tables that a delta gives, as a difference from those of a bundle that is held. A delta without blocks is also
// what `fardel serve --project` answers (docs/serving.md).
//
// Deltas are hostile. Of what they give, only the heads are compared with the new bundle's ids here.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/delta_record.h>
#include <fardel/delivery/table_image.h>
#include <fardel/format/bundle.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/prefix_codec.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace fardel {

struct DeltaFront {
    DeltaHead head;
    DeltaDirectory directory;
};

// Reads them from a whole delta. Errors: malformed, unsupported, limit, those of `delta`.
Result<DeltaFront> open_delta_front(const ByteSource& delta);

// Error: conflict (the delta is for another bundle, or another layout of it). `old`: nullptr: for none.
Status verify_old_bundle(const Bundle* old, const DeltaHead& head);

// Decodes the segments that give tables, in any order, in memory for one of them.
class TableDecoder {
public:
    // `old`: the bundle of the delta's head, which outlives this; nullptr: none.
    explicit TableDecoder(const Bundle* old) : old_(old), image_(old ? old_tables_of(*old) : TableImage()) {}

    // Returns the segment's bytes of the new image. Errors: malformed, those of reading the old bundle.
    Result<std::vector<std::byte>> decode(const DeltaTables& segment, std::span<const std::byte> frame);

private:
    const Bundle* old_;
    TableImage image_;
    PrefixDecoder decoder_;
    std::vector<std::byte> prefix_;
};

// Where heads and tables go. The size is set once, before anything is written.
struct TablesPlace {
    std::function<Status(std::uint64_t file_bytes)> set_file_bytes;
    std::function<Status(std::uint64_t file_offset, std::span<const std::byte> bytes)> write;
};

// Writes the heads and tables of the new bundle, segment by segment. `delta`: all of it, or all before its blocks.
// Returns false if manifest and layout have more than `tables_bytes_max`; nothing is written then. Errors: conflict
// (`old` is another bundle), corrupt (the heads do not have the ids that the delta says), malformed, limit, those of
// the two sources and of `place`; part of the tables may be written then.
Result<bool> place_delta_tables(const Bundle* old, const DeltaFront& front, const ByteSource& delta,
                                std::uint64_t tables_bytes_max, const TablesPlace& place);

}  // namespace fardel
