// A trust policy for people and as JSON.
#pragma once

#include "console/json.h"

#include <fardel/format/trust_policy.h>

#include <string>

namespace fardel {

std::string format_rules(const TrustRules& rules);
Json json_of(const TrustRules& rules);

}  // namespace fardel
