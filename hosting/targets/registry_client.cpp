#include <fardel/hosting/registry_client.h>

#include <fardel/base/clock.h>
#include "registry/bundle_limits.h"
#include "registry/judgement.h"
#include "registry/upload_facts.h"
#include "targets/remote_tree.h"

#include <fardel/delivery/tree_paths.h>
#include <fardel/format/channel.h>
#include <fardel/format/name.h>
#include <fardel/hosting/publish.h>
#include <fardel/hosting/registry_request.h>
#include <fardel/http/http_connection.h>
#include <fardel/http/range_client.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr long kFoundStatus = 200;
constexpr long kJudgingStatus = 202;
constexpr long kAbsentStatus = 404;
constexpr long kOtherMethodStatus = 405;
constexpr long kOtherOffsetStatus = 416;
constexpr long kRuledOutStatus = 422;
constexpr std::uint64_t kReplyBytesMax = 16u << 20;
// A recall waits for other changes of the registry, and for signers.
constexpr std::chrono::seconds kRecallWait{600};
constexpr std::chrono::hours kDecisionWaitMax{12};
constexpr std::chrono::minutes kAwayMax{5};  // a server that is started again, or its proxy says so
constexpr std::chrono::milliseconds kFirstPollPause{500};
constexpr std::chrono::milliseconds kPollPauseMax{10'000};
constexpr std::chrono::milliseconds kWaitingPause{50};
constexpr int kJudgedAgainMax = 2;

std::string text_of_body(const HttpAnswer& answer) {
    return {reinterpret_cast<const char*>(answer.body.data()), answer.body.size()};
}

Result<RegistryRules> ask_for_rules(const RemoteTree& tree) {
    FARDEL_TRY_ASSIGN(const std::string url, tree.url_of(std::string(kRegistryRulesFile)));
    FARDEL_TRY_ASSIGN(const HttpAnswer answer, tree.perform({.url = url, .answer_bytes_max = kRegistryRulesBytesMax}));
    if (answer.status == kAbsentStatus)
        return Error(ErrorCode::missing,
                     printable(tree.url(), 400) + ": is no registry; another 'fardel serve' wants a --token-file");
    if (answer.status != kFoundStatus)
        return HttpConnection::status_error(answer, url);
    auto rules = parse_registry_rules(text_of_body(answer));
    if (!rules)
        return std::move(rules).error().with_context(printable(url, 400));
    // Otherwise a server could have a request signed that is meant for another registry, and pass it on.
    if (std::ranges::count(rules->urls, tree.url()) == 0)
        return Error(ErrorCode::denied, printable(tree.url(), 400) + ": the registry there says that its address is " +
                                            printable(rules->urls.front(), 400) + "; give that one if you trust it");
    return rules;
}

}  // namespace

struct RegistryClient::Impl {
    const std::unique_ptr<const RemoteTree> tree;
    RegistryRules rules;

    Result<std::string> authorization(const RegistryRequest& request, Signer& signer, UnixTime now) const {
        FARDEL_TRY_ASSIGN(const std::string value, sign_registry_request(request, now, signer));
        return "Authorization: " + value;
    }

    RegistryRequest request_for(RegistryAction action, const BundleId& bundle) const {
        return {.action = action, .url = tree->url(), .channel = rules.channel, .bundle = bundle, .reason = {}};
    }

    Result<ChannelRoot> ask_for_root(std::uint64_t version) const {
        FARDEL_TRY_ASSIGN(const std::string url, tree->url_of(channel_root_path(rules.channel, version)));
        FARDEL_TRY_ASSIGN(const HttpAnswer answer,
                          tree->perform({.url = url, .answer_bytes_max = channel_file_bytes_max(ChannelText::root)}));
        if (answer.status != kFoundStatus)
            return HttpConnection::status_error(answer, url);
        FARDEL_TRY_ASSIGN(const SignedText text, parse_signed_text(ChannelText::root, text_of_body(answer)));
        return parse_channel_root(text.body);
    }

    // How much the server has of an earlier attempt.
    Result<std::uint64_t> find_offset(const BundleId& bundle, const std::string& authorization,
                                      std::uint64_t file_bytes) const {
        FARDEL_TRY_ASSIGN(const std::string url, tree->url_of("uploads/" + bundle.hex()));
        const auto part = tree->perform_once({.method = "HEAD", .url = url, .headers = {authorization}}, tree->stop());
        const bool is_part = part && part->status == kFoundStatus && part->content_bytes;
        return is_part && *part->content_bytes <= file_bytes ? *part->content_bytes : 0;
    }

