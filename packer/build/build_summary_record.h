// A BuildSummary as the build database keeps it. Pure.
#pragma once

#include "text/record_bytes.h"

#include <fardel/packer/build_outcome.h>

namespace fardel {

void write_summary(RecordWriter& writer, const BuildSummary& summary);
// Bytes that are no summary give some other summary, and `good` false; the reader's is_whole() has to be asked, too.
BuildSummary read_summary(RecordReader& reader, bool& good);

}  // namespace fardel
