#include <fardel/format/bundle_use.h>

#include <fardel/format/bundle.h>
#include <fardel/format/manifest.h>
#include <fardel/format/printable.h>
#include <fardel/format/signing_rule.h>

#include <string_view>

namespace fardel {
namespace {

constexpr std::size_t kHiddenShownMax = 10;

}  // namespace

std::optional<UnixTime> content_time(const TrustPolicy* policy, const TrustTime& time) {
    const bool expired_allowed = policy != nullptr && policy->rules().expired_content_allowed;
    return expired_allowed ? std::nullopt : time.now();
}

Status verify_use(const Bundle& bundle, const TrustPolicy* policy, const TrustTime& time) {
    FARDEL_TRY(bundle.verify_content_date(content_time(policy, time)));
    return bundle.verify_name_classes();  // tests/ATTACKS.md, A137
}

Status verify_content_use(const Bundle& bundle, const TrustPolicy* policy, const TrustTime& time) {
    FARDEL_TRY(verify_use(bundle, policy, time));
    return verify_classes(bundle, bundle.verdict().brings);
}

Result<HiddenNames> find_hidden_names(const Bundle& bundle, const std::optional<AllowRule>& rule) {
    HiddenNames hidden;
    const auto scope = rule ? find_name_scope(*rule) : std::nullopt;
    if (!scope)
        return hidden;
    hidden.bounds = scope->describe();
    for (std::uint32_t i = 0; i < bundle.name_count(); ++i) {
        FARDEL_TRY_ASSIGN(const NameRecord record, bundle.name(NameIndex{i}));
        if (!record.is(NameRecord::published))
            continue;
        FARDEL_TRY_ASSIGN(const std::string_view text, bundle.string(record.text));
        if (scope->may_publish(text))
            continue;
        if (hidden.first.size() < kHiddenShownMax)
            hidden.first.push_back(in_short_quotes(text));
        ++hidden.count;
    }
    return hidden;
}

std::string HiddenNames::describe() const {
    std::string text = count == 1 ? "1 name that it publishes is not visible: "
                                  : std::to_string(count) + " names that it publishes are not visible: ";
    for (std::size_t i = 0; i < first.size(); ++i)
        text += (i == 0 ? "" : ", ") + first[i];
    if (count > first.size())
        text += " and " + std::to_string(count - first.size()) + " more";
    return text + "; " + bounds;
}

}  // namespace fardel
