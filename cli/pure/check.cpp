// fardel pure check: a server checks the answer of a client.

#include "console/clock.h"
#include "console/output_file.h"
#include "pure_state.h"
#include "pure_verbs.h"

namespace fardel {
namespace {

struct CheckPureCommand {
    std::string answer;
    std::string policy;
    std::string connection;
    std::string state;
    std::vector<std::string> mounts;
    std::string report;
    std::string out;
    bool json = false;
};

Result<Exit> check_pure(const CheckPureCommand& command, Console& console) {
    FARDEL_TRY_ASSIGN(const PurePolicy policy, read_pure_policy(command.policy));
    FARDEL_TRY_ASSIGN(const OpenBundles bundles, open_bundles(command.mounts));
    FARDEL_TRY_ASSIGN(const PureAnswer answer, read_pure_answer(command.answer));
    std::optional<PureReport> report;
    if (!command.report.empty()) {
        FARDEL_TRY_ASSIGN(report, read_pure_report(command.report));
    }
    FARDEL_TRY_ASSIGN(const PureState::Claim offer,
                      PureState(command.state).claim(answer.nonce, hash_connection(command.connection), system_now()));
    PureClaim claim{.nonce = offer.nonce};
    // Only then has the server work to do: strangers send answers, and reading the set costs more than refusing.
    if (offer.nonce == PureNonce::open) {
        FARDEL_TRY_ASSIGN(claim.epoch, make_pure_epoch(offer.epoch, policy, bundles));
    }
    const PureVerdict verdict =
        check_pure_answer(answer, claim, policy, command.connection, report ? &*report : nullptr);
    if (!command.out.empty())
        FARDEL_TRY(write_file(command.out, encode_pure_verdict(verdict)));

    // A report that is not the one of the answer may be of anybody.
    const PureReport shown = report && !verdict.has(PureRefusal::wrong_report) ? *report : PureReport();
    const std::vector<PureRefusalText> refusals = refusal_texts(verdict);
    const auto refusal_json = [](const PureRefusalText& one) {
        return Json{{"refusal", one.word}, {"text", one.sentence}};
    };
    const auto refusal_text = [](const PureRefusalText& one) {
        return fmt::format("refused, {}: {}\n", one.word, one.sentence);
    };
    return print_result(
        console, command.json,
        [&] {
            return Json{{"welcome", verdict.welcome()},
                        {"refusals", json_list(refusals, refusal_json)},
                        {"problems", json_of(shown)}};
        },
        [&] {
            return (verdict.welcome() ? "welcome: the client is pure\n" : "") + format_each(refusals, refusal_text) +
                   format_problems(shown);
        },
        verdict.welcome() ? Exit::fine : Exit::refusal);
}

}  // namespace

Result<Exit> run_pure_check(Words words, Console& console) {
    CommandLine line(
        "pure check", "--answer ANSWER --policy POLICY --connection ID --state DIR --mount FILE... [options]",
        "Server: checks the answer of a client against its own copies of the bundles, "
        "and lists every reason to refuse it.",
        "  fardel pure check --answer answer --report report --policy server.pure --connection 203.0.113.7:27960 "
        "--state /var/lib/fardel-pure --mount base.fardel --mount map.fardel\n");
    CheckPureCommand command;
    line.text("--answer", "ANSWER", command.answer, "The answer of the client").required();
    line.text("--policy", "POLICY", command.policy, "The server's pure policy").required();
    line.text("--connection", "ID", command.connection, "The name of the connection that server and client agree on")
        .required();
    line.text("--state", "DIR", command.state, "The folder in which the server keeps its offers").required();
    line.texts("-m,--mount", "FILE", command.mounts,
               "A bundle of the content set, the server's own copy; may be repeated");
    line.text("--report", "REPORT", command.report, "The report of the client, if it sent one");
    line.text("-o,--out", "VERDICT", command.out, "A file to write the verdict to, as a message");
    line.json(command.json);
    return line.run(words, console, [&] { return check_pure(command, console); });
}

}  // namespace fardel
