// Signatures that a bundle got after its file was published or stored (docs/signatures.md, "Later signatures").
//
// Anybody may offer them: they are no part of a bundle id. So a reader takes only those that its policy needs, and
// never gives one up for another.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/envelope.h>
#include <fardel/format/trust_policy.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace fardel {

class Bundle;

// Returns those of `offered` that `there` lacks, each once.
std::vector<Envelope> missing_envelopes(std::span<const Envelope> there, std::span<const Envelope> offered);

// Encodes envelopes back to back, as in a trailer. Errors: those of encode_envelope.
Result<std::vector<std::byte>> encode_envelopes(std::span<const Envelope> envelopes);

struct AcceptedLater {
    std::vector<Envelope> added;           // without any one of them, the policy would not accept the bundle
    std::shared_ptr<const Bundle> bundle;  // opened under the policy; its source ends with `added`
};

// Returns the bundle with those of the offered envelopes by which the policy accepts it; nothing if it does not accept
// it with all of them, or if there are more than a trailer may have. Envelopes with a signature that does not verify
// are passed over. `bundle` was opened without a policy. Errors: those of reading the bundle.
Result<std::optional<AcceptedLater>> accept_later(const Bundle& bundle, std::span<const Envelope> offered,
                                                  const TrustPolicy& policy, const TrustTime& time);

}  // namespace fardel
