// What a provenance file says about bundles that were verified, for `fardel verify --provenance`.
#pragma once

#include "verify/verify_outcome.h"

#include <fardel/format/trust_policy.h>
#include <fardel/packer/provenance.h>

#include <optional>
#include <string>

namespace fardel {

// Adds to the outcome of files what holds of the provenance at `path`, and findings about what does not. `policy` may
// be nullptr. Returns the claim, or nothing if the file is refused. Errors: missing, denied, io.
Result<std::optional<ProvenanceClaim>> add_provenance(VerifyOutcome& outcome, const std::string& path,
                                                      const TrustPolicy* policy);

}  // namespace fardel
