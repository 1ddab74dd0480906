#include "checks.h"
#include "tables/rising_texts.h"

#include <fardel/format/glob_set.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

namespace fardel {

void check_consumes(const CheckedTables& tables, BundleStrings& texts, VerifyFindings& findings) {
    using enum TableKind;
    RisingTexts order;
    std::size_t pattern_bytes = 0;
    for (std::uint64_t i = 0; i < tables.count(consumes); ++i) {
        const auto consume = tables.find<ConsumeRecord>(i);
        const auto text = consume ? texts.use(consume->text, consumes, i, "text", findings) : std::nullopt;
        if (text && (consume->flags & ConsumeRecord::pattern) != 0) {
            const bool fits = pattern_bytes <= kGlobSetBytesMax;
            pattern_bytes += text->size();
            if (fits && pattern_bytes > kGlobSetBytesMax)
                findings.add(VerifierRule::consume_malformed, record_location(consumes, i),
                             Error(ErrorCode::limit, "the patterns up to this one have more than " +
                                                         std::to_string(kGlobSetBytesMax) + " bytes together"));
        }
        if (text) {
            Status status = (consume->flags & ConsumeRecord::pattern) != 0 ? verify_glob(*text) : verify_name(*text);
            if (!status)
                findings.add(VerifierRule::consume_malformed, consumes, i,
                             Error(status.error().code(), quoted(*text) + ": " + status.error().message()));
            const auto own = (consume->flags & ConsumeRecord::pattern) == 0
                                 ? tables.find_sorted(consume->text, &NameRecord::text)
                                 : std::optional<NameRecord>();
            if (own && !own->is(NameRecord::tombstone) && !own->is(NameRecord::extends))
                findings.add(VerifierRule::consume_own, record_location(consumes, i),
                             quoted(*text) + " is a name of this bundle; no other bundle needs to publish it");
        }
        if (const std::string defect = order.add(text); !defect.empty())
            findings.add(VerifierRule::consumes_not_sorted, consumes, i,
                         defect + "; texts must strictly increase in byte order");
    }
}

}  // namespace fardel
