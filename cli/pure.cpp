// fardel pure: the handshake of pure mode from a shell, with files for messages. docs/pure-mode.md describes it.

#include "bundles/bundle_file.h"
#include "console/clock.h"
#include "console/json.h"
#include "console/output_file.h"
#include "console/sub_verbs.h"
#include "pure/pure_files.h"
#include "pure/pure_state.h"
#include "verbs.h"

#include <fardel/format/key_file.h>
#include <fardel/format/name.h>
#include <fardel/format/random.h>
#include <fardel/vfs/pure_check.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

namespace fardel {
namespace {

std::string title_of(const BundleId& bundle, std::string_view name) {
    if (bundle.is_zero())
        return std::string(name);
    return name.empty() ? "bundle " + bundle.hex() : fmt::format("{} (bundle {})", name, bundle.hex());
}

std::string format_problems(const PureReport& report) {
    std::string text;
    for (const PureProblem& problem : report.problems())
        text += fmt::format("{}: {}: {}\n", pure_fault_text(problem.fault), title_of(problem.bundle, problem.name),
                            problem.text);
    return text;
}

Json json_of(const PureReport& report) {
    Json json = Json::array();
    for (const PureProblem& problem : report.problems())
        json.push_back({{"fault", pure_fault_text(problem.fault)},
                        {"bundle", problem.bundle.is_zero() ? Json() : Json(problem.bundle.hex())},
                        {"name", problem.name},
                        {"text", problem.text}});
    return json;
}

// "texture=astc,bc7"
Result<std::vector<PureAxis>> parse_axes(const std::vector<std::string>& words) {
    std::vector<PureAxis> axes;
    for (const std::string& word : words) {
        PureAxis axis;
        const std::size_t equals = std::min(word.find('='), word.size());
        axis.axis = word.substr(0, equals);
        for (std::size_t at = equals + 1; at <= word.size();) {
            const std::size_t end = std::min(word.find(',', at), word.size());
            axis.tags.push_back(word.substr(at, end - at));
            at = end + 1;
        }
        if (axis.axis.empty() || axis.tags.empty() || std::ranges::count(axis.tags, "") != 0)
            return Error(ErrorCode::malformed, "--variant " + printable(word) + ": expected AXIS=TAG,TAG");
        axes.push_back(std::move(axis));
    }
    return axes;
}

// ---- pure policy ----------------------------------------------------------------------------------------------------

struct PolicyCommand {
    std::vector<std::string> files;
    std::string out;
    std::vector<std::string> variants;
    std::vector<std::string> exceptions;
    std::vector<std::string> loose;
    bool allow_unsigned = false;
    bool json = false;
};

// The name in the metadata of the bundle, or else the name of its file; empty if neither is a valid name.
Result<std::string> name_of(const Bundle& bundle, const std::string& file) {
    FARDEL_TRY_ASSIGN(std::string text, bundle_text(bundle, "name"));
    if (verify_name(text))
        return text;
    const std::string stem = std::filesystem::path(file).stem().string();
    return verify_name(stem) ? stem : std::string();
}

// "BUNDLES:KEY.pub:PATHS"
Result<PureException> parse_exception(const std::string& word) {
    const std::size_t first = word.find(':');
    const std::size_t last = word.rfind(':');
    if (first == std::string::npos || first == last)
        return Error(ErrorCode::malformed, "--except " + printable(word) + ": expected BUNDLES:KEY.pub:PATHS");
    FARDEL_TRY_ASSIGN(const PublicKeyFile key, read_public_key_file(word.substr(first + 1, last - first - 1)));
    return PureException{word.substr(0, first), key.key, word.substr(last + 1)};
}

Json json_of(const PurePolicy& policy, const std::string& file) {
    Json bundles = Json::array();
    for (const PureBundle& bundle : policy.rules().bundles)
        bundles.push_back({{"bundle", bundle.bundle.hex()}, {"name", bundle.name}});
    return Json{{"file", file},
                {"policy", policy.digest().hex()},
                {"content", policy.content().digest().hex()},
                {"bundles", std::move(bundles)}};
}

Result<Exit> write_policy(const PolicyCommand& command, Console& console) {
    PureRules rules;
    FARDEL_TRY_ASSIGN(rules.variants, parse_axes(command.variants));
    for (const std::string& word : command.exceptions) {
        FARDEL_TRY_ASSIGN(PureException exception, parse_exception(word));
        rules.exceptions.push_back(std::move(exception));
    }
    rules.loose = command.loose;
    rules.unsigned_allowed = command.allow_unsigned;
    FARDEL_TRY_ASSIGN(const OpenBundles bundles, open_bundles(command.files));
    for (std::size_t i = 0; i < bundles.size(); ++i) {
        PureBundle bundle{.bundle = bundles[i]->id()};
        FARDEL_TRY_ASSIGN(bundle.name, name_of(*bundles[i], command.files[i]));
        rules.bundles.push_back(std::move(bundle));
    }
    FARDEL_TRY_ASSIGN(const PurePolicy policy, PurePolicy::make(std::move(rules)));
    FARDEL_TRY(write_file(command.out, policy.format()));
    FARDEL_TRY(print_result(
        console, command.json, [&] { return json_of(policy, command.out); },
        [&] {
            return fmt::format("wrote {}\npolicy  {}\ncontent {}\n", printable(command.out), policy.digest().hex(),
                               policy.content().digest().hex());
        }));
    return Exit::fine;
}

Result<Exit> run_policy(Words words, Console& console) {
    CommandLine line("pure policy", "FILE... -o POLICY [options]",
                     "Writes a pure policy: clients may use these bundles, mounted in this order, later ones winning, "
                     "and nothing else.",
                     "  fardel pure policy base.fardel map.fardel -o server.pure\n"
                     "  fardel pure policy base.fardel -o server.pure --except 'huds/*:hud.pub:gfx/hud/**' --loose "
                     "'screenshots/**'\n");
    PolicyCommand command;
    line.texts("FILE", "FILE", command.files, "The content set, in the order in which it is mounted")->required();
    line.text("-o,--out", "POLICY", command.out, "The file to write")->required();
    line.texts("--variant", "AXIS=TAG,TAG", command.variants,
               "The tags that clients may choose from on this axis; may be repeated");
    line.texts("--except", "BUNDLES:KEY.pub:PATHS", command.exceptions,
               "Also allow bundles of these names, signed by this key, for these paths; may be repeated");
    line.texts("--loose", "PATHS", command.loose, "Tolerate loose files at these paths; may be repeated");
    line.flag("--allow-unsigned", command.allow_unsigned,
              "Accept a content set without a signature that the client trusts");
    line.json(command.json);
    if (const auto over = line.parse(words, console))
        return *over;
    return write_policy(command, console);
}

// ---- pure offer -----------------------------------------------------------------------------------------------------

struct OfferCommand {
    std::string policy;
    std::string connection;
    std::string state;
    std::string out;
    std::vector<std::string> sources;
    std::uint64_t valid_s = 60;
    bool json = false;
};

Result<Exit> offer(const OfferCommand& command, Console& console) {
    FARDEL_TRY_ASSIGN(const PurePolicy policy, read_pure_policy(command.policy));
    PureOffer offer;
    fill_random(std::as_writable_bytes(std::span(offer.nonce.bytes)));
    offer.policy = policy.digest();
    offer.sources = command.sources;
    FARDEL_TRY_ASSIGN(const auto bytes, encode_pure_offer(offer));
    const std::uint64_t expires_s = now_s() + command.valid_s;
    FARDEL_TRY(PureState(command.state).open(offer.nonce, hash_connection(command.connection), expires_s));
    FARDEL_TRY(write_file(command.out, bytes));
    FARDEL_TRY(print_result(
        console, command.json,
        [&] {
            return Json{{"file", command.out},
                        {"nonce", offer.nonce.hex()},
                        {"policy", offer.policy.hex()},
                        {"expires", expires_s}};
        },
        [&] {
            return fmt::format("wrote {}\nnonce   {}\npolicy  {}\n", printable(command.out), offer.nonce.hex(),
                               offer.policy.hex());
        }));
    return Exit::fine;
}

Result<Exit> run_offer(Words words, Console& console) {
    CommandLine line("pure offer", "--policy POLICY --connection ID --state DIR -o OFFER [options]",
                     "Server: creates an offer for one client, which can be answered once.",
                     "  fardel pure offer --policy server.pure --connection 203.0.113.7:27960 --state "
                     "/var/lib/fardel-pure -o offer\n");
    OfferCommand command;
    line.text("--policy", "POLICY", command.policy, "The server's pure policy")->required();
    line.text("--connection", "ID", command.connection, "The name of the connection that server and client agree on")
        ->required();
    line.text("--state", "DIR", command.state, "The folder in which the server keeps its offers")->required();
    line.text("-o,--out", "OFFER", command.out, "The message to write")->required();
    line.texts("--source", "URL", command.sources, "Where clients can get missing bundles; may be repeated");
    line.number("--valid", command.valid_s, 1, 86'400, "Seconds within which the offer must be answered (default: 60)");
    line.json(command.json);
    if (const auto over = line.parse(words, console))
        return *over;
    return offer(command, console);
}

// ---- pure answer ----------------------------------------------------------------------------------------------------

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
    for (const std::string& folder : command.loose) {
        FARDEL_TRY_ASSIGN(const auto paths, list_loose_paths(folder));
        add(judge_loose_paths(policy, folder, paths));
    }
    return problems;
}

Result<Exit> answer(const AnswerCommand& command, Console& console) {
    FARDEL_TRY_ASSIGN(const PureOffer offer, read_pure_offer(command.offer));
    FARDEL_TRY_ASSIGN(const PurePolicy policy, read_pure_policy(command.policy));
    FARDEL_TRY_ASSIGN(const auto chosen, parse_axes(command.variants));
    FARDEL_TRY_ASSIGN(const PureClient client, mount_for_pure(command.mounts, policy, command.trust));
    FARDEL_TRY_ASSIGN(auto problems, find_problems(command, policy, client));
    FARDEL_TRY_ASSIGN(const PureReply reply, answer_pure_offer(offer, policy, client.bundles, chosen,
                                                               command.connection, std::move(problems)));
    FARDEL_TRY(write_file(command.out, encode_pure_answer(reply.answer)));
    if (!command.report.empty())
        FARDEL_TRY(write_file(command.report, reply.report.format()));
    const Json json{{"file", command.out}, {"pure", reply.report.empty()}, {"problems", json_of(reply.report)}};
    const std::string text =
        format_problems(reply.report) +
        (reply.report.empty() ? "pure: no problems\n"
                              : fmt::format("not pure: {} {}\n", reply.report.problems().size(),
                                            reply.report.problems().size() == 1 ? "problem" : "problems"));
    FARDEL_TRY(console.write(command.json ? format_json(json) + "\n" : text));
    return reply.report.empty() ? Exit::fine : Exit::refusal;
}

Result<Exit> run_answer(Words words, Console& console) {
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
    if (const auto over = line.parse(words, console))
        return *over;
    return answer(command, console);
}

// ---- pure check -----------------------------------------------------------------------------------------------------

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
    FARDEL_TRY_ASSIGN(const PureNonce nonce,
                      PureState(command.state).take(answer.nonce, hash_connection(command.connection), now_s()));
    FARDEL_TRY_ASSIGN(const PureVerdict verdict, check_pure_answer(answer, nonce, policy, bundles, command.connection,
                                                                   report ? &*report : nullptr));
    if (!command.out.empty())
        FARDEL_TRY(write_file(command.out, encode_pure_verdict(verdict)));

