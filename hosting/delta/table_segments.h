// The segments of a delta that give the tables of the new bundle: how these are cut, what of the old tables each one
// refers to, and their frames.
//
// Names and records move slowly from version to version, so a segment of large tables refers to a part around the same
// place. That takes a time in proportion to the tables, and any number of threads gives the same frames.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/delta_record.h>
#include <fardel/delivery/table_image.h>
#include <fardel/format/bundle.h>

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace fardel {

inline constexpr std::uint64_t kUndividedTablesBytesMax = 512u << 10;  // one segment gives them
inline constexpr std::uint32_t kTablesSegmentBytes = 256u << 10;       // of larger ones, what a segment gives
inline constexpr std::uint32_t kTablesPrefixBytes = 512u << 10;        // and what it refers to

// Returns segments that give the whole image; their frames have 0 bytes yet. Error: limit (more tables than a delta can
// have).
Result<std::vector<DeltaTables>> plan_table_segments(const TableImage& old, const TableImage& target);

// Receives a segment with the size of its frame, and its frame.
using TablesReceiver = std::function<Status(const DeltaTables& segment, std::span<const std::byte> frame)>;

// Makes the frames of the segments, which are those of plan_table_segments(), on up to 16 threads. Calls `receive` for
// each in order, on the caller's thread. `effort`: 1–22, of zstd. `jobs`: threads; 0: one per core. At most 256 MiB of
// memory. Errors: those of the files and of `receive`.
// `old`: nullptr for none, as in what follows.
Status encode_table_segments(const Bundle* old, const Bundle& target, std::span<DeltaTables> segments, int effort,
                             const TablesReceiver& receive, unsigned jobs = 0);

// Returns the head of a delta with this directory, without the sizes of frames.
DeltaHead delta_head(const Bundle* old, const Bundle& target, const DeltaDirectory& directory);

// Returns a delta that gives the tables of the new bundle and no blocks, made on the caller's thread. Errors: as above.
Result<std::vector<std::byte>> make_tables_delta(const Bundle* old, const Bundle& target, int effort);

}  // namespace fardel
