#include "bundles/fetch_consent.h"

#include "console/exit.h"
#include "console/figures.h"
#include "console/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fardel {

void add_consent_options(CommandLine& line, ConsentOptions& options, std::string plan_help) {
    line.flag("--plan", options.plan_only, std::move(plan_help));
    line.size("--max-bytes", options.bytes_max,
              "Fetch nothing if it would be more than this, such as 500M, and receive no more, whatever servers do");
    line.flag("-y,--yes", options.yes,
              "Fetch without a question (default: ask after the plan, if a person is at a terminal)");
    line.json(options.json);
}

std::uint64_t received_bytes_max(const ConsentOptions& options) {
    return options.bytes_max ? std::max<std::uint64_t>(*options.bytes_max, 1) : 0;
}

Error fetch_error(const ConsentOptions& options, const Error& error, bool is_interrupted) {
    if (is_interrupted)
        return with_advice(error, "what was received stays, and the same command goes on from there");
    if (error.code() == ErrorCode::limit && options.bytes_max)
        return with_advice(error, "what was received stays; a larger --max-bytes goes on from there");
    return error;
}

Status FetchConsent::give(const FetchPlan& plan, std::string_view shown) {
    if (options_.plan_only)
        return Error(ErrorCode::cancelled, "only the plan was asked for");
    const std::string_view outcome = given_ ? "what has come stays in the store" : "nothing was fetched";
    std::uint64_t bytes = plan.fetch_bytes;
    for (const PlannedFetch& planned : plan.bundles)
        bytes += planned.tables_bytes;
    if (options_.bytes_max && bytes > *options_.bytes_max)
        return Error(ErrorCode::limit, fmt::format("{} are to be fetched, more than --max-bytes allows; {}",
                                                   format_size(bytes), outcome));
    bar_.hide();
    if (!options_.json)
        FARDEL_TRY(console_.write(given_ ? fmt::format("it has become more\n{}", shown) : std::string(shown)));
    FARDEL_TRY(console_.flush());  // before any content comes
    if (plan.fetch_bytes != 0 && !options_.json && !options_.yes && can_ask()) {
        FARDEL_TRY_ASSIGN(const bool agreed, ask(fmt::format("Fetch {}?", format_size(plan.fetch_bytes)), console_));
        if (!agreed)
            return Error(ErrorCode::cancelled, fmt::format("the plan was refused; {}", outcome));
    }
    given_ = true;
    return ok();
}

}  // namespace fardel
