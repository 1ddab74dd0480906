// What a registry takes of one bundle, and how much one adds to the text of requirements. The bundle is hostile.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>

#include <cstdint>

namespace fardel {

struct BundleNeedsSize {
    std::uint64_t dependencies = 0;  // static or not
    std::uint64_t requirements = 0;
    // Of its lines in the text about what a release needs. Each counts as at least kNeedsLineBytes, so that a limit of
    // bytes is one of lines, too.
    std::uint64_t needs_bytes = 0;
};
inline constexpr std::uint64_t kNeedsLineBytes = 72;  // of "bundle ID"

// Errors: malformed (a requirement that is none), those of reading the tables.
Result<BundleNeedsSize> measure_needs(const Bundle& bundle);

// Whether the bundle is within the limits of registry_rules.h. Reads what is about the bundle as a whole, and nothing
// about its assets. Errors: limit (with the number that it has, and the limit), those of reading the tables.
Status verify_bundle_limits(const Bundle& bundle);

}  // namespace fardel
