#include <fardel/format/ids.h>

#include "hex.h"

#include <span>

namespace fardel {

template <class Kind>
std::string Id32<Kind>::hex() const {
    return encode_hex(std::as_bytes(std::span(bytes)));
}

template <class Kind>
Result<Id32<Kind>> Id32<Kind>::parse(std::string_view hex) {
    Id32 id;
    if (hex.size() != 2 * id.bytes.size())
        return Error(ErrorCode::malformed, std::string(Kind::kName) + ": expected 64 hexadecimal digits, found " +
                                               std::to_string(hex.size()) + " bytes");
    if (!decode_hex(hex, std::as_writable_bytes(std::span(id.bytes))))
        return Error(ErrorCode::malformed, std::string(Kind::kName) + ": byte " +
                                               std::to_string(hex.find_first_not_of("0123456789abcdef") + 1) +
                                               " of 64 is not a lower-case hexadecimal digit");
    return id;
}

template struct Id32<HashTag>;
template struct Id32<AssetTag>;
template struct Id32<BundleTag>;
template struct Id32<LayoutTag>;
template struct Id32<PublicKeyTag>;
template struct Id32<BuildKeyTag>;

}  // namespace fardel
