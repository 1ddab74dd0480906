// The caller's fardel_reader as a ByteSource, and a ByteSource as a fardel_reader.
#pragma once

#include <fardel/format/byte_source.h>
#include <fardel/format/c_interface.h>
#include <fardel/format/fardel_types.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace fardel {

// As this version defines it. Errors: argument (a wrong struct_size, no read_at), unsupported.
fardel_code copy_reader(const fardel_reader& given, fardel_reader& taken, const c::Report& report);
// Takes all readers over, or none. Errors: those of copy_reader.
fardel_code adopt_readers(const fardel_reader* readers, std::size_t count,
                          std::vector<std::shared_ptr<const ByteSource>>& sources, const c::Report& report);

// Fills in the caller's reader, which then owns the source. Error: argument (its struct_size).
fardel_code give_reader(std::shared_ptr<const ByteSource> source, fardel_reader* out, const c::Report& report);

// Takes the reader over: its release() is called when the source is destroyed. It has a read_at().
std::shared_ptr<const ByteSource> make_reader_source(const fardel_reader& reader);

}  // namespace fardel
