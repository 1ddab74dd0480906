// ReportAudit: the findings of `fardel audit --json` about the sources of a bundle, for `fardel report --audit`.
//
// The file is not trusted: keys that are absent or have another type count as empty.
#pragma once

#include <fardel/base/result.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct ReportAudit {
    struct Missing {
        std::string from;
        std::string spelling;
        std::string use;
        std::uint64_t line = 0;
        bool hard = true;  // the running game looks it up
        std::string why;   // it is soft
        std::vector<std::string> tried;
    };
    struct Unused {
        std::string name;
        std::uint64_t bytes = 0;
    };
    // Or of another format, as the reason says.
    struct Broken {
        std::string name;
        std::string reason;
    };
    struct Root {
        std::string root;
        std::uint64_t names = 0;
        std::uint64_t bytes = 0;
        std::uint64_t missing = 0;
    };
    std::vector<Missing> missing;
    std::vector<Unused> unused;
    std::vector<Broken> broken;
    std::vector<Root> roots;
};

// Error: malformed (not a JSON object).
Result<ReportAudit> parse_audit(std::string_view text);
// Errors: those of read_report_file, malformed.
Result<ReportAudit> read_audit(const std::string& path);

}  // namespace fardel
