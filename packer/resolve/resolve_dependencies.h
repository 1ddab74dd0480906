// ResolveDependencies: names and shaders of the static dependencies that are at hand, as references look for them.
//
// A dependency's shader scripts are read when the first shader is looked for, and not before. Not for several threads.
#pragma once

#include <fardel/format/bundle.h>
#include <fardel/format/bundle_plan.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fardel {

struct ForeignTarget {
    PlannedReference::Foreign asset;
    std::string dynamic_name;  // not empty: it has variants, which are chosen when it is opened
};

class ResolveDependencies {
public:
    // Error: malformed (a bundle that is no static dependency of the plan, or twice).
    static Result<ResolveDependencies> open(const BundlePlan& plan,
                                            std::span<const std::shared_ptr<const Bundle>> bundles);

    // In the order of the plan's dependencies. Errors: those of reading a bundle.
    Result<std::optional<ForeignTarget>> find_name(std::string_view name) const;
    Result<std::optional<ForeignTarget>> find_shader(std::string_view name);

private:
    struct Dependency {
        std::uint32_t index = 0;  // in BundlePlan::dependencies
        std::shared_ptr<const Bundle> bundle;
    };

    Status read_shaders();

    std::vector<Dependency> dependencies_;
    bool shaders_read_ = false;
    std::unordered_map<std::string, PlannedReference::Foreign> shaders_;
};

}  // namespace fardel
