// fardel pure answer: a client checks its mounts and answers an offer.

#include "console/output_file.h"
#include "pure_verbs.h"

#include <fardel/vfs/pure_check.h>

namespace fardel {
namespace {

struct AnswerCommand {
    std::string offer;
    std::string policy;
    std::string connection;
    std::vector<std::string> mounts;
    std::vector<std::string> loose;
    std::vector<std::string> variants;
    std::string trust;
    std::string out;
    std::string report;
    bool quick = false;
    bool json = false;
};

// All problems that can be found without the offer.
Result<std::vector<PureProblem>> find_problems(const AnswerCommand& command, const PurePolicy& policy,
                                               const PureClient& client) {
    std::vector<PureProblem> problems = client.problems;
    const auto add = [&](std::vector<PureProblem> more) { problems.insert(problems.end(), more.begin(), more.end()); };
    add(judge_mounts(policy, client.mounts).problems);
    if (!command.quick)
        add(check_every_byte(policy, client.bundles));
    for (std::size_t i = 0; i < command.loose.size(); ++i) {
        FARDEL_TRY_ASSIGN(const auto paths, list_loose_paths(command.loose[i]));
        add(judge_loose_paths(policy, "loose folder " + std::to_string(i + 1), paths));
    }
    return problems;
}

Result<Exit> answer(const AnswerCommand& command, Console& console) {
    FARDEL_TRY_ASSIGN(const PureOffer offer, read_pure_offer(command.offer));
    FARDEL_TRY_ASSIGN(const PurePolicy policy, read_pure_policy(command.policy));
    FARDEL_TRY_ASSIGN(const auto chosen, parse_axes(command.variants));
    FARDEL_TRY_ASSIGN(const PureClient client, mount_for_pure(command.mounts, policy, command.trust));
    for (const Error& error : client.unopened)
        console.say(error);
    FARDEL_TRY_ASSIGN(auto problems, find_problems(command, policy, client));
    FARDEL_TRY_ASSIGN(const PureReply reply, answer_pure_offer(offer, policy, client.bundles, chosen,
                                                               command.connection, std::move(problems)));
    FARDEL_TRY(write_file(command.out, encode_pure_answer(reply.answer)));
    if (!command.report.empty())
        FARDEL_TRY(write_file(command.report, reply.report.format()));
    const bool pure = reply.report.empty();
    return print_result(
        console, command.json,
        [&] {
            return Json{{"file", command.out}, {"pure", pure}, {"problems", json_of(reply.report)}};
        },
        [&] {
            const std::string count = format_count(reply.report.problems().size(), "problem", "problems");
            return format_problems(reply.report) + (pure ? "pure: no problems\n" : "not pure: " + count + "\n");
        },
        pure ? Exit::fine : Exit::refusal);
}

}  // namespace

Result<Exit> run_pure_answer(Words words, Console& console) {
    CommandLine line("pure answer", "--offer OFFER --policy POLICY --connection ID --mount FILE... -o ANSWER [options]",
                     "Client: checks its mounts against the policy, lists all problems, and answers the offer.",
                     "  fardel pure answer --offer offer --policy server.pure --connection 203.0.113.7:27960 --mount "
                     "base.fardel --mount map.fardel -o answer --report report\n");
    AnswerCommand command;
    line.text("--offer", "OFFER", command.offer, "The server's offer")->required();
    line.text("--policy", "POLICY", command.policy, "The policy that the offer is about")->required();
    line.text("--connection", "ID", command.connection, "The name of the connection that server and client agree on")
        ->required();
    line.texts("-m,--mount", "FILE", command.mounts, "A bundle that is mounted; may be repeated, later ones win");
    line.texts("--loose", "DIR", command.loose, "A folder of loose files that is mounted too; may be repeated");
    line.texts("--variant", "AXIS=TAG,TAG", command.variants,
               "The tags that the client uses on this axis; may be repeated");
    line.text("--trust", "TRUST", command.trust, "The trust policy whose signatures count (default: none)");
    line.text("-o,--out", "ANSWER", command.out, "The message to write")->required();
    line.text("--report", "REPORT", command.report, "A file to write all problems to, for the server");
    line.flag("--quick", command.quick, "Read only the pieces that the offer asks for instead of every byte");
    line.json(command.json);
    return line.run(words, console, [&] { return answer(command, console); });
}

}  // namespace fardel
