// RemoteProject: docs/development.md shows its use, docs/serving.md has what the server answers.
#include "remote/kept_bytes.h"
#include "remote/remote_closure.h"
#include "remote/remote_file.h"

#include <fardel/delivery/delta_tables.h>
#include <fardel/delivery/remote_bundle.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/format/bundle.h>
#include <fardel/format/byte_source.h>
#include <fardel/http/http_connection.h>
#include <fardel/http/range_client.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

constexpr HttpTimeouts kProjectTimeouts{.connect = std::chrono::seconds(3), .stall = std::chrono::seconds(10)};
constexpr std::size_t kHeadAnswerBytesMax = 4096;

// The text of /project/head: the digits of an id, and a line feed.
Result<BundleId> parse_project_head(const std::vector<std::byte>& body, const std::string& url) {
    std::string_view text(reinterpret_cast<const char*>(body.data()), body.size());
    if (text.ends_with('\n'))
        text.remove_suffix(1);
    auto id = BundleId::parse(text);
    if (!id)
        return Error(ErrorCode::malformed, url + ": the answer is no bundle id; is it 'fardel serve --project'?");
    return *id;
}

std::vector<std::byte> question_of(const BundleId& wanted, const BundleId& held) {
    std::vector<std::byte> question;
    for (const BundleId* const id : {&wanted, &held})
        for (const std::uint8_t byte : id->bytes)
            question.push_back(static_cast<std::byte>(byte));
    return question;
}

}  // namespace

struct RemoteProject::Impl {
    const BundleStore& store;
    const RemoteServers& servers;
    const RemoteProjectOptions options;
    std::string tree;
    ServerRule rule;
    HttpConnection http;
    std::shared_ptr<const RemoteBundle> root;  // nullptr: none yet
    std::vector<RemoteMount> shown;            // what poll() returned last; empty: nothing yet
    std::uint64_t received_bytes = 0;

    bool is_shown(const BundleId& id) const { return !shown.empty() && shown.back().bundle == id; }

    // Nothing: still the root that was shown.
    Result<std::optional<BundleId>> ask_head(const std::stop_token& stop) {
        HttpRequest request{.url = tree + "/" + std::string(kProjectHeadPath),
                            .answer_bytes_max = kHeadAnswerBytesMax,
                            .servers = rule};
        if (!shown.empty())
            request.headers.push_back("If-None-Match: \"" + shown.back().bundle.hex() + "\"");
        FARDEL_TRY_ASSIGN(const HttpAnswer answer, http.perform(request, stop));
        received_bytes += answer.body.size();
        if (answer.status == 304 && !shown.empty())
            return std::optional<BundleId>();
        if (answer.status == 503)
            return Error(ErrorCode::busy, request.url + ": the server has no root of the project yet");
        if (answer.status != 200)
            return HttpConnection::status_error(answer, request.url);
        FARDEL_TRY_ASSIGN(const BundleId id, parse_project_head(answer.body, request.url));
        return is_shown(id) ? std::nullopt : std::optional(id);
    }

    // Brings the tables of a root, from which the bundle is opened then. If the server does not give them, or gives
    // wrong ones, they come page by page. `held`: nullptr if not all of its tables are here.
    void ask_tables(const BundleId& wanted, const Bundle* held, const std::stop_token& stop) {
        const auto question = make_memory_source(question_of(wanted, held ? held->id() : BundleId{}));
        auto answer = http.perform({.method = "POST",
                                    .url = tree + "/" + std::string(kProjectTablesPath),
                                    .headers = {"Content-Type: application/octet-stream"},
                                    .body = question.get(),
                                    .body_bytes = question->size_bytes(),
                                    .answer_bytes_max = kProjectTablesBytesMax + (64u << 10),
                                    .servers = rule},
                                   stop);
        if (!answer || answer->status != 200)
            return;
        received_bytes += answer->body.size();
        static_cast<void>(keep_tables(wanted, held, std::move(answer->body)));
    }

    // Pages are compared when they are read.
    Result<bool> keep_tables(const BundleId& wanted, const Bundle* held, std::vector<std::byte> answer) const {
        const auto delta = make_memory_source(std::move(answer));
        FARDEL_TRY_ASSIGN(const DeltaFront front, open_delta_front(*delta));
        if (front.head.new_bundle != wanted)
            return Error(ErrorCode::corrupt, "the tables are those of another bundle");
        FARDEL_TRY_ASSIGN(const auto kept, KeptBytes::open(store, wanted));
        if (kept->file_bytes())
            return false;  // it was read before
        return place_delta_tables(
            held, front, *delta, kProjectTablesBytesMax,
            {.set_file_bytes = [&](std::uint64_t file_bytes) { return kept->set_file_bytes(file_bytes); },
             .write =
                 [&](std::uint64_t offset, std::span<const std::byte> part) {
                     kept->write(offset, part);
                     return ok();
                 }});
    }

    Status open_root(const BundleId& id, const std::stop_token& stop) {
        if (root && root->id() == id)
            return ok();  // a dependency could not be opened then
        const bool holds_tables = root && old_tables_of(*root->bundle_).is_held_by(*root->source());
        ask_tables(id, holds_tables ? root->bundle_.get() : nullptr, stop);
        // From now on, the store finds the blocks of the root before by their hashes.
        if (holds_tables)
            static_cast<void>(root->leave_to_store());
        FARDEL_TRY_ASSIGN(root, RemoteBundle::open(store, servers, id, options.policy, options.time, options.library));
        return ok();
    }

    Result<std::vector<RemoteMount>> open_closure() const {
        RemoteClosure closure(store, servers, options);
        for (const RemoteMount& mount : shown)
            closure.add_open(mount);
        closure.add_open({.bundle = root->id(), .source = root->source(), .remote = root});
        return closure.open(root->id());
    }
};

RemoteProject::RemoteProject(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RemoteProject::~RemoteProject() = default;
RemoteProject::RemoteProject(RemoteProject&&) noexcept = default;

Result<RemoteProject> RemoteProject::open(const BundleStore& store, const RemoteServers& servers,
                                          RemoteProjectOptions options) {
    FARDEL_TRY_ASSIGN(HttpConnection http, HttpConnection::open(NoCredentials{}, kProjectTimeouts));
    return RemoteProject(std::unique_ptr<Impl>(new Impl{.store = store,
                                                        .servers = servers,
                                                        .options = std::move(options),
                                                        .tree = servers.trees_.front(),
                                                        .rule = servers.connections_->servers,
                                                        .http = std::move(http),
                                                        .root = nullptr,
                                                        .shown = {}}));
}

Result<std::vector<RemoteMount>> RemoteProject::poll(const std::stop_token& stop) {
    FARDEL_TRY_ASSIGN(const auto id, impl_->ask_head(stop));
    if (!id)
        return std::vector<RemoteMount>();
    FARDEL_TRY(impl_->open_root(*id, stop));
    // A root comes with all that it needs, and is shown in one step: mounted one by one, a look-up in between would
    // find a new root with an old dependency.
    FARDEL_TRY_ASSIGN(impl_->shown, impl_->open_closure());
    return impl_->shown;
}

std::uint64_t RemoteProject::received_bytes() const noexcept { return impl_->received_bytes; }

}  // namespace fardel
