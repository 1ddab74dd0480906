// A ByteSource over a file that is open already.
#pragma once

#include <fardel/base/descriptor.h>
#include <fardel/format/byte_source.h>

namespace fardel {

// `subject` names the file in messages. A file that has become shorter than `size_bytes` is corrupt.
std::shared_ptr<const ByteSource> make_file_source(Descriptor file, std::uint64_t size_bytes, std::string subject);

}  // namespace fardel
