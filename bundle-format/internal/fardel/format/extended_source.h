// A file with more bytes at its end, without a copy: a bundle with envelopes that came later.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace fardel {

std::shared_ptr<const ByteSource> extend_source(std::shared_ptr<const ByteSource> file, std::vector<std::byte> end);

}  // namespace fardel
