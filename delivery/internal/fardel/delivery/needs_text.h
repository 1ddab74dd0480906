// The text about what the bundles of a release need; docs/channels.md, "What bundles need", defines it. Untrusted.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/resolve.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace fardel {

inline constexpr std::size_t kReleaseNeedsBytesMax = 64u << 20;
inline constexpr std::size_t kReleaseNeedsBundlesMax = 200'000;
inline constexpr std::size_t kReleaseNeedsMax = 1'000'000;  // needs and requirements of all bundles together

// Errors: malformed (with the number of the line), unsupported, limit.
Result<NeedsOfBundles> parse_release_needs(std::string_view text);
std::string format_release_needs(const NeedsOfBundles& needs);

}  // namespace fardel
