// ResolveDependencies: finds names and shaders in those static dependencies whose bundles could be opened, then in
// bases: bundles that are mounted beside the plan, in which names are looked up at run time.
//
// The shader scripts of dependencies are read when the first shader is looked up. One thread at a time.
#pragma once

#include <fardel/format/bundle.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/packer/resolve.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fardel {

class ResolveDependencies {
public:
    // Error: malformed (a bundle that is not a static dependency of the plan, or is there twice).
    static Result<ResolveDependencies> open(const BundlePlan& plan,
                                            std::span<const std::shared_ptr<const Bundle>> bundles,
                                            std::span<const std::shared_ptr<const Bundle>> bases = {});

    // Both search in the order of the plan's dependencies. Errors: those of reading a bundle.
    Result<std::optional<FoundTarget>> find_name(std::string_view name) const;
    Result<std::optional<FoundTarget>> find_shader(std::string_view name);

private:
    struct Dependency {
        std::optional<std::uint32_t> index;  // in BundlePlan::dependencies; nothing: a base
        std::shared_ptr<const Bundle> bundle;
    };

    Status read_shaders();

    std::vector<Dependency> dependencies_;
    bool shaders_read_ = false;
    std::unordered_map<std::string, decltype(PlannedReference::target)> shaders_;
};

}  // namespace fardel
