// The signatures that servers have for a bundle besides those that are here.
//
// Servers are hostile: what they send is at most a trailer, and only envelopes count without which the policy would not
// accept the bundle (accept_later).
#pragma once

#include "fetch/fetch_context.h"

#include <fardel/format/bundle.h>
#include <fardel/format/later_signatures.h>

#include <optional>
#include <span>
#include <stop_token>
#include <string>

namespace fardel {

enum class SignatureFiles {
    later,  // those beside the bundle files: what is here came from a bundle file
    all,    // those, and the ends of the bundle files
};

// Asks the servers in their order until the policy accepts the bundle, which was opened without one. Returns nothing if
// no server helps. Errors: cancelled, limit; those of reading the bundle.
Result<std::optional<AcceptedLater>> fetch_signatures(RangeClient& client, std::span<const std::string> trees,
                                                      const Bundle& bundle, const TrustPolicy& policy,
                                                      const TrustTime& time, SignatureFiles files,
                                                      const std::stop_token& stop);
// The same with the servers and the policy of a fetch.
Result<std::optional<AcceptedLater>> fetch_signatures(const FetchContext& context, const Bundle& bundle,
                                                      SignatureFiles files);

}  // namespace fardel
