#include <fardel/vfs/pure_policy.h>

#include "domain_hash.h"

#include <fardel/base/text_fields.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kReportTitle = "fardel-pure-report ";
constexpr std::string_view kReportVersion = "1";
constexpr std::array<std::string_view, kPureFaults> kFaults = {"missing", "wrong",       "unsigned",
                                                               "revoked", "not-allowed", "extra"};

Error bad_report(std::string_view reason) { return Error(ErrorCode::malformed, "pure report: " + std::string(reason)); }

std::string shown(std::string_view text) { return printable(text, PureReport::kTextBytesMax); }

// Whether shown() can return the text: it may end in an ellipsis where text was left out.
bool is_shown_text(std::string_view text) {
    return text.size() <= 2 * PureReport::kTextBytesMax && printable(text, 2 * PureReport::kTextBytesMax) == text;
}

Result<PureProblem> parse_problem(std::string_view line) {
    const auto word = read_terminated(line, '\t');
    const auto id = read_terminated(line, '\t');
    const auto name = read_terminated(line, '\t');
    if (!word || !id || !name)
        return bad_report("a line is fault, bundle id, name and reason, with tabs between them");
    const auto fault = std::ranges::find(kFaults, *word);
    if (fault == kFaults.end())
        return bad_report("a fault that is not known");
    PureProblem problem;
    problem.fault = static_cast<PureFault>(fault - kFaults.begin());
    FARDEL_TRY_ASSIGN(problem.bundle, BundleId::parse(*id));
    problem.name = *name;
    problem.text = line;
    // The text is a client's, and servers print it.
    if (!is_shown_text(problem.name) || !is_shown_text(problem.text))
        return bad_report("a name or reason that is not safe to show, or too long");
    return problem;
}

}  // namespace

std::string_view pure_fault_text(PureFault fault) noexcept { return kFaults[static_cast<std::size_t>(fault)]; }

PureProblem make_pure_problem(PureFault fault, const BundleId& bundle, std::string_view name, std::string_view text) {
    return {fault, bundle, shown(name), shown(text)};
}

PureReport::PureReport(std::vector<PureProblem> problems) : problems_(std::move(problems)) {
    if (problems_.size() <= kProblemsMax)
        return;
    const std::string more = std::to_string(problems_.size() - kProblemsMax + 1) + " more problems";
    problems_.resize(kProblemsMax - 1);
    problems_.push_back(make_pure_problem(PureFault::not_allowed, {}, "", more));
}

std::array<std::uint32_t, kPureFaults> PureReport::counts() const noexcept {
    std::array<std::uint32_t, kPureFaults> counts{};
    for (const PureProblem& problem : problems_)
        ++counts[static_cast<std::size_t>(problem.fault)];
    return counts;
}

std::string PureReport::format() const {
    std::string text = std::string(kReportTitle) + std::string(kReportVersion) + "\n";
    for (const PureProblem& problem : problems_)
        text += std::string(pure_fault_text(problem.fault)) + "\t" + problem.bundle.hex() + "\t" + problem.name + "\t" +
                problem.text + "\n";
    return text;
}

Hash PureReport::digest() const { return domain_hash("fardel pure report 1", format()); }

Result<PureReport> PureReport::parse(std::string_view text) {
    if (text.size() > kBytesMax)
        return Error(ErrorCode::limit, "pure report of " + std::to_string(text.size()) + " bytes, at most " +
                                           std::to_string(kBytesMax) + " allowed");
    const auto title = read_terminated(text, '\n');
    if (!title || !title->starts_with(kReportTitle))
        return bad_report("does not begin with \"fardel-pure-report 1\"");
    if (title->substr(kReportTitle.size()) != kReportVersion)
        return Error(ErrorCode::unsupported, "pure report: not a version that this library knows");
    std::vector<PureProblem> problems;
    while (!text.empty()) {
        const auto line = read_terminated(text, '\n');
        if (!line)
            return bad_report("does not end with a line feed; has it been cut off?");
        if (problems.size() == kProblemsMax)
            return Error(ErrorCode::limit, "pure report of more than " + std::to_string(kProblemsMax) + " problems");
        FARDEL_TRY_ASSIGN(PureProblem problem, parse_problem(*line));
        problems.push_back(std::move(problem));
    }
    return PureReport(std::move(problems));
}

}  // namespace fardel
