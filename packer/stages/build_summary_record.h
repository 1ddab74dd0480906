// Encodes a BuildSummary for the build database. Pure.
#pragma once

#include "text/record_fields.h"

#include <fardel/packer/build.h>

namespace fardel {

void summary_fields(RecordWriter& record, const BuildSummary& summary);
// If the reader is not whole afterwards, the summary is unspecified.
void summary_fields(RecordReader& record, BuildSummary& summary);

}  // namespace fardel
