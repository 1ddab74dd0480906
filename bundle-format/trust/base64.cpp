#include <fardel/format/base64.h>

#include "secrets/secure_memory.h"

namespace fardel {
namespace {

bool is_base64_of(std::string_view text, std::span<std::byte> out, int variant) {
    if (out.empty())  // libsodium wants a pointer
        return text.empty();
    std::size_t size_bytes = 0;
    const char* end = nullptr;
    return sodium_base642bin(reinterpret_cast<unsigned char*>(out.data()), out.size(), text.data(), text.size(),
                             nullptr, &size_bytes, &end, variant) == 0 &&
           size_bytes == out.size() && end == text.data() + text.size();
}

}  // namespace

std::string encode_base64(std::span<const std::byte> bytes) {
    std::string text(sodium_base64_ENCODED_LEN(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
    sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                      sodium_base64_VARIANT_ORIGINAL);
    text.pop_back();  // the zero that ends it
    return text;
}

std::size_t base64_bytes(std::string_view text) {
    std::size_t size_bytes = text.size() / 4 * 3;
    for (std::size_t i = 0; i < 2 && text.ends_with('=') && size_bytes != 0; ++i, --size_bytes)
        text.remove_suffix(1);
    return size_bytes;
}

Status decode_base64(std::string_view text, std::span<std::byte> out) {
    if (is_base64_of(text, out, sodium_base64_VARIANT_ORIGINAL) ||
        is_base64_of(text, out, sodium_base64_VARIANT_URLSAFE))
        return ok();
    return Error(ErrorCode::malformed, "not the base64 of " + std::to_string(out.size()) + " bytes");
}

}  // namespace fardel
