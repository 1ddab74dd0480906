// The free space of a disk, asked for before much is written.
#pragma once

#include <fardel/base/result.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fardel {

// Of the disk of `folder`, for this user; nothing if the system does not say.
std::optional<std::uint64_t> find_free_bytes(const std::string& folder);

// Errors: no_space (`subject` needs more bytes than the disk of `folder` has free for this user; the message names
// both). If the system does not say how much is free, that is no error: writing will show it.
Status verify_free_space(const std::string& folder, std::uint64_t size_bytes, std::string_view subject);

}  // namespace fardel
