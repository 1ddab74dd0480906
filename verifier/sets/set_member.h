// SetMember: a bundle of the set that could be opened, and what the policy lets it publish.
#pragma once

#include <fardel/format/bundle.h>
#include <fardel/format/trust_policy.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace fardel {

struct SetMember {
    std::shared_ptr<const Bundle> bundle;
    std::string label;               // safe to print
    std::optional<NameScope> scope;  // of the policy's rule that accepted it

    // Whether its rule lets it add the name, but not override the one of `other`. Then the other's name wins in any
    // order of mounting.
    bool yields(std::string_view name, const SetMember& other) const {
        return scope && !scope->may_override(name) && (!other.scope || other.scope->rule != scope->rule);
    }
};

}  // namespace fardel
