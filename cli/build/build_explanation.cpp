#include "build_explanation.h"

#include "console/figures.h"

#include <fardel/format/printable.h>

#include <fmt/format.h>

#include <algorithm>

namespace fardel {
namespace {

constexpr std::size_t kJobsShownMax = 50;     // --json lists all
constexpr std::size_t kChangesShownMax = 10;  // of a job; likewise
constexpr std::size_t kHashDigits = 64;
constexpr std::size_t kHashDigitsShown = 12;

// A hash is shortened: only its being another one matters to a reader.
std::string format_value(const std::string& value) {
    const bool is_hash =
        value.size() == kHashDigits && value.find_first_not_of("0123456789abcdef") == std::string::npos;
    return is_hash ? value.substr(0, kHashDigitsShown) + "…" : printable(value, 200);
}

// "source maps/a.map", "command".
std::string format_part(const KeyChange& change) {
    return printable(change.name.empty() ? change.kind : change.kind + " " + change.name, 300);
}

bool is_numbered(const KeyChange& change) { return change.kind == "output"; }

std::string_view word_of(RunReason reason) {
    switch (reason) {
        case RunReason::changed: return "changed";
        case RunReason::first: return "first";
        case RunReason::no_result: return "no_result";
        case RunReason::verified: break;
    }
    return "verified";
}

std::string_view sentence_of(RunReason reason) {
    switch (reason) {
        case RunReason::changed: return "ran, because of";
        case RunReason::first: return "ran for the first time in this project";
        case RunReason::no_result: return "ran; nothing has changed, but no cache has its result any more";
        case RunReason::verified: break;
    }
    return "ran to compare its result with that of the cache";
}

std::string format_changes(const std::vector<KeyChange>& changes) {
    return format_items(changes, kChangesShownMax, "    ", format_key_change);
}

std::string format_job(const ExplainedJob& job) {
    return fmt::format("{} {}\n{}", printable(job.job, 500), sentence_of(job.reason), format_changes(job.changes));
}

Json json_of(const KeyChange& change) {
    return Json{{"kind", change.kind}, {"name", change.name}, {"before", change.before}, {"after", change.after}};
}

Json json_of(const std::vector<KeyChange>& changes) {
    return json_list(changes, [](const KeyChange& change) { return json_of(change); });
}

std::string format_difference(const JobDifference& difference, std::string_view first, std::string_view second) {
    std::string text = printable(difference.job, 500);
    if (!difference.in_first || !difference.in_second)
        text += fmt::format(": only in {}", printable(difference.in_first ? first : second));
    else if (difference.changes.empty())
        text += ": equal keys, and yet it ran in both builds; what the one made did not reach the other's caches";
    return text + "\n" + format_changes(difference.changes);
}

}  // namespace

std::string format_key_change(const KeyChange& change) {
    if (change.before.empty())
        return is_numbered(change) ? format_part(change) + ": new"
                                   : fmt::format("{}: new, {}", format_part(change), format_value(change.after));
    if (change.after.empty())
        return fmt::format("{}: no longer there", format_part(change));
    if (is_numbered(change))
        return fmt::format("{}: has another position", format_part(change));
    return fmt::format("{}: {} → {}", format_part(change), format_value(change.before), format_value(change.after));
}

std::string format_explanation(const BuildOutcome& outcome, const Console& console) {
    if (outcome.why.empty())
        return "nothing has changed since the last build\n";
    std::string text = fmt::format("{} {}\n", console.paint(Colour::faint, "built because"), outcome.why);
    const std::size_t shown = std::min(outcome.explained.size(), kJobsShownMax);
    for (std::size_t i = 0; i < shown; ++i)
        text += format_job(outcome.explained[i]);
    if (shown < outcome.explained.size())
        text += fmt::format("… and {} more; --json lists all\n",
                            format_count(outcome.explained.size() - shown, "job", "jobs"));
    return text;
}

Json json_of(const std::vector<ExplainedJob>& explained) {
    return json_list(explained, [](const ExplainedJob& job) {
        return Json{{"job", job.job}, {"reason", word_of(job.reason)}, {"changes", json_of(job.changes)}};
    });
}

std::string format_comparison(const BuildLogComparison& comparison, std::string_view first, std::string_view second) {
    std::string text;
    for (const JobDifference& difference : comparison.differences)
        text += format_difference(difference, first, second);
    return text + fmt::format("{}, {} without difference\n",
                              format_count(comparison.differences.size(), "job differs", "jobs differ"),
                              format_count(comparison.equal));
}

Json json_of(const BuildLogComparison& comparison) {
    Json jobs = json_list(comparison.differences, [](const JobDifference& difference) {
        return Json{{"job", difference.job},
                    {"in_first", difference.in_first},
                    {"in_second", difference.in_second},
                    {"changes", json_of(difference.changes)}};
    });
    return Json{{"differences", std::move(jobs)}, {"equal", comparison.equal}};
}

}  // namespace fardel