    const PureReport shown = report && !verdict.has(PureRefusal::wrong_report) ? *report : PureReport();
    Json refusals = Json::array();
    std::string text = verdict.welcome() ? "welcome: the client is pure\n" : "";
    for (const PureRefusalText& refusal : refusal_texts(verdict)) {
        refusals.push_back({{"refusal", refusal.word}, {"text", refusal.sentence}});
        text += fmt::format("refused, {}: {}\n", refusal.word, refusal.sentence);
    }
    const Json json{{"welcome", verdict.welcome()}, {"refusals", std::move(refusals)}, {"problems", json_of(shown)}};
    FARDEL_TRY(console.write(command.json ? format_json(json) + "\n" : text + format_problems(shown)));
    return verdict.welcome() ? Exit::fine : Exit::refusal;
}

Result<Exit> run_check(Words words, Console& console) {
    CommandLine line(
        "pure check", "--answer ANSWER --policy POLICY --connection ID --state DIR --mount FILE... [options]",
        "Server: checks the answer of a client against its own copies of the bundles, and lists every reason "
        "to refuse it.",
        "  fardel pure check --answer answer --report report --policy server.pure --connection "
        "203.0.113.7:27960 --state /var/lib/fardel-pure --mount base.fardel --mount map.fardel\n");
    CheckPureCommand command;
    line.text("--answer", "ANSWER", command.answer, "The answer of the client")->required();
    line.text("--policy", "POLICY", command.policy, "The server's pure policy")->required();
    line.text("--connection", "ID", command.connection, "The name of the connection that server and client agree on")
        ->required();
    line.text("--state", "DIR", command.state, "The folder in which the server keeps its offers")->required();
    line.texts("-m,--mount", "FILE", command.mounts,
               "A bundle of the content set, the server's own copy; may be repeated");
    line.text("--report", "REPORT", command.report, "The report of the client, if it sent one");
    line.text("-o,--out", "VERDICT", command.out, "A file to write the verdict to, as a message");
    line.json(command.json);
    if (const auto over = line.parse(words, console))
        return *over;
    return check_pure(command, console);
}

// ---------------------------------------------------------------------------------------------------------------------

constexpr SubVerb kPureVerbs[] = {
    {"policy", run_policy}, {"offer", run_offer}, {"answer", run_answer}, {"check", run_check}};

constexpr std::string_view kPureHelp =
    "Pure mode from a shell: the policy of a server, and the handshake that proves that a client follows it.\n\n"
    "Usage: fardel pure policy FILE... -o POLICY [options]\n"
    "       fardel pure offer --policy POLICY --connection ID --state DIR -o OFFER [options]\n"
    "       fardel pure answer --offer OFFER --policy POLICY --connection ID --mount FILE... -o ANSWER [options]\n"
    "       fardel pure check --answer ANSWER --policy POLICY --connection ID --state DIR --mount FILE... [options]\n\n"
    "Examples:\n"
    "  fardel pure policy base.fardel map.fardel -o server.pure\n"
    "  fardel pure offer --policy server.pure --connection alice --state state -o offer\n"
    "  fardel pure answer --offer offer --policy server.pure --connection alice --mount base.fardel --mount map.fardel "
    "-o answer --report report\n"
    "  fardel pure check --answer answer --report report --policy server.pure --connection alice --state state --mount "
    "base.fardel --mount map.fardel\n\n"
    "'fardel pure answer --help' explains one sub-verb. More: man fardel-pure\n";

}  // namespace

Result<Exit> run_pure(Words words, Console& console) {
    return run_sub_verb("pure", kPureVerbs, kPureHelp, words, console);
}

}  // namespace fardel
