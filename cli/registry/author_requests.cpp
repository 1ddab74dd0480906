#include "registry/author_requests.h"

#include "bundles/bundle_file.h"
#include "bundles/bundle_word.h"
#include "console/clock.h"
#include "console/figures.h"
#include "console/json.h"
#include "console/progress_bar.h"

#include <fardel/base/interrupt.h>
#include <fardel/format/name.h>
#include <fardel/hosting/registry_client.h>

#include <fmt/format.h>

#include <memory>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr long kAccepted = 201;
constexpr long kKnown = 200;
constexpr long kJudging = 202;
constexpr long kRefused = 422;
constexpr std::string_view kAcceptable = "acceptable";
constexpr std::string_view kWasThere = "was-there";

ErrorCode code_of(long status) {
    constexpr long kTooLarge = 413;
    constexpr long kNoRoom = 507;  // on the server
    if (status == kTooLarge)
        return ErrorCode::limit;
    if (status == kNoRoom)
        return ErrorCode::no_space;
    return status >= 500 ? ErrorCode::unreachable : ErrorCode::denied;
}

std::string format_list(JsonView answer, std::string_view key) {
    std::string text;
    for (const JsonView one : answer.at(key).elements()) {
        const std::string_view where = one.at("where").text();
        text += fmt::format("  {}{}: {} [{}]\n", key == "remarks" ? "note: " : "",
                            where.empty() ? "the bundle" : printable(where), printable(one.at("text").text(), 2000),
                            printable(one.at("reason").text()));
    }
    return text;
}

// Returns what a registry has decided. Errors: denied, unreachable (it has decided nothing).
Result<Json> decision_in(const RegistryReply& reply, const std::string& url) {
    if (reply.status == kJudging)
        return Error(ErrorCode::unreachable,
                     printable(url) + ": the registry has not decided yet; the same command asks again");
    if (reply.status != kAccepted && reply.status != kKnown && reply.status != kRefused)
        return Error(code_of(reply.status),
                     fmt::format("{}: the registry answers {}: {}", printable(url), reply.status,
                                 printable(std::string_view(reply.text).substr(0, reply.text.find('\n')), 400)));
    std::optional<Json> answer = parse_json_object(reply.text);
    if (!answer)
        return Error(ErrorCode::malformed, printable(url) + ": the answer of the registry is not JSON");
    return std::move(*answer);
}

struct Decision {
    std::string subject;
    long status = 0;
    Json answer;
    bool was_sent = true;  // the bundle, or the recall
};

std::string format_decision(const Decision& decision) {
    const JsonView answer = decision.answer;
    const std::string subject = printable(decision.subject);
    const auto release = answer.at("release").number();
    const std::string number = release ? std::to_string(*release) : "?";
    if (decision.status == kRefused)
        return fmt::format("{}: refused{}:\n", subject, decision.was_sent ? "" : ", and nothing was sent") +
               format_list(answer, "refusals") + format_list(answer, "remarks");
    std::string text = fmt::format("{}: {}, {}", subject, printable(answer.at("outcome").text()),
                                   format_title(answer.at("name").text(), answer.at("version").text()));
    if (answer.at("outcome").text() != kAcceptable)
        text += " in release " + number;
    return text + (decision.was_sent ? "\n" : "; nothing was sent\n") + format_list(answer, "remarks");
}

Result<Exit> print_decisions(const std::vector<Decision>& decisions, bool json, Console& console) {
    Exit exit = Exit::fine;
    for (const Decision& one : decisions)
        if (one.status == kRefused)
            exit = Exit::refusal;
    return print_result(
        console, json,
        [&] {
            return Json{{"answers", json_list(decisions, [](const Decision& one) {
                             return Json{{"subject", one.subject}, {"status", one.status}, {"answer", one.answer}};
                         })}};
        },
        [&] { return format_each(decisions, format_decision); }, exit);
}

// ---- Before a bundle is sent ----------------------------------------------------------------------------------------

Json json_of(const RegistryRefusal& one) {
    return Json{{"reason", one.reason}, {"where", one.where}, {"text", one.text}};
}

// The list of the answer, and behind it what was found here and is not in it.
Json joined_list(JsonView answer, std::string_view key, const std::vector<RegistryRefusal>& found) {
    Json list = Json::array();
    std::set<std::tuple<std::string, std::string, std::string>> listed;
    for (const JsonView one : answer.at(key).elements()) {
        listed.emplace(one.at("reason").text(), one.at("where").text(), one.at("text").text());
        list.push_back(Json{
            {"reason", one.at("reason").text()}, {"where", one.at("where").text()}, {"text", one.at("text").text()}});
    }
    for (const RegistryRefusal& one : found)
        if (listed.emplace(one.reason, one.where, one.text).second)
            list.push_back(json_of(one));
    return list;
}

