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
                findings.add(VerifierRule::consume_malformed, consumes, i,
                             Error(status.error().code(), quoted(*text) + ": " + status.error().message()));
            const auto own = (consume->flags & ConsumeRecord::pattern) == 0 ? find_name(tables, consume->text)
                                                                            : std::optional<NameRecord>();
            if (own && !own->is(NameRecord::tombstone) && !own->is(NameRecord::extends))
                findings.add(VerifierRule::consume_own, record_location(consumes, i),
                             quoted(*text) + " is a name of this bundle; no other bundle needs to publish it");
        }
        if (const std::string defect = order.take(text); !defect.empty())
            findings.add(VerifierRule::consumes_not_sorted, consumes, i,
                         defect + "; texts must strictly increase in byte order");
    }
}

}  // namespace fardel
