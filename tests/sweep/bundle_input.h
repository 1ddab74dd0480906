// Hostile bundles: the tables of a good one are changed, and everything that an attacker can compute is made right
// again: page trees, ids, hashes of stored blocks, buckets of names, signatures by the attacker's own key.
#pragma once

#include "hostile.h"

#include <string>
#include <vector>

namespace fardel::sweep {

// Whose signatures a bundle has.
enum class SignedBy { nobody, attacker, author };

struct BundleInput {
    Bytes bytes;
    SignedBy signed_by = SignedBy::nobody;
    std::vector<std::string> changes;  // what was done, for people
};

// The policy that trusts the author. The attacker's key is not in it.
std::string author_policy();

// `base`: a good bundle. Once in twenty inputs nothing is changed, so that the faces of good bundles are compared, too.
BundleInput make_bundle_input(const Bytes& base, Random& random);

}  // namespace fardel::sweep
