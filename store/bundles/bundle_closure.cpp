#include "bundles/bundle_closure.h"

#include <fardel/format/bundle.h>
#include <fardel/format/dependencies.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kIdDigitsMin = 8;
constexpr std::size_t kMissingListedMax = 10;

}  // namespace

Result<std::vector<BundleId>> collect_closure(const BundleId& first, const FindBundleSource& find,
                                              const std::string& where) {
    std::vector<BundleId> done;
    std::vector<BundleId> missing;
    const DependencyWalk::Steps steps{
        .enter = [&](const BundleId& id) -> Result<std::optional<std::vector<BundleId>>> {
            FARDEL_TRY_ASSIGN(auto source, find(id));
            if (!source && id == first)
                return Error(ErrorCode::missing, "bundle " + id.hex() + " is not in " + where +
                                                     "; 'fardel store ls' lists those of a store");
            if (!source) {
                missing.push_back(id);
                return std::optional<std::vector<BundleId>>();
            }
            FARDEL_TRY_ASSIGN(const auto bundle, Bundle::open(std::move(source), {.label = id.hex()}));
            FARDEL_TRY_ASSIGN(auto needed, static_dependencies(*bundle));
            return std::optional(std::move(needed));
        },
        .leave =
            [&](const BundleId& id) {
                done.push_back(id);
                return ok();
            },
    };
    FARDEL_TRY(DependencyWalk().run(first, steps));
    if (missing.empty())
        return done;
    std::string text =
        std::to_string(missing.size()) + " of the bundles that " + first.hex() + " needs are not in " + where + ":";
    for (std::size_t i = 0; i < std::min(missing.size(), kMissingListedMax); ++i)
        text += "\n  " + missing[i].hex();
    return Error(ErrorCode::unresolved, std::move(text));
}

Status verify_id_digits(std::string_view digits) {
    const bool is_valid = digits.size() >= kIdDigitsMin && digits.size() <= 64 &&
                          digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
    return is_valid ? ok()
                    : Status(Error(ErrorCode::malformed, "a bundle is named by its id, or at least " +
                                                             std::to_string(kIdDigitsMin) +
                                                             " of its first lower-case hexadecimal digits"));
}

}  // namespace fardel