    // What became of an upload that the registry was still judging: with kJudgingStatus, it did not decide in time.
    Result<HttpAnswer> await_decision(const RegistryRequest& request, Signer& signer, const Clock& now,
                                      const std::function<void()>& waiting) const {
        FARDEL_TRY_ASSIGN(const std::string url, tree->url_of("uploads/" + request.bundle.hex()));
        const auto end = SteadyClock::now() + kDecisionWaitMax;
        auto away_end = SteadyClock::now() + kAwayMax;
        auto pause = kFirstPollPause;
        std::string header;
        UnixTime dated;
        const auto make = [&]() -> Result<HttpRequest> {
            // A signature counts for a while; the signer may be a person who confirms each.
            if (const UnixTime time = now();
                header.empty() || time < dated || time - dated > kRegistryRequestLifeSeconds / 2) {
                FARDEL_TRY_ASSIGN(header, authorization(request, signer, time));
                dated = time;
            }
            return HttpRequest{.url = url, .headers = {header}, .answer_bytes_max = kReplyBytesMax};
        };
        for (;;) {
            const auto next = SteadyClock::now() + pause;
            for (; SteadyClock::now() < next && !tree->stop().stop_requested(); waiting())
                std::this_thread::sleep_for(kWaitingPause);
            auto answer = tree->perform_made(make, tree->stop());
            const bool is_away = answer ? answer->status >= 500 : answer.error().code() == ErrorCode::unreachable;
            if (!is_away)
                away_end = SteadyClock::now() + kAwayMax;
            const bool may_come = is_away ? SteadyClock::now() < away_end && !tree->stop().stop_requested()
                                          : answer && answer->status == kJudgingStatus && SteadyClock::now() < end;
            if (!may_come)
                return answer;
            pause = std::min(pause * 2, kPollPauseMax);
        }
    }
};

RegistryClient::RegistryClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RegistryClient::~RegistryClient() = default;
const RegistryRules& RegistryClient::rules() const noexcept { return impl_->rules; }

Result<std::unique_ptr<RegistryClient>> RegistryClient::open(const std::string& url, const TreeConnection& connection) {
    FARDEL_TRY_ASSIGN(std::string server, parse_server_url(url, "a registry"));
    const RemoteTreeOptions options{
        .timeouts = {.connect = connection.connect_timeout, .stall = std::max(connection.stall_timeout, kRecallWait)},
        .attempts_max = connection.attempts_max,
        .first_pause = connection.first_pause,
        .read_headers = {},
        .stop = connection.stop};
    FARDEL_TRY_ASSIGN(HttpConnection http, HttpConnection::open(NoCredentials{}, options.timeouts));
    auto tree = std::make_unique<const RemoteTree>(std::move(server), std::move(http), options);
    FARDEL_TRY_ASSIGN(RegistryRules rules, ask_for_rules(*tree));
    return std::unique_ptr<RegistryClient>(
        new RegistryClient(std::unique_ptr<Impl>(new Impl{std::move(tree), std::move(rules)})));
}

Result<std::optional<RegistryReply>> RegistryClient::ask(const Bundle& bundle, Signer& signer, const Clock& now) {
    const auto facts = verify_bundle_limits(bundle) ? read_upload_facts(bundle)
                                                    : Error(ErrorCode::limit, "more than a registry asks about");
    const auto body = facts ? format_upload_question(*facts) : facts.error();
    if (!body)  // judged where the content is
        return std::optional<RegistryReply>();
    const RemoteTree& tree = *impl_->tree;
    FARDEL_TRY_ASSIGN(const std::string url, tree.url_of("registry/questions/" + bundle.id().hex()));
    const RegistryRequest request = impl_->request_for(RegistryAction::question, bundle.id());
    const auto source = make_memory_source(std::vector<std::byte>(*body));
    const auto make = [&]() -> Result<HttpRequest> {
        FARDEL_TRY_ASSIGN(const std::string authorization, impl_->authorization(request, signer, now()));
        return HttpRequest{.method = "POST",
                           .url = url,
                           .headers = {authorization},
                           .body = source.get(),
                           .body_bytes = source->size_bytes(),
                           .answer_bytes_max = kReplyBytesMax};
    };
    FARDEL_TRY_ASSIGN(const HttpAnswer answer, tree.perform_made(make, tree.stop()));
    if (answer.status == kAbsentStatus || answer.status == kOtherMethodStatus)  // an older registry
        return std::optional<RegistryReply>();
    return std::optional(RegistryReply{.status = answer.status, .text = text_of_body(answer)});
}

