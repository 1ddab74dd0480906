// What `fardel pack` says when it is done: for people, with long lists cut, and as JSON with all of them.
#pragma once

#include "console/console.h"
#include "console/json.h"

#include <fardel/format/bundle_writer.h>
#include <fardel/sources/source_scan.h>

#include <optional>
#include <string>
#include <vector>

namespace fardel {

struct PackReport {
    std::string file;
    std::string name;
    std::string version;
    WriteSummary written;
    ScanReport scan;
    std::vector<std::string> idle_rules;  // of a project
    std::uint64_t file_bytes = 0;         // with the signature
    std::optional<PublicKey> signed_by;
    double seconds = 0;
};

std::string format_report(const PackReport& report, const Console& console);
Json json_of(const PackReport& report);
// Of one bundle, as above; of several: all, one after the other, or under "bundles".
std::string format_reports(const std::vector<PackReport>& reports, const Console& console);
Json json_of(const std::vector<PackReport>& reports);

}  // namespace fardel
