// Checks what a plan consumes: for the packer, before it resolves references, and for the writer.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>

namespace fardel {

// Each text is a name or a glob, and no name is the bundle's own. A name that the bundle extends is not its own:
// another bundle has to publish it. Error: malformed.
Status verify_consumes(const BundlePlan& plan);

}  // namespace fardel
