#include "serve/registry_answers.h"

#include "serve/question_receiver.h"

#include <fardel/hosting/registry_request.h>

#include <string>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kRecalls = "/registry/recalls/";

class RecallReceiver final : public QuestionReceiver {
public:
    RecallReceiver(Registry& registry, RequestSlots::Slot slot, const BundleId& bundle, std::string authorization,
                   std::size_t bytes_max)
        : QuestionReceiver(bytes_max, std::move(slot)),
          registry_(registry),
          bundle_(bundle),
          authorization_(std::move(authorization)) {}
    bool is_question() const noexcept override { return false; }  // it waits for uploads, and for the signer

private:
    ServerAnswer answer(std::span<const std::byte> body) override {
        const std::string reason(reinterpret_cast<const char*>(body.data()), body.size());
        const auto author = registry_.verify_recall(authorization_, bundle_, reason);
        if (!author)
            return refuse_registry_request(author.error());
        const auto answer = registry_.recall(bundle_, reason, &*author);
        return answer ? registry_answer(*answer) : refuse_registry_error(answer.error());
    }

    Registry& registry_;
    const BundleId bundle_;
    const std::string authorization_;
};

}  // namespace

ServerAnswer registry_answer(const RegistryAnswer& answer) {
    const unsigned status = answer.outcome == RegistryOutcome::accepted  ? 201
                            : answer.outcome == RegistryOutcome::refused ? 422
                                                                         : 200;
    return {.status = status,
            .headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}},
            .body = format_registry_answer(answer)};
}

ServerAnswer judging_answer(const BundleId& bundle) {
    return {.status = 202,
            .headers = {{"Content-Type", "application/json"},
                        {"Cache-Control", "no-store"},
                        {"Location", "/uploads/" + bundle.hex()},
                        {"Retry-After", "2"}},
            .body = "{\n  \"outcome\": \"judging\",\n  \"bundle\": \"" + bundle.hex() + "\"\n}\n"};
}

ServerAnswer refuse_registry_request(const Error& error) {
    ServerAnswer answer = plain_answer(401, error.message());
    answer.headers.emplace_back("WWW-Authenticate", "Fardel");
    return answer;
}

ServerAnswer refuse_registry_error(const Error& error) {
    switch (error.code()) {
        case ErrorCode::no_space: return plain_answer(507, "the server has no room for the file");
        case ErrorCode::conflict:
        case ErrorCode::busy: return plain_answer(503, "the registry is being changed; try again later");
        case ErrorCode::cancelled: return plain_answer(503, "the server stops; try again later");
        case ErrorCode::untrusted:
            return plain_answer(503,
                                "the registry cannot sign: its keys were replaced, and its operator has to start it "
                                "with the new ones; try again later");
        case ErrorCode::unreachable:
        case ErrorCode::denied:
        case ErrorCode::rollback:  // a text is dated ahead, which the operator has to mend
        case ErrorCode::missing: return plain_answer(503, "the registry cannot sign now; try again later");
        default:
            return plain_answer(500, "the registry cannot be changed; its operator finds out with 'registry fsck'");
    }
}

std::optional<BundleId> find_recall_target(std::string_view target) {
    if (!target.starts_with(kRecalls))
        return std::nullopt;
    const auto id = BundleId::parse(target.substr(kRecalls.size()));
    return id ? std::optional(*id) : std::nullopt;
}

std::variant<ServerAnswer, std::unique_ptr<BodyReceiver>> begin_recall(Registry& registry, RequestSlots& slots,
                                                                       const BundleId& bundle,
                                                                       const ReceivedRequest& request) {
    auto bytes = announced_question(request, kRegistryReasonBytesMax);
    if (auto* const refused = std::get_if<ServerAnswer>(&bytes))
        return std::move(*refused);
    auto slot = slots.acquire({std::string(request.client)}, request.end_connection, SteadyClock::now());
    if (!slot)
        return plain_answer(503, "too many requests at once; try again later");
    return std::make_unique<RecallReceiver>(registry, *std::move(slot), bundle,
                                            std::string(request.header("Authorization")), std::get<std::size_t>(bytes));
}

}  // namespace fardel
