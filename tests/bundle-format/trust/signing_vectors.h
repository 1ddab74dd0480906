// The signers and the statement of docs/signatures.md, for all tests of signed records.
#pragma once

#include "bundle-format/document_vectors.h"

#include "kit/ids.h"

#include <fardel/format/envelope.h>
#include <fardel/format/signer.h>
#include <fardel/format/statement.h>

#include <cstring>

namespace fardel::tests {

inline const std::vector<std::byte>& signing_vector(std::string_view name) {
    static const auto all = read_document_vectors("signatures.md");
    const auto at = all.find(name);
    REQUIRE_MESSAGE(at != all.end(), "docs/signatures.md has no vector " << name);
    return at->second;
}

// `Fixed` is an Id32 or a Signature.
template <class Fixed>
Fixed fixed_vector(std::string_view name) {
    return fixed_from<Fixed>(signing_vector(name));
}

inline SecretKey secret_key(std::string_view person) {
    return SecretKey::from_seed(std::span(signing_vector("seed-" + std::string(person))).first<32>());
}

// Returns a different key for each number.
inline SecretKey numbered_key(std::uint8_t number) {
    std::array<std::byte, 32> seed{};
    seed.fill(std::byte{number});
    return SecretKey::from_seed(seed);
}

inline Statement document_statement() {
    Statement statement;
    for (std::size_t i = 0; i < 32; ++i)
        statement.bundle.bytes[i] = static_cast<std::uint8_t>(0x40 + i);
    statement.layouts = {filled_id<LayoutId>(0x11), filled_id<LayoutId>(0x22)};
    statement.manifest_bytes = 0x1000;
    statement.raw_bytes = 0x1'2345'6789;
    statement.stored_bytes = 0x2345'6789;
    statement.epoch = 7;
    statement.created = {1'700'000'000};
    statement.expires = UnixTime{1'800'000'000};
    statement.author = fixed_vector<PublicKey>("key-alice");
    statement.name = "maps/dm01";
    statement.version = "1.2.0-rc1";
    statement.channel = "stable";
    statement.comment = "prüf";
    return statement;
}

}  // namespace fardel::tests
