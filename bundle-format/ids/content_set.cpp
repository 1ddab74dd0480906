#include <fardel/format/content_set.h>

#include <fardel/base/little_endian.h>
#include <fardel/format/hash.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace fardel {
namespace {

constexpr std::string_view kDomain = "fardel content set 1";

void add(Hasher& hasher, std::uint64_t number) {
    std::array<std::byte, 8> bytes{};
    store_le(bytes.data(), number);
    hasher.update(bytes);
}

}  // namespace

Result<ContentSet> ContentSet::make(std::vector<BundleId> bundles) {
    if (bundles.size() > kBundlesMax)
        return Error(ErrorCode::limit, "content set of " + std::to_string(bundles.size()) + " bundles, at most " +
                                           std::to_string(kBundlesMax) + " allowed");
    std::vector<BundleId> sorted = bundles;
    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
        return Error(ErrorCode::conflict, "content set: bundle " + twice->hex() + " stands in it twice");
    return ContentSet(std::move(bundles));
}

Hash ContentSet::digest() const noexcept {
    Hasher hasher;
    add(hasher, kDomain.size());
    hasher.update(std::as_bytes(std::span(kDomain)));
    add(hasher, bundles_.size());
    for (const BundleId& bundle : bundles_)
        hasher.update(std::as_bytes(std::span(bundle.bytes)));
    return hasher.finish();
}

}  // namespace fardel