std::string text_of(const Bundle& bundle, std::string_view key) {
    const auto text = bundle.find_bundle_text(key);
    return text ? printable(text->value_or(std::string_view())) : std::string();
}

// What the registry would answer, as far as it can be known before the bundle is sent: from the registry what needs no
// content, and the rest from its rules, by which the content is judged here.
Result<Decision> foresee(const std::string& file, const Bundle& bundle, RegistryClient& client, Signer& signer,
                         const AuthorRequest& request, const Interrupt& interrupt, Console& console) {
    FARDEL_TRY_ASSIGN(const auto reply, client.ask(bundle, signer, system_now));
    Decision decision{.subject = file, .status = kKnown, .answer = Json::object(), .was_sent = false};
    if (reply) {
        FARDEL_TRY_ASSIGN(decision.answer, decision_in(*reply, request.url));
        decision.status = reply->status;
    }
    JsonView answer = decision.answer;
    if (answer.at("outcome").text() == kWasThere)
        return decision;
    ProgressBar bar(console, "verifying");
    FARDEL_TRY_ASSIGN(
        const RegistryClient::Judged judged,
        client.judge(bundle.source(), signer.public_key(), answer.at("root").number().value_or(0), system_now(),
                     {.progress =
                          [&bar](const VerifyProgress& progress) {
                              bar.show_bytes(progress.stored_bytes_done, progress.stored_bytes_total);
                          },
                      .stop = interrupt.token()}));
    if (!judged.refusals.empty())
        decision.status = kRefused;
    Json whole{{"outcome", std::string(decision.status == kRefused ? "refused" : kAcceptable)},
               {"bundle", bundle.id().hex()},
               {"name", text_of(bundle, "name")},
               {"version", text_of(bundle, "version")},
               {"release", answer.at("release").number().value_or(0)},
               {"root", answer.at("root").number().value_or(0)},
               {"refusals", joined_list(answer, "refusals", judged.refusals)},
               {"remarks", joined_list(answer, "remarks", judged.remarks)}};
    decision.answer = std::move(whole);
    return decision;
}

Result<Decision> upload(const std::string& file, RegistryClient& client, Signer& signer, const AuthorRequest& request,
                        const Interrupt& interrupt, Console& console) {
    FARDEL_TRY_ASSIGN(const auto bundle, open_bundle(file));
    FARDEL_TRY_ASSIGN(Decision foreseen, foresee(file, *bundle, client, signer, request, interrupt, console));
    const JsonView answer = foreseen.answer;
    if (request.only_asks || foreseen.status == kRefused || answer.at("outcome").text() == kWasThere)
        return foreseen;
    ProgressBar bar(console, "uploading");
    const PublishWork work{.progress =
                               [&bar](std::uint64_t done, std::uint64_t total) {
                                   if (done == total)
                                       bar.show(done, total, "all sent; the registry verifies every byte");
                                   else
                                       bar.show_bytes(done, total);
                               },
                           .stop = interrupt.token()};
    FARDEL_TRY_ASSIGN(const RegistryReply reply,
                      client.upload(*bundle->source(), bundle->id(), signer, system_now, work));
    FARDEL_TRY_ASSIGN(Json decided, decision_in(reply, request.url));
    return Decision{.subject = file, .status = reply.status, .answer = std::move(decided)};
}

}  // namespace

Result<Exit> upload_to_registry(const AuthorRequest& request, std::span<const std::string> files, Console& console) {
    const Interrupt interrupt;
    FARDEL_TRY_ASSIGN(const auto client, RegistryClient::open(request.url, {.stop = interrupt.token()}));
    FARDEL_TRY_ASSIGN(const auto signer, open_signer(request.key));
    std::vector<Decision> decisions;
    for (const std::string& file : files) {
        FARDEL_TRY_ASSIGN(decisions.emplace_back(), upload(file, *client, *signer, request, interrupt, console));
    }
    return print_decisions(decisions, request.json, console);
}

Result<Exit> recall_at_registry(const AuthorRequest& request, const std::string& bundle, const std::string& reason,
                                Console& console) {
    const Interrupt interrupt;
    FARDEL_TRY_ASSIGN(const BundleId id, parse_bundle_id(bundle));
    FARDEL_TRY_ASSIGN(const auto client, RegistryClient::open(request.url, {.stop = interrupt.token()}));
    FARDEL_TRY_ASSIGN(const auto signer, open_signer(request.key));
    FARDEL_TRY_ASSIGN(const RegistryReply reply, client->recall(id, reason, *signer, system_now));
    FARDEL_TRY_ASSIGN(Json answer, decision_in(reply, request.url));
    return print_decisions({{.subject = bundle, .status = reply.status, .answer = std::move(answer)}}, request.json,
                           console);
}

}  // namespace fardel
