#include "registry/author_requests.h"

#include "bundles/bundle_file.h"
#include "bundles/bundle_word.h"
#include "bundles/whole_bundle.h"
#include "console/clock.h"
#include "console/figures.h"
#include "console/json.h"
#include "console/progress_bar.h"

#include <fardel/base/interrupt.h>
#include <fardel/format/name.h>
#include <fardel/hosting/registry_client.h>

#include <fmt/format.h>

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr long kAccepted = 201;
constexpr long kKnown = 200;
constexpr long kJudging = 202;
constexpr long kRefused = 422;

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
        return Error(reply.status >= 500 ? ErrorCode::unreachable : ErrorCode::denied,
                     fmt::format("{}: the registry answers {}: {}", printable(url), reply.status,
                                 printable(std::string_view(reply.text).substr(0, reply.text.find('\n')), 400)));
    std::optional<Json> answer = parse_json_object(reply.text);
    if (!answer)
        return Error(ErrorCode::malformed, printable(url) + ": the answer of the registry is not JSON");
    return std::move(*answer);
}

std::string format_decision(const std::string& subject, long status, JsonView answer) {
    const auto release = answer.at("release").number();
    const std::string number = release ? std::to_string(*release) : "?";
    if (status == kRefused)
        return fmt::format("{}: refused:\n", printable(subject)) + format_list(answer, "refusals") +
               format_list(answer, "remarks");
    return fmt::format("{}: {}, {} {} in release {}\n", printable(subject), printable(answer.at("outcome").text()),
                       printable(answer.at("name").text()), printable(answer.at("version").text()), number) +
           format_list(answer, "remarks");
}

struct Decision {
    std::string subject;
    long status = 0;
    Json answer;
};

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
        [&] {
            return format_each(
                decisions, [](const Decision& one) { return format_decision(one.subject, one.status, one.answer); });
        },
        exit);
}

Result<Decision> upload(const std::string& file, RegistryClient& client, Signer& signer, const AuthorRequest& request,
                        const Interrupt& interrupt, Console& console) {
    FARDEL_TRY_ASSIGN(const auto bundle, open_bundle(file));
    FARDEL_TRY(verify_whole_bundle(bundle->source(), printable(file), "nothing was sent", {.stop = interrupt.token()},
                                   console));
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
    FARDEL_TRY_ASSIGN(Json answer, decision_in(reply, request.url));
    return Decision{.subject = file, .status = reply.status, .answer = std::move(answer)};
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
