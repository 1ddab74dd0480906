// FindingList: what a verb found wrong, for programs that show the results of tests: SARIF for code hosts, JUnit's XML
// for build servers.
//
// Texts are safe to print.
#pragma once

#include "console/command_line.h"
#include "console/json.h"

#include <fardel/base/result.h>
#include <fardel/verifier/finding.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct FindingRule {
    std::string_view id;
    FindingSeverity severity = FindingSeverity::error;
    ErrorCode code = ErrorCode::malformed;
    std::string help;  // a sentence
};

// Something inside a file: a table of a bundle ("member"), an asset ("resource").
struct FindingPlace {
    std::string name;
    std::string_view kind;
};

struct ListedFinding {
    FindingSeverity severity = FindingSeverity::error;
    ErrorCode code = ErrorCode::malformed;
    std::string rule;
    std::string where;  // in the file; with rule and file, what the finding is known by in the next run; may be empty
    std::string text;
    std::uint32_t line = 0;          // of the file; 0: none
    std::vector<std::string> files;  // paths as they were given; one or more
    std::vector<FindingPlace> places;
};

// What was looked at together: a file, or all files.
struct FindingSuite {
    std::string name;
    std::string passed;  // the name of the one test that passes if there is no error
    std::vector<ListedFinding> findings;
};

struct FindingList {
    std::string verb;  // "fardel verify"
    std::vector<FindingRule> rules;
    Json artifacts = Json::array();  // SARIF's, of the files
    std::vector<FindingSuite> suites;
};

// SARIF 2.1.0 (OASIS): one result per finding, located by the path of its file as it was given.
Json sarif_of(const FindingList& list);
// JUnit's XML: errors are failures; warnings and notes are the output of their suite.
std::string junit_of(const FindingList& list);

// A path as SARIF has it: a relative reference, an absolute URI, or a URL.
std::string uri_of(const std::string& file);

// --sarif and --junit.
struct FindingOptions {
    std::string sarif;
    std::string junit;

    bool wanted() const noexcept { return !sarif.empty() || !junit.empty(); }
};
void add_finding_options(CommandLine& line, FindingOptions& options);
// Errors: those of writing the files.
Status write_findings(const FindingOptions& options, const FindingList& list);

}  // namespace fardel
