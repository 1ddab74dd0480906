// What `fardel report --json` prints: the facts of the page, complete and with names as they are (docs/report.md).
#pragma once

#include "console/json.h"
#include "report_audit.h"
#include "report_facts.h"
#include "report_since.h"
#include "report_sizes.h"

#include <optional>
#include <vector>

namespace fardel {

Json report_json(const ReportFacts& facts, const std::vector<SizedAsset>& assets,
                 const std::optional<ReportAudit>& audit, const std::optional<ReportSince>& since);

}  // namespace fardel
