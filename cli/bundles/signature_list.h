// The signatures in a bundle's trailer as people and programs see them: who says what, and whether the signature itself
// is good. Whom to believe is a trust policy's business.
#pragma once

#include "console/json.h"

#include <fardel/format/bundle.h>
#include <fardel/format/envelope.h>

#include <optional>
#include <string>
#include <vector>

namespace fardel {

struct ListedSignature {
    Role role = Role::author;
    PublicKey key;
    bool good = false;  // verifies, and is about this bundle in that role
    std::string name;   // what an author's statement says; empty for a countersignature
    std::string version;
    std::string channel;
    std::string comment;
    std::uint64_t epoch = 0;
    std::uint64_t created_s = 0;
    std::uint64_t expires_s = 0;
    std::optional<PublicKey> author;  // whose statement a countersignature is about
};

std::vector<ListedSignature> list_signatures(const Bundle& bundle);

std::string format_signature(const ListedSignature& signature);  // one line, safe to show
Json json_of(const ListedSignature& signature);

}  // namespace fardel
