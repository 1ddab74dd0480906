// The digest of a bundle plan in which every asset is known: plans with equal digests make equal bundles. Pure.
#pragma once

#include <fardel/format/bundle_plan.h>
#include <fardel/format/ids.h>

namespace fardel {

Hash plan_digest(const BundlePlan& plan);

}  // namespace fardel
