// Base64 (RFC 4648, with '=' at the end): in key files of minisign and in signed provenance. libsodium's, whose time
// does not depend on the bytes.
#pragma once

#include <fardel/base/result.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace fardel {

std::string encode_base64(std::span<const std::byte> bytes);

// How many bytes `text` stands for if it is base64.
std::size_t base64_bytes(std::string_view text);
// `text` has to stand for exactly the bytes of `out`, in the standard or in the URL-safe alphabet. Error: malformed,
// without context.
Status decode_base64(std::string_view text, std::span<std::byte> out);

}  // namespace fardel
