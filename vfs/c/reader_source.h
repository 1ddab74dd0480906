// The caller's fardel_reader as a ByteSource.
#pragma once

#include <fardel/format/byte_source.h>
#include <fardel/format/fardel_types.h>

#include <memory>

namespace fardel {

// Takes the reader over: its release() is called when the source is destroyed. It has a read_at().
std::shared_ptr<const ByteSource> make_reader_source(const fardel_reader& reader);

}  // namespace fardel
