// The page of `fardel report`: one HTML file without external parts. Its template is in cli/report/page/.
//
// Text from bundles is hostile. It is embedded as JSON without '<', '>' and '&', and the scripts of the page only show
// it as text. The content policy of the page allows no other scripts: it names theirs by a hash of the facts.
#pragma once

#include "console/json.h"
#include "report_audit.h"
#include "report_facts.h"
#include "report_selection.h"
#include "report_since.h"

#include <optional>
#include <string>

namespace fardel {

// How many entries of each list a page contains; it also states the total number.
inline constexpr std::size_t kReportListMax = 2'000;
inline constexpr std::size_t kReportReferencesMax = 100'000;

// The facts as cli/report/page/facts.js reads them.
Json page_facts(const ReportFacts& facts, const ReportSelection& selection, const std::optional<ReportAudit>& audit,
                const std::optional<ReportSince>& since);

// The whole page; the same text on every machine.
std::string format_page(const Json& facts);

// The facts as JSON text that can be embedded in a script element.
std::string format_embedded(const Json& facts);

}  // namespace fardel
