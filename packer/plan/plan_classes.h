// Which classes of content a plan brings, before anything of it is written or signed.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/content_class.h>

namespace fardel {

// Judges all names and the first bytes of all assets. Errors: denied (the name of the first that is of a more dangerous
// class); those of the sources.
Status verify_plan_classes(const BundlePlan& plan, ContentClass brings);

}  // namespace fardel
