// ContentSet: an ordered list of bundle ids with one digest, for pure mode and delivery.
//
// The order is that of mounting: later bundles win. Immutable; any thread. The digest identifies the whole list in 32
// bytes, however many bundles there are.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace fardel {

class ContentSet {
public:
    static constexpr std::size_t kBundlesMax = 16'384;

    ContentSet() = default;
    // Errors: limit (more than kBundlesMax), conflict (a bundle is listed twice).
    static Result<ContentSet> make(std::vector<BundleId> bundles);

    std::span<const BundleId> bundles() const noexcept { return bundles_; }
    // BLAKE3-256 of: le64(20), "fardel content set 1", le64(number of bundles), the ids.
    Hash digest() const noexcept;

    friend bool operator==(const ContentSet&, const ContentSet&) = default;

private:
    explicit ContentSet(std::vector<BundleId> bundles) : bundles_(std::move(bundles)) {}
    std::vector<BundleId> bundles_;
};

}  // namespace fardel
