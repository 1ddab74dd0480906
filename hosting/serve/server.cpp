#include <fardel/hosting/server.h>

#include "serve/access_log.h"
#include "serve/cache_answers.h"
#include "serve/delta_maker.h"
#include "serve/http_daemon.h"
#include "serve/project_answers.h"
#include "serve/registry_answers.h"
#include "serve/requested_range.h"
#include "serve/served_files.h"
#include "serve/server_metrics.h"
#include "serve/uploads.h"

#include <fardel/base/clock.h>
#include <fardel/base/file.h>

#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kGroupMax = 64;
constexpr unsigned kRecallsMax = 16;  // at a time
constexpr std::uint64_t kSpareDescriptors = 256;
constexpr std::size_t kTokensFileBytesMax = 256u << 10;

// Returns the status for an error of the disk. The client learns no more than that.
ServerAnswer answer_for(ErrorCode code) {
    switch (code) {
        case ErrorCode::missing: return plain_answer(404, "there is no such file");
        case ErrorCode::denied:
        case ErrorCode::malformed: return plain_answer(404, "there is no such file");  // a link, a folder
        case ErrorCode::limit:
        case ErrorCode::busy: return plain_answer(503, "the server is busy; try again later");
        default: return plain_answer(500, "the server cannot read the file");
    }
}

ServerAnswer answer_with(ServedFile file, const ReceivedRequest& request) {
    const RequestedRange range = find_requested_range({.range = request.header("Range"),
                                                       .if_range = request.header("If-Range"),
                                                       .if_none_match = request.header("If-None-Match")},
                                                      file.size_bytes, file.etag);
    ServerAnswer answer;
    answer.headers = {{"Accept-Ranges", "bytes"},
                      {"Cache-Control", file.may_change ? "no-cache" : "public, max-age=31536000, immutable"}};
    if (!file.etag.empty())
        answer.headers.emplace_back("ETag", file.etag);
    switch (range.answer) {
        case RangeAnswer::not_modified: answer.status = 304; return answer;
        case RangeAnswer::unsatisfiable:
            answer.status = 416;
            answer.headers.emplace_back("Content-Range", "bytes */" + std::to_string(file.size_bytes));
            return answer;
        case RangeAnswer::part:
            answer.status = 206;
            answer.headers.emplace_back("Content-Range", "bytes " + std::to_string(range.offset) + "-" +
                                                             std::to_string(range.offset + range.length_bytes - 1) +
                                                             "/" + std::to_string(file.size_bytes));
            break;
        case RangeAnswer::whole: break;
    }
    answer.headers.emplace_back("Content-Type", file.content_type);
    if (range.length_bytes != 0)
        answer.body = ServedPart{std::move(file), range.offset, range.length_bytes};
    return answer;
}

Result<Descriptor> open_log(const std::string& path) {
    if (path != "-")
        return open_appending(path, path);
    Descriptor standard_output(1);
    auto copy = standard_output.duplicate("standard output");
    static_cast<void>(standard_output.release());
    return copy;
}

Result<UploadTokens> read_tokens(const std::string& path) {
    FARDEL_TRY_ASSIGN(const RegularFile file, open_regular_file(path, path));
    FARDEL_TRY(verify_owner_only(file.status, path, "token file"));
    FARDEL_TRY_ASSIGN(const std::string text, read_text(file.descriptor, kTokensFileBytesMax, path));
    auto tokens = UploadTokens::parse(text);
    if (!tokens)
        return std::move(tokens).error().with_context(path);
    return tokens;
}

}  // namespace

struct Server::Impl final : RequestHandler {
    std::unique_ptr<ServedFiles> files;        // nullptr: only a cache is served
    std::unique_ptr<ProjectAnswers> project;   // nullptr: none is served
    std::unique_ptr<CacheAnswers> cache;       // nullptr: none is served
    std::unique_ptr<BackgroundDeltas> deltas;  // nullptr: none are made
    std::unique_ptr<AccessLog> log;
    std::unique_ptr<Uploads> uploads;  // nullptr: none are accepted
    Registry* registry = nullptr;      // nullptr: none is served
    // They wait where uploads are finished, for a registry that is busy.
    const std::unique_ptr<RequestSlots> recalls = std::make_unique<RequestSlots>(kRecallsMax, kSlotsOfClientMax);
    ServerMetrics metrics;
    std::vector<ListenAddress> addresses;
    std::optional<ListenAddress> metrics_address;
    std::size_t metrics_listener = SIZE_MAX;
    std::unique_ptr<HttpDaemon> daemon;  // last: it calls the handler

