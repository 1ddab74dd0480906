// The page of `fardel report`: one HTML file that needs nothing besides itself. cli/report/ holds its parts.
//
// Text from bundles is hostile. It enters the page as JSON in which no '<', '>' or '&' is left, and the page's scripts
// put it on the screen as text alone. No other script runs: the page's policy names theirs by a hash of its content.
#pragma once

#include "console/json.h"
#include "report_audit.h"
#include "report_facts.h"
#include "report_selection.h"

#include <optional>
#include <string>
#include <string_view>

namespace fardel {

// How many of each list a page has; of more it says how many there are.
inline constexpr std::size_t kReportListMax = 2'000;
inline constexpr std::size_t kReportReferencesMax = 100'000;

// cli/report/facts.js reads it.
Json page_facts(const ReportFacts& facts, const ReportSelection& selection, const std::optional<ReportAudit>& audit);

// The same text on any machine.
std::string format_page(const Json& facts);

// JSON that may stand in a script element.
std::string format_embedded(const Json& facts);

}  // namespace fardel
