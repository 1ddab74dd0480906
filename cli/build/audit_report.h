// The output of `fardel audit`: missing references, unused and broken assets; text for people with long lists cut, and
// complete JSON.
#pragma once

#include "console/console.h"
#include "console/json.h"

#include <fardel/format/bundle_plan.h>
#include <fardel/packer/resolve.h>

#include <string>

namespace fardel {

std::string format_report(const ReferenceAudit& audit, const Console& console);
Json json_of(const ReferenceAudit& audit, const BundlePlan& plan);

}  // namespace fardel
