// Encodes a BuildSummary for the build database. Pure.
#pragma once

#include "text/record_bytes.h"

#include <fardel/packer/build_outcome.h>

namespace fardel {

void write_summary(RecordWriter& writer, const BuildSummary& summary);
// Bytes that are not a summary give an unspecified summary and set `good` to false. The caller must also check the
// reader's is_whole().
BuildSummary read_summary(RecordReader& reader, bool& good);

}  // namespace fardel
