#include <fardel/format/ids.h>

#include <optional>

namespace fardel {
namespace {

constexpr char kDigits[] = "0123456789abcdef";

std::optional<std::uint8_t> find_digit_value(char c) noexcept {
    if (c >= '0' && c <= '9')
        return static_cast<std::uint8_t>(c - '0');
    if (c >= 'a' && c <= 'f')
        return static_cast<std::uint8_t>(c - 'a' + 10);
    return std::nullopt;
}

}  // namespace

template <class Kind>
std::string Id32<Kind>::hex() const {
    std::string text;
    text.reserve(2 * bytes.size());
    for (const std::uint8_t byte : bytes) {
        text.push_back(kDigits[byte >> 4]);
        text.push_back(kDigits[byte & 15]);
    }
    return text;
}

template <class Kind>
Result<Id32<Kind>> Id32<Kind>::parse(std::string_view hex) {
    Id32 id;
    if (hex.size() != 2 * id.bytes.size())
        return Error(ErrorCode::malformed, std::string(Kind::kName) + ": expected 64 hexadecimal digits, found " +
                                               std::to_string(hex.size()) + " bytes");
    for (std::size_t i = 0; i < hex.size(); ++i) {
        const auto value = find_digit_value(hex[i]);
        if (!value)
            return Error(ErrorCode::malformed, std::string(Kind::kName) + ": byte " + std::to_string(i + 1) +
                                                   " of 64 is not a lower-case hexadecimal digit");
        id.bytes[i / 2] = static_cast<std::uint8_t>(id.bytes[i / 2] << 4 | *value);
    }
    return id;
}

template struct Id32<HashTag>;
template struct Id32<AssetTag>;
template struct Id32<BundleTag>;
template struct Id32<LayoutTag>;
template struct Id32<PublicKeyTag>;
template struct Id32<BuildKeyTag>;

}  // namespace fardel
