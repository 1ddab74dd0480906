// fardel job: runs jobs that another machine has put into a cache that this one shares.

#include "console/command_line.h"
#include "console/figures.h"
#include "console/json.h"
#include "console/signing_key.h"
#include "console/temporary_folder.h"
#include "verbs.h"

#include <fardel/base/interrupt.h>
#include <fardel/cache/derived_cache.h>
#include <fardel/format/printable.h>
#include <fardel/packer/farm_job.h>
#include <fardel/packer/project_cache.h>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fardel {
namespace {

struct JobRunCommand {
    std::vector<std::string> tickets;
    std::string cache;
    std::string token_file;
    SigningKey key;
    bool json = false;
};

struct RanTicket {
    std::string ticket;
    FarmOutcome outcome;
    std::string failure;  // of the job's program; empty: none
};

// Whether the next job may succeed here: this one's program failed or took too long, and the machine is sound.
bool is_fault_of_job(const Error& error) noexcept {
    return error.code() == ErrorCode::unresolved || error.code() == ErrorCode::limit;
}

// A layer of its own: whoever else writes to the cache decides nothing here, since a ticket covers all that it names.
Result<std::unique_ptr<DerivedCache>> open_shared_cache(const JobRunCommand& command) {
    MergedCache shared;
    FARDEL_TRY_ASSIGN(shared.setting,
                      parse_cache_setting("shared", command.cache, CacheAuthor::command_line, "--cache"));
    shared.setting.token_file = command.token_file;
    FARDEL_TRY_ASSIGN(auto layer, open_project_cache(shared));
    std::vector<CacheLayerSlot> layers;
    layers.push_back({.layer = std::move(layer)});
    CacheOptions options;
    if (!command.key.key_path.empty()) {
        FARDEL_TRY_ASSIGN(options.signer, open_signer(command.key));
    }
    return DerivedCache::open(std::move(layers), std::move(options));
}

std::string format_ran(const RanTicket& ran) {
    if (!ran.failure.empty())
        return fmt::format("{}: failed: {}\n", ran.ticket, ran.failure);
    const FarmOutcome& outcome = ran.outcome;
    std::string text = fmt::format("{}: {}\n", outcome.job, outcome.was_there ? "its result was there" : "done");
    if (!outcome.log.empty())
        text += outcome.log + (outcome.log.ends_with('\n') ? "" : "\n");
    return text;
}

Json json_of(const RanTicket& ran) {
    return Json{{"ticket", ran.ticket},
                {"job", ran.outcome.job},
                {"was_there", ran.outcome.was_there},
                {"log", ran.outcome.log},
                {"failure", ran.failure}};
}

Result<Exit> run_tickets(const JobRunCommand& command, Console& console) {
    std::vector<BuildKey> tickets;
    for (const std::string& text : command.tickets) {
        auto ticket = BuildKey::parse(text);
        if (!ticket)
            return std::move(ticket).error().with_context("the ticket '" + printable(text, 100) + "'");
        tickets.push_back(*ticket);
    }
    const Interrupt interrupt;
    FARDEL_TRY_ASSIGN(const TemporaryFolder scratch, TemporaryFolder::make());
    FARDEL_TRY_ASSIGN(const auto cache, open_shared_cache(command));
    std::vector<RanTicket> ran;
    for (const BuildKey& ticket : tickets) {
        auto outcome = run_farm_job(ticket, *cache, scratch.path(), "", interrupt.token());
        if (outcome)
            ran.push_back({.ticket = ticket.hex(), .outcome = *std::move(outcome)});
        else if (is_fault_of_job(outcome.error()))
            ran.push_back({.ticket = ticket.hex(), .failure = outcome.error().message()});
        else
            return std::move(outcome).error();
    }
    cache->flush();
    const auto json = [](const RanTicket& one) { return json_of(one); };
    const bool all_done = std::ranges::all_of(ran, &std::string::empty, &RanTicket::failure);
    return print_result(
        console, command.json,
        [&] {
            return Json{{"jobs", json_list(ran, json)}};
        },
        [&] { return format_each(ran, format_ran); }, all_done ? Exit::fine : Exit::refusal);
}

Result<Exit> run_job_run(Words words, Console& console) {
    CommandLine line("job run", "TICKET... --cache WHERE [--token-file FILE] [--cache-key KEY] [--json]",
                     "Runs jobs that a build with --farm has put into a cache: takes from it what each ticket names, "
                     "runs the job in a sandbox, and puts the result there.",
                     "  fardel job run --cache http://build.example:8080 4a1f…\n"
                     "  fardel job run --cache /srv/cache $(cat tickets)\n");
    JobRunCommand command;
    line.texts("TICKET", "TICKET", command.tickets, "From the list that --farm's program got").required();
    line.text("--cache", "WHERE", command.cache, "The folder or URL of the cache that the build shares").required();
    line.text("--token-file", "FILE", command.token_file,
              "With a URL: a file whose first line is the token that writing needs");
    add_cache_signing_options(line, command.key);
    line.json(command.json);
    return line.run(words, console, [&] { return run_tickets(command, console); });
}

constexpr std::string_view kJobHelp =
    "Runs jobs of a build on another machine.\n\n"
    "Usage: fardel job run TICKET... --cache WHERE [--token-file FILE] [--cache-key KEY] [--json]\n\n"
    "Examples:\n"
    "  fardel job run --cache http://build.example:8080 $(cat tickets)\n\n"
    "'fardel job run --help' explains it. More: man fardel-job\n";

constexpr SubVerb kJobVerbs[] = {{"run", run_job_run}};

}  // namespace

Result<Exit> run_job(Words words, Console& console) { return run_sub_verb("job", kJobVerbs, kJobHelp, words, console); }

}  // namespace fardel
