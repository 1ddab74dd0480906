// The digest of a bundle plan whose assets are all known: two plans with one digest make one bundle. Pure.
#pragma once

#include <fardel/format/bundle_plan.h>
#include <fardel/format/ids.h>

namespace fardel {

Hash plan_digest(const BundlePlan& plan);

}  // namespace fardel
