// A bundle file with one more envelope at its end, without a copy: what a registry publishes of an upload.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace fardel {

std::shared_ptr<const ByteSource> extend_file(std::shared_ptr<const ByteSource> file, std::vector<std::byte> end);

}  // namespace fardel
