// The plan that writes the same bundle again, for another level of compression: its bundle id stays, because that does
// not depend on how the bytes are stored.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>

#include <memory>

namespace fardel {

class Bundle;

// All that the manifest states; the assets keep their order in the file. Their bytes are read from the bundle when the
// plan is written, and are compared with the manifest. Signatures are not in a plan. Errors: those of reading the
// tables; malformed (a record leads nowhere).
Result<BundlePlan> plan_of(const std::shared_ptr<const Bundle>& bundle);

}  // namespace fardel
