// Has other machines run jobs: gives a list of tickets to a program of the user, and waits for it.
#include "build_state.h"
#include "jobs/job_folder.h"

#include <fardel/base/clock.h>
#include <fardel/base/file.h>
#include <fardel/base/program.h>
#include <fardel/format/printable.h>

#include <chrono>
#include <span>
#include <utility>

namespace fardel {
namespace {

constexpr auto kFarmTick = std::chrono::milliseconds(100);

std::string format_tickets(const std::vector<BuildKey>& tickets) {
    std::string text;
    for (const BuildKey& ticket : tickets)
        text += ticket.hex() + "\n";
    return text;
}

// The program has the user's environment: it knows where the farm is, and how to log in there. What it prints goes to
// `log`, since our standard output may be JSON.
Result<ProgramExit> run_farm_program(const std::string& program, const std::string& list, const std::string& log,
                                     const std::stop_token& stop) {
    FARDEL_TRY_ASSIGN(const Descriptor output, create_file({log}, log));
    FARDEL_TRY_ASSIGN(ChildProgram child, ChildProgram::start({program, list}, {.output = &output}));
    for (;;) {
        if (const auto end = child.wait_until(SteadyClock::now() + kFarmTick))
            return *end;
        if (stop.stop_requested())
            return Error(ErrorCode::cancelled, "stopped");
    }
}

}  // namespace

std::function<Status(const std::vector<BuildKey>&)> ProjectBuild::State::farm_below(const std::string& scratch) {
    if (options.farm.empty())
        return {};
    return [this, scratch](const std::vector<BuildKey>& tickets) -> Status {
        // A folder of its own: jobs of an earlier build may still run in the others.
        FARDEL_TRY_ASSIGN(const std::shared_ptr<JobFolder> farm, JobFolder::make(scratch));
        const std::string text = format_tickets(tickets);
        FARDEL_TRY(farm->write_file("tickets", std::as_bytes(std::span(text))));
        auto end = run_farm_program(options.farm, farm->path_of("tickets"), farm->path_of("log"), options.stop);
        if (!end)
            return std::move(end).error().with_context("the farm's program " + printable(options.farm));
        // Jobs that did not come back run here, so a farm that fails costs time and no result.
        if (!end->is_success())
            farm_problem = "its program " + printable(options.farm) + " ended with " +
                           (end->killed ? "signal " : "exit status ") + std::to_string(end->code);
        return ok();
    };
}

}  // namespace fardel