    std::variant<ServerAnswer, std::unique_ptr<BodyReceiver>> begin(const ReceivedRequest& request) override {
        if (request.listener == metrics_listener)
            return answer_metrics(request);
        return answer_file(request);
    }

    void end(const ReceivedRequest& request, unsigned status, std::uint64_t body_bytes, bool is_complete,
             std::uint64_t microseconds) override {
        if (request.listener == metrics_listener)
            return;
        metrics.count_request(status, body_bytes, is_complete, microseconds);
        if (log)
            log->add({.peer = request.peer,
                      .time = system_now(),
                      .method = request.method,
                      .target = request.target,
                      .status = status,
                      .body_bytes = body_bytes,
                      .microseconds = microseconds,
                      .is_complete = is_complete});
    }

    ServerAnswer answer_metrics(const ReceivedRequest& request) const {
        if (request.target != "/metrics")
            return plain_answer(404, "only /metrics is here");
        if (request.method != "GET" && request.method != "HEAD")
            return refuse_method();
        return {.status = 200,
                .headers = {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}},
                .body = metrics.format(daemon->counts(), log ? log->dropped_lines() : 0) +
                        (registry != nullptr ? registry->format_metrics() : "")};
    }

    std::variant<ServerAnswer, std::unique_ptr<BodyReceiver>> answer_file(const ReceivedRequest& request) const {
        if (cache && CacheAnswers::is_question(request.target))
            return cache->begin_question(request);
        if (const auto cached = cache ? CacheAnswers::find_file(request.target) : std::nullopt)
            return answer_cached(*cached, request);
        if (!files)
            return answer_for(ErrorCode::missing);
        if (project && ProjectAnswers::is_asked(request.target))
            return project->begin(request);
        if (const auto part = uploads ? Uploads::find_part(request.target) : std::nullopt)
            return uploads->answer_part(*part, request);
        if (const auto asked = uploads ? Uploads::find_question(request.target) : std::nullopt)
            return uploads->begin_question(*asked, request);
        if (const auto recalled = registry != nullptr ? find_recall_target(request.target) : std::nullopt)
            return begin_recall(*registry, *recalls, *recalled, request);
        auto file = find_requested_file(request.target);
        if (!file && registry != nullptr)
            file = find_registry_page(request.target);
        if (file && uploads && request.method == "PUT")
            return uploads->begin(*file, request);
        if (request.method != "GET" && request.method != "HEAD")
            return refuse_method();
        if (!file)
            return answer_for(ErrorCode::missing);
        if (deltas && file->kind == RequestedFileKind::delta_list)
            deltas->note_list(file->bundle, request.client);
        auto opened = files->open(*file);
        return opened ? answer_with(*std::move(opened), request) : answer_for(opened.error().code());
    }

    std::variant<ServerAnswer, std::unique_ptr<BodyReceiver>> answer_cached(const ServedCacheFile& file,
                                                                            const ReceivedRequest& request) const {
        if (request.method == "PUT")
            return cache->begin_upload(file, request);
        if (request.method != "GET" && request.method != "HEAD")
            return refuse_method();
        auto opened = cache->open(file);
        return opened ? answer_with(*std::move(opened), request) : answer_for(opened.error().code());
    }

    // What is served, and who may write. Errors: those of Server::start.
    Status open_content(const ServerOptions& options) {
        if (options.project != nullptr) {
            files =
                serve_live_bundle(*options.project, options.store != nullptr ? serve_store(*options.store) : nullptr);
            project = std::make_unique<ProjectAnswers>(*options.project);
        } else if (options.store != nullptr) {
            files = serve_store(*options.store);
        } else if (!options.tree.empty()) {
            FARDEL_TRY_ASSIGN(files, serve_folder(options.tree));
        }
        if (options.delta_bytes_max != 0) {
            if (options.tree.empty())
                return Error(ErrorCode::unsupported, "deltas are made for a tree, and no tree is served");
            deltas = std::make_unique<BackgroundDeltas>(options.tree,
                                                        BackgroundDeltaLimits{.budget_bytes = options.delta_bytes_max});
        }
        registry = options.registry;
        std::optional<UploadTokens> tokens;
        if (options.uploads && registry == nullptr) {
            FARDEL_TRY_ASSIGN(tokens, read_tokens(options.uploads->tokens_path));
        }
        if (!options.cache.empty()) {
            FARDEL_TRY_ASSIGN(auto opened, ServedCache::open(options.cache));
            cache = std::make_unique<CacheAnswers>(std::move(opened), tokens);
        }
        if (registry != nullptr) {
            uploads = std::make_unique<Uploads>(
                options.tree, UploadRules{.registry = registry,
                                          .tree_bytes_max = options.uploads ? options.uploads->tree_bytes_max : 0,
                                          .file_bytes_max = options.uploads && options.uploads->file_bytes_max != 0
                                                                ? options.uploads->file_bytes_max
                                                                : UploadRules{}.file_bytes_max});
            return ok();
        }
        if (!tokens || options.tree.empty())
            return tokens && options.store != nullptr && !cache
                       ? Error(ErrorCode::unsupported, "bundles are uploaded into a tree, not into a store")
                       : ok();
        uploads =
            std::make_unique<Uploads>(options.tree, UploadRules{.tokens = *std::move(tokens),
                                                                .policy = options.uploads->policy,
                                                                .tree_bytes_max = options.uploads->tree_bytes_max});
        return ok();
    }

    static ServerAnswer refuse_method() {
        ServerAnswer answer = plain_answer(405, "only GET and HEAD are allowed here");
        answer.headers.emplace_back("Allow", "GET, HEAD");
        return answer;
    }

    Status listen(ServerOptions& options, std::vector<Descriptor>& listeners) {
        listeners = std::move(options.passed_sockets);
        for (const ListenAddress& address : options.addresses) {
            FARDEL_TRY_ASSIGN(Descriptor socket, listen_on(address));
            listeners.push_back(std::move(socket));
        }
        for (const Descriptor& socket : listeners) {
            FARDEL_TRY_ASSIGN(ListenAddress address, own_address(socket));
            addresses.push_back(std::move(address));
        }
        if (!options.metrics_address)
            return ok();
        FARDEL_TRY_ASSIGN(Descriptor socket, listen_on(*options.metrics_address));
        FARDEL_TRY_ASSIGN(metrics_address, own_address(socket));
        metrics_listener = listeners.size();
        listeners.push_back(std::move(socket));
        return ok();
    }
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() {
    if (impl_->uploads)
        // The daemon's end waits for its threads, and one of them may be verifying an upload for minutes.
        impl_->uploads->stop();
}

