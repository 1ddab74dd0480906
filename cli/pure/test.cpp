// fardel pure test: would a server with this policy accept this client, and if not, why?

#include "pure_verbs.h"

#include <fardel/vfs/pure_check.h>

#include <utility>

namespace fardel {
namespace {

struct TestPureCommand {
    std::string policy;
    PureClientOptions client;
    bool json = false;
};

Result<Exit> test_pure(const TestPureCommand& command, Console& console) {
    FARDEL_TRY_ASSIGN(const PurePolicy policy, read_pure_policy(command.policy));
    FARDEL_TRY_ASSIGN(const auto chosen, parse_axes(command.client.variants));
    FARDEL_TRY_ASSIGN(const PureClient client, mount_for_pure(command.client.mounts, policy, command.client.trust));
    for (const Error& error : client.unopened)
        console.say(error);
    FARDEL_TRY_ASSIGN(auto problems, find_problems(command.client, policy, client, true));
    for (PureProblem& problem : judge_variants(policy, chosen))
        problems.push_back(std::move(problem));
    const PureReport report(std::move(problems));
    const bool accepted = report.empty();
    return print_result(
        console, command.json,
        [&] {
            return Json{{"accepted", accepted}, {"problems", json_of(report)}};
        },
        [&] {
            return accepted ? std::string("this client would be accepted\n")
                            : format_problems(report) +
                                  fmt::format("this client would be refused: {}\n",
                                              format_count(report.problems().size(), "problem", "problems"));
        },
        accepted ? Exit::fine : Exit::refusal);
}

}  // namespace

Result<Exit> run_pure_test(Words words, Console& console) {
    CommandLine line("pure test", "--policy POLICY --mount FILE... [options]",
                     "Says whether a server with this policy would accept this client, "
                     "and lists everything that is in the way. Reads every byte; needs no server.",
                     "  fardel pure test --policy server.pure --mount base.fardel "
                     "--mount map.fardel --trust client.trust\n");
    TestPureCommand command;
    line.text("--policy", "POLICY", command.policy, "The server's pure policy").required();
    add_client_options(line, command.client);
    line.json(command.json);
    return line.run(words, console, [&] { return test_pure(command, console); });
}

}  // namespace fardel
