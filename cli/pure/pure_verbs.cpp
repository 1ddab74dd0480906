#include "pure_verbs.h"

#include <fardel/base/text_fields.h>
#include <fardel/format/name.h>

namespace fardel {
namespace {

std::string title_of(const BundleId& bundle, std::string_view name) {
    if (bundle.is_zero())
        return std::string(name);
    return name.empty() ? "bundle " + bundle.hex() : fmt::format("{} (bundle {})", name, bundle.hex());
}

}  // namespace

std::string format_problems(const PureReport& report) {
    return format_each(report.problems(), [](const PureProblem& problem) {
        return fmt::format("{}: {}: {}\n", pure_fault_text(problem.fault), title_of(problem.bundle, problem.name),
                           problem.text);
    });
}

Json json_of(const PureReport& report) {
    return json_list(report.problems(), [](const PureProblem& problem) {
        return Json{{"fault", pure_fault_text(problem.fault)},
                    {"bundle", problem.bundle.is_zero() ? Json() : Json(problem.bundle.hex())},
                    {"name", problem.name},
                    {"text", problem.text}};
    });
}

Result<std::vector<PureAxis>> parse_axes(const std::vector<std::string>& words) {
    std::vector<PureAxis> axes;
    for (const std::string& word : words) {
        PureAxis axis;
        std::string_view rest = word;
        axis.axis = read_until(rest, '=');
        for (const std::string_view tag : split_text(rest, ','))
            axis.tags.emplace_back(tag);
        if (axis.axis.empty() || std::ranges::count(axis.tags, "") != 0)
            return Error(ErrorCode::malformed, "--variant " + printable(word) + ": expected AXIS=TAG,TAG");
        axes.push_back(std::move(axis));
    }
    return axes;
}

void add_client_options(CommandLine& line, PureClientOptions& options) {
    line.texts("-m,--mount", "FILE", options.mounts, "A bundle that is mounted; may be repeated, later ones win");
    line.texts("--loose", "DIR", options.loose, "A folder of loose files that is mounted too; may be repeated");
    line.texts("--variant", "AXIS=TAG,TAG", options.variants,
               "The tags that the client uses on this axis; may be repeated");
    line.text("--trust", "TRUST", options.trust, "The trust policy whose signatures count (default: none)");
}

Result<std::vector<PureProblem>> find_problems(const PureClientOptions& options, const PurePolicy& policy,
                                               const PureClient& client, bool every_byte) {
    std::vector<PureProblem> problems = client.problems;
    const auto add = [&](std::vector<PureProblem> more) { problems.insert(problems.end(), more.begin(), more.end()); };
    add(judge_mounts(policy, client.mounts).problems);
    if (every_byte)
        add(check_every_byte(policy, client.bundles));
    for (std::size_t i = 0; i < options.loose.size(); ++i) {
        FARDEL_TRY_ASSIGN(const auto paths, list_loose_paths(options.loose[i]));
        add(judge_loose_paths(policy, "loose folder " + std::to_string(i + 1), paths));
    }
    return problems;
}

}  // namespace fardel