Result<std::unique_ptr<Server>> Server::start(ServerOptions options) {
    auto impl = std::make_unique<Impl>();
    FARDEL_TRY(impl->open_content(options));
    if (!options.access_log.empty()) {
        FARDEL_TRY_ASSIGN(Descriptor file, open_log(options.access_log));
        impl->log = std::make_unique<AccessLog>(std::move(file),
                                                options.logs_json ? AccessLogForm::json : AccessLogForm::common);
    }
    // Each connection has its socket and the file that it is sent.
    const std::uint64_t descriptors = raise_descriptors_max(options.limits.connections_max * 2 + kSpareDescriptors);
    ConnectionLimits limits;
    limits.connections_max = std::min<std::size_t>(
        options.limits.connections_max,
        static_cast<std::size_t>(descriptors > 2 * kSpareDescriptors ? (descriptors - kSpareDescriptors) / 2 : 16));
    limits.group_max = options.limits.connections_per_address.value_or(kGroupMax);
    limits.limits_loopback = options.limits.connections_per_address.has_value();
    limits.request_timeout = options.limits.request_timeout;
    limits.rate_window = options.limits.rate_window;
    std::vector<Descriptor> listeners;
    FARDEL_TRY(impl->listen(options, listeners));
    if (impl->addresses.empty())
        return Error(ErrorCode::malformed, "no address to listen on is named");
    if (impl->deltas)
        FARDEL_TRY(impl->deltas->start());
    FARDEL_TRY_ASSIGN(impl->daemon, HttpDaemon::open(std::move(listeners), limits, *impl,
                                                     {.ranges = std::move(options.trusted_proxies),
                                                      .header = std::move(options.client_header)}));
    FARDEL_TRY(impl->daemon->start());
    return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Status Server::verify_system() { return ok(); }
const std::vector<ListenAddress>& Server::addresses() const noexcept { return impl_->addresses; }
const std::optional<ListenAddress>& Server::metrics_address() const noexcept { return impl_->metrics_address; }
void Server::drain(std::chrono::milliseconds longest) { impl_->daemon->drain(longest); }

}  // namespace fardel