Result<RegistryClient::Judged> RegistryClient::judge(const std::shared_ptr<const ByteSource>& file,
                                                     const PublicKey& author, std::uint64_t root_version, UnixTime now,
                                                     const VerifyWork& work) const {
    RegistryState state;
    state.rules = impl_->rules;
    if (root_version != 0) {
        FARDEL_TRY_ASSIGN(state.root, impl_->ask_for_root(root_version));
    }
    FARDEL_TRY_ASSIGN(UploadJudgement judged, judge_content(file, author, state, now, work));
    return Judged{.refusals = std::move(judged.refusals), .remarks = std::move(judged.remarks)};
}

Result<RegistryReply> RegistryClient::upload(const ByteSource& file, const BundleId& bundle, Signer& signer,
                                             const Clock& now, const PublishWork& work) {
    const RemoteTree& tree = *impl_->tree;
    FARDEL_TRY_ASSIGN(const std::string url, tree.url_of(tree_path_of(bundle)));
    const RegistryRequest request = impl_->request_for(RegistryAction::upload, bundle);
    const std::uint64_t file_bytes = file.size_bytes();
    bool begins_again = false;
    bool is_all_there = false;
    const auto make = [&]() -> Result<HttpRequest> {
        FARDEL_TRY_ASSIGN(const std::string authorization, impl_->authorization(request, signer, now()));
        std::uint64_t offset = 0;
        if (!begins_again) {
            FARDEL_TRY_ASSIGN(offset, impl_->find_offset(bundle, authorization, file_bytes));
        }
        is_all_there = offset == file_bytes;
        HttpRequest put{.method = "PUT",
                        .url = url,
                        .headers = {authorization},
                        .body = &file,
                        .body_offset = offset,
                        .body_bytes = file_bytes - offset,
                        .answer_bytes_max = kReplyBytesMax};
        if (offset != 0)
            put.headers.push_back("Content-Range: bytes " +
                                  (is_all_there ? "*" : std::to_string(offset) + "-" + std::to_string(file_bytes - 1)) +
                                  "/" + std::to_string(file_bytes));
        if (work.progress)
            put.progress = [&work, offset, file_bytes](std::uint64_t sent) {
                work.progress(offset + sent, file_bytes);
            };
        return put;
    };
    const auto waiting = [&] {
        if (work.progress)
            work.progress(file_bytes, file_bytes);
    };
    HttpAnswer answer;
    for (int judged = 0;; ++judged) {
        FARDEL_TRY_ASSIGN(answer, tree.perform_made(make, tree.stop()));
        if (answer.status == kOtherOffsetStatus) {  // others have continued it, or it was too old
            begins_again = true;
            FARDEL_TRY_ASSIGN(answer, tree.perform_made(make, tree.stop()));
        }
        if (answer.status == kJudgingStatus) {
            FARDEL_TRY_ASSIGN(answer, impl_->await_decision(request, signer, now, waiting));
        }
        // The server was started again, and has the bytes; or what it had of an earlier attempt were others.
        const bool is_forgotten = answer.status == kAbsentStatus && judged < kJudgedAgainMax;
        const bool is_another = answer.status == kRuledOutStatus && is_all_there;
        begins_again = is_another;
        if (is_forgotten || is_another)
            continue;
        return RegistryReply{.status = answer.status, .text = text_of_body(answer)};
    }
}

Result<RegistryReply> RegistryClient::recall(const BundleId& bundle, const std::string& reason, Signer& signer,
                                             const Clock& now) {
    const RemoteTree& tree = *impl_->tree;
    FARDEL_TRY_ASSIGN(const std::string url, tree.url_of("registry/recalls/" + bundle.hex()));
    RegistryRequest request = impl_->request_for(RegistryAction::recall, bundle);
    request.reason = reason;
    const auto body =
        make_memory_source({std::as_bytes(std::span(reason)).begin(), std::as_bytes(std::span(reason)).end()});
    const auto make = [&]() -> Result<HttpRequest> {
        FARDEL_TRY_ASSIGN(const std::string authorization, impl_->authorization(request, signer, now()));
        return HttpRequest{.method = "POST",
                           .url = url,
                           .headers = {authorization},
                           .body = body.get(),
                           .body_bytes = reason.size(),
                           .answer_bytes_max = kReplyBytesMax};
    };
    FARDEL_TRY_ASSIGN(const HttpAnswer answer, tree.perform_made(make, tree.stop()));
    return RegistryReply{.status = answer.status, .text = text_of_body(answer)};
}

}  // namespace fardel
