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
    PureClientOptions client;
    std::string out;
    std::string report;
    bool quick = false;
    bool json = false;
};

Result<Exit> answer(const AnswerCommand& command, Console& console) {
    FARDEL_TRY_ASSIGN(const PureOffer offer, read_pure_offer(command.offer));
    FARDEL_TRY_ASSIGN(const PurePolicy policy, read_pure_policy(command.policy));
    FARDEL_TRY_ASSIGN(const auto chosen, parse_axes(command.client.variants));
    FARDEL_TRY_ASSIGN(const PureClient client, mount_for_pure(command.client.mounts, policy, command.client.trust));
    for (const Error& error : client.unopened)
        console.say(error);
    FARDEL_TRY_ASSIGN(auto problems, find_problems(command.client, policy, client, !command.quick));
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
                     "  fardel pure answer --offer offer --policy server.pure --connection 203.0.113.7:27960 "
                     "--mount base.fardel --mount map.fardel -o answer --report report\n");
    AnswerCommand command;
    line.text("--offer", "OFFER", command.offer, "The server's offer").required();
    line.text("--policy", "POLICY", command.policy, "The policy that the offer is about").required();
    line.text("--connection", "ID", command.connection, "The name of the connection that server and client agree on")
        .required();
    add_client_options(line, command.client);
    line.text("-o,--out", "ANSWER", command.out, "The message to write").required();
    line.text("--report", "REPORT", command.report, "A file to write all problems to, for the server");
    line.flag("--quick", command.quick, "Read only the pieces that the offer asks for instead of every byte");
    line.json(command.json);
    return line.run(words, console, [&] { return answer(command, console); });
}

}  // namespace fardel
