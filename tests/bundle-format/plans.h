// What becomes of a plan: an audited bundle, or the text of a refusal. kit/sample_plan.h has what makes plans.
#pragma once

#include "bundle_audit.h"
#include "kit/blobs.h"
#include "kit/bundles.h"

#include <fardel/format/bundle.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/bundle_writer.h>

namespace fardel::tests {

inline AuditedBundle audited(const BundlePlan& plan, const BundleWriteOptions& options = quick()) {
    return audit(written(plan, options));
}

// Returns the error text of a plan that must be refused. Checks that no file is left.
inline std::string refusal(const BundlePlan& plan, const BundleWriteOptions& options = quick()) {
    MemoryDisk disk;
    const auto bundle = write_bundle(plan, make_memory_file(disk), options);
    REQUIRE_FALSE(bundle);
    CHECK(disk.removed);
    return bundle.error().text();
}

}  // namespace fardel::tests
