// The XML that JUnit made usual, and that servers for continuous integration show as the results of tests.

#include "verify/verify_outcome.h"

#include <fardel/format/name.h>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace fardel {
namespace {

constexpr std::size_t kPathBytesMax = 1000;

// For attributes and content. Control characters have been replaced before.
std::string escape(std::string_view text) {
    std::string escaped;
    for (const char c : text)
        switch (c) {
            case '&': escaped += "&amp;"; break;
            case '<': escaped += "&lt;"; break;
            case '>': escaped += "&gt;"; break;
            case '"': escaped += "&quot;"; break;
            default: escaped += c;
        }
    return escaped;
}

std::string open_case(std::string_view suite, std::string_view name) {
    return fmt::format("    <testcase classname=\"{}\" name=\"{}\">", escape(suite), escape(name));
}

// One failed case per error, or one case that passed. Remarks are the output of the suite.
std::string format_suite(std::string_view name, const std::vector<VerifyFinding>& findings) {
    std::string cases, remarks;
    std::size_t failures = 0;
    for (const VerifyFinding& finding : findings) {
        const std::string line = escape(format_finding(finding));
        if (finding.severity != FindingSeverity::error) {
            remarks += line + "\n";
            continue;
        }
        ++failures;
        const std::string what = finding.where.empty() ? finding.rule : finding.rule + ", " + finding.where;
        cases += open_case(name, what) + fmt::format("<failure type=\"{}\" message=\"{}\">{}</failure></testcase>\n",
                                                     escape(error_code_name(finding.code)), escape(finding.text), line);
    }
    if (failures == 0)
        cases = open_case(name, "every byte, table and signature") + "</testcase>\n";
    std::string suite = fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\">\n{}",
                                    escape(name), std::max<std::size_t>(failures, 1), failures, cases);
    if (!remarks.empty())
        suite += "    <system-out>" + remarks + "</system-out>\n";
    return suite + "  </testsuite>\n";
}

}  // namespace

std::string junit_of(const VerifyOutcome& outcome) {
    std::string suites;
    for (std::size_t i = 0; i < outcome.files.size(); ++i)
        suites += format_suite(printable(outcome.files[i], kPathBytesMax), outcome.set.bundles[i].findings);
    if (outcome.files.size() > 1 || !outcome.whole.empty() || !outcome.set.findings.empty())
        suites += format_suite(outcome.whole.empty() ? "together" : printable(outcome.whole, kPathBytesMax),
                               outcome.set.findings);
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"fardel verify\">\n" + suites +
           "</testsuites>\n";
}

}  // namespace fardel
