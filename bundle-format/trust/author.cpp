#include <fardel/format/author.h>

#include <algorithm>

namespace fardel {

// A statement counts only with the signature of the author whom it names (signed_statements.h), and of several the
// verdict has the trusted one.
std::optional<PublicKey> author_of(const TrustVerdict& verdict) {
    return verdict.trusted && !verdict.tainted && verdict.statement ? std::optional(verdict.statement->author)
                                                                    : std::nullopt;
}

std::string label_of(const PublicKey& key, const TrustPolicy& policy) {
    const auto known = std::ranges::find(policy.rules().keys, key, &PolicyKey::key);
    return known == policy.rules().keys.end() ? "" : known->label;
}

}  // namespace fardel
