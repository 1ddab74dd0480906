#include "checks.h"
#include "tables/rising_texts.h"

#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

namespace fardel {

void check_consumes(const CheckedTables& tables, BundleStrings& texts, VerifyFindings& findings) {
    using enum TableKind;
    RisingTexts order;
    for (std::uint64_t i = 0; i < tables.count(consumes); ++i) {
        const auto consume = tables.find<ConsumeRecord>(i);
        const auto text = consume ? texts.use(consume->text, consumes, i, "text", findings) : std::nullopt;
        if (text) {
            Status status = (consume->flags & ConsumeRecord::pattern) != 0 ? verify_glob(*text) : verify_name(*text);
            if (!status)
                findings.add(VerifierRule::consume_malformed, record_location(consumes, i),
                             Error(status.error().code(), quoted(*text) + ": " + status.error().message()));
        }
        if (const std::string defect = order.take(text); !defect.empty())
            findings.add(VerifierRule::consumes_not_sorted, record_location(consumes, i),
                         defect + "; texts must strictly increase in byte order");
    }
}

}  // namespace fardel
