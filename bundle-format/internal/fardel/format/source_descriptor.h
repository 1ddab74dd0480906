// The descriptor behind a ByteSource, for another program that is to read the same file.
#pragma once

#include <fardel/base/descriptor.h>
#include <fardel/format/byte_source.h>

namespace fardel {

// Returns nullptr if the source is not that of open_file_source. The descriptor belongs to the source.
const Descriptor* find_descriptor(const ByteSource& source);

}  // namespace fardel
