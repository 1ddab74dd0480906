// The XML that JUnit made usual, and that servers for continuous integration show as the results of tests.

#include "findings/finding_list.h"

#include <fmt/format.h>

#include <algorithm>

namespace fardel {
namespace {

// For attributes and content. Control characters have been replaced before.
std::string escape_xml(std::string_view text) {
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

// "error: page 3: … [rule]"
std::string describe_finding(const ListedFinding& finding) {
    return fmt::format("{}: {}{} [{}]", severity_name(finding.severity),
                       finding.where.empty() ? "" : finding.where + ": ", finding.text, finding.rule);
}

std::string open_case(std::string_view suite, std::string_view name) {
    return fmt::format("    <testcase classname=\"{}\" name=\"{}\">", escape_xml(suite), escape_xml(name));
}

// One failed case per error, or one case that passed. Remarks are the output of the suite.
std::string format_suite(const FindingSuite& suite) {
    std::string cases, remarks;
    std::size_t failures = 0;
    for (const ListedFinding& finding : suite.findings) {
        const std::string line = escape_xml(describe_finding(finding));
        if (finding.severity != FindingSeverity::error) {
            remarks += line + "\n";
            continue;
        }
        ++failures;
        const std::string what = finding.where.empty() ? finding.rule : finding.rule + ", " + finding.where;
        cases += open_case(suite.name, what) +
                 fmt::format("<failure type=\"{}\" message=\"{}\">{}</failure></testcase>\n",
                             escape_xml(error_code_name(finding.code)), escape_xml(finding.text), line);
    }
    if (failures == 0)
        cases = open_case(suite.name, suite.passed) + "</testcase>\n";
    std::string text = fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\">\n{}",
                                   escape_xml(suite.name), std::max<std::size_t>(failures, 1), failures, cases);
    if (!remarks.empty())
        text += "    <system-out>" + remarks + "</system-out>\n";
    return text + "  </testsuite>\n";
}

}  // namespace

std::string junit_of(const FindingList& list) {
    std::string suites;
    for (const FindingSuite& suite : list.suites)
        suites += format_suite(suite);
    return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\">\n{}</testsuites>\n",
                       list.verb, suites);
}

}  // namespace fardel
