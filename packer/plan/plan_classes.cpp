#include "plan_classes.h"

#include <fardel/format/printable.h>
#include <fardel/format/trust_policy.h>

#include <array>
#include <span>
#include <string>
#include <vector>

namespace fardel {
namespace {

Error refuse(const std::string& name, const ContentFinding& found, ContentClass brings) {
    return Error(ErrorCode::denied, in_quotes(name) + " is " + std::string(found.what) + " (" +
                                        std::string(content_class_name(found.content)) + "); " +
                                        describe_limit(brings));
}

}  // namespace

Status verify_plan_classes(const BundlePlan& plan, ContentClass brings) {
    if (brings == ContentClass::code)
        return ok();
    std::vector<ContentClaim> claims(plan.assets.size());
    for (const PlannedName& name : plan.names) {
        const ContentFinding found = classify_name(name.name.text());
        if (found.content > brings && !name.variants.empty())
            return refuse(name.name.text(), found, brings);
        const ContentClaim claimed = claim_of(name.name.text());
        for (const PlannedVariant& variant : name.variants)
            if (variant.asset < claims.size())
                claims[variant.asset] = claims[variant.asset] | claimed;
    }
    std::array<std::byte, kContentClassBytes> head;
    for (std::size_t i = 0; i < plan.assets.size(); ++i) {
        FARDEL_TRY_ASSIGN(const auto stream, plan.assets[i].source->open());
        FARDEL_TRY_ASSIGN(const std::size_t size, read_full(*stream, head));
        const ContentFinding found = classify_bytes(std::span(head).first(size), claims[i]);
        if (found.content > brings)
            return refuse(plan.assets[i].key.text(), found, brings);
    }
    return ok();
}

}  // namespace fardel
