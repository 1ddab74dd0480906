// The audit on a bundle's page: where the references of its assets lead, by its tables and those of the bundles that it
// statically depends on. The bundles never change, so neither does the audit, while they are all here.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/ids.h>
#include <fardel/verifier/bundle_audit.h>
#include <fardel/verifier/bundle_contents.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fardel {

using OpenDependency = std::function<Result<std::shared_ptr<const Bundle>>(const BundleId&)>;

struct PageAudit {
    BundleAudit audit;
    std::vector<BundleId> unread;  // dependencies that are not here, cannot be read, or are beyond the limits
};

// At most kPageAuditBundlesMax dependencies with kPageAuditNamesMax names together are read: pages are written while
// the registry is locked.
inline constexpr std::size_t kPageAuditBundlesMax = 256;
inline constexpr std::uint64_t kPageAuditNamesMax = 500'000;
PageAudit audit_for_page(const Bundle& bundle, const BundleContents& contents, const OpenDependency& open);

// HTML.
std::string audit_section(const PageAudit& found, const BundleContents& contents);

}  // namespace fardel
