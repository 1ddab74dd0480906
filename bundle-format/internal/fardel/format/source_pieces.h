// Reads a ByteSource from its first byte to its last, in bounded memory.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string_view>

namespace fardel {

// Calls `receive` with pieces of at most 1 MiB, in order. `subject` names the work in the error of a stop. Errors:
// cancelled, those of the source and of `receive`, after which nothing more is read.
Status read_pieces(const ByteSource& source, std::string_view subject, const std::stop_token& stop,
                   const std::function<Status(std::uint64_t offset, std::span<const std::byte> piece)>& receive);

}  // namespace fardel
