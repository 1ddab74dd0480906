// The signatures in the trailer of a bundle, for people and programs: signer, claims, and whether the signature itself
// is valid. Which signers to trust is decided by a trust policy, not here.
#pragma once

#include "console/json.h"

#include <fardel/format/bundle.h>
#include <fardel/format/envelope.h>

#include <optional>
#include <string>
#include <vector>

namespace fardel {

struct ListedSignature {
    SignerRole role = SignerRole::author;
    PublicKey key;
    bool good = false;  // valid, about this bundle, and in this role
    std::string name;   // as the author states it; empty for a countersignature
    std::string version;
    std::string channel;
    std::string comment;
    std::uint64_t epoch = 0;
    std::uint64_t created_s = 0;
    std::uint64_t expires_s = 0;
    std::optional<PublicKey> author;  // of the statement that is countersigned
};

std::vector<ListedSignature> list_signatures(const Bundle& bundle);

std::string format_signature(const ListedSignature& signature);  // one line without control characters
Json json_of(const ListedSignature& signature);

}  // namespace fardel
