// A Statement that parses as provenance says the same in an envelope, whose signature is right.
#include "require.h"

#include <fardel/packer/provenance.h>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

using namespace fardel;

int fuzz_provenance(const std::uint8_t* data, std::size_t size) {
    static const auto signer = make_key_signer(SecretKey::from_seed(std::array<std::byte, 32>{}));
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto file = parse_provenance(text);
    if (!file || !file->signed_text.empty())
        return 0;
    const auto again = parse_provenance(sign_provenance(text, *signer).value());
    require(again && again->claim.read == file->claim.read && again->claim.jobs == file->claim.jobs);
    require(again->claim.bundles.size() == file->claim.bundles.size());
    require(again->signatures.size() == 1);
    require(verify_signature(signer->public_key(), std::as_bytes(std::span(again->signed_text)),
                             again->signatures[0].signature));
    return 0;
}
