#include "serve/project_answers.h"

#include "delta/table_segments.h"
#include "serve/question_receiver.h"

#include <fardel/base/byte_reader.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/format/bundle.h>

#include <string>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::string_view kProjectFolder = "/project/";
constexpr unsigned kProjectQuestionsMax = 8;  // at a time
constexpr unsigned kProjectQuestionsOfClientMax = 2;
constexpr int kProjectTablesEffort = 5;
constexpr std::uint64_t kKeptTablesBytesMax = 64u << 20;
// Bytes of tables that are compressed or compared: some tenths of one core at most, whoever asks for what.
constexpr std::uint64_t kTablesWorkSaved = 256u << 20;
constexpr std::uint64_t kTablesWorkPerSecond = 16u << 20;

class LiveFiles final : public ServedFiles {
public:
    LiveFiles(const LiveBundle& bundle, std::unique_ptr<ServedFiles> others)
        : bundle_(bundle), others_(std::move(others)) {}

    Result<ServedFile> open(const RequestedFile& file) const override {
        auto source = file.kind == RequestedFileKind::bundle ? bundle_.find(file.bundle) : nullptr;
        if (!source && others_)
            return others_->open(file);
        if (!source)
            return Error(ErrorCode::missing, "not a root of the project");
        const std::uint64_t size_bytes = source->size_bytes();
        return ServedFile{.descriptor = {},
                          .source = std::move(source),
                          .size_bytes = size_bytes,
                          .etag = "\"" + file.bundle.hex() + "-" + std::to_string(size_bytes) + "\""};
    }

private:
    const LiveBundle& bundle_;
    const std::unique_ptr<ServedFiles> others_;
};

}  // namespace

std::unique_ptr<ServedFiles> serve_live_bundle(const LiveBundle& bundle, std::unique_ptr<ServedFiles> others) {
    return std::make_unique<LiveFiles>(bundle, std::move(others));
}

// Takes 64 bytes: the root that is wanted, and the one that is held.
class ProjectAnswers::TablesQuestionReceiver final : public QuestionReceiver {
public:
    TablesQuestionReceiver(ProjectAnswers& answers, RequestSlots::Slot slot)
        : QuestionReceiver(kProjectQuestionBytes, std::move(slot)), answers_(answers) {}

private:
    ServerAnswer answer(std::span<const std::byte> question) override {
        if (question.size() != kProjectQuestionBytes)
            return plain_answer(400, "a question has two bundle ids");
        ByteReader reader(question);
        const auto wanted = reader.fixed<BundleId>();
        auto held = reader.fixed<BundleId>();
        if (!answers_.bundle_.find(wanted))
            return plain_answer(404, "not a root of the project");
        if (!answers_.bundle_.find(held))
            held = {};  // whatever else the client has, the answer is the same
        auto tables = answers_.tables_.find_or_make(wanted.hex() + held.hex(), [&] { return make(wanted, held); });
        if (!tables)
            return tables.error().code() == ErrorCode::busy
                       ? plain_answer(503, "too much work at once; read the tables from the bundle file")
                       : plain_answer(404, "the tables are read from the bundle file");
        const std::uint64_t size_bytes = (*tables)->size_bytes();
        return {.status = 200,
                .headers = {{"Content-Type", "application/octet-stream"}, {"Cache-Control", "no-store"}},
                .body = ServedPart{.file = {.source = *std::move(tables), .size_bytes = size_bytes},
                                   .length_bytes = size_bytes}};
    }

    Result<std::vector<std::byte>> make(const BundleId& wanted, const BundleId& held) const {
        const auto target = open_root(wanted);
        const auto old = open_root(held);
        if (!target)
            return Error(ErrorCode::missing, "not a root of the project");
        const std::uint64_t size_bytes = new_tables_of(*target).size_bytes();
        if (size_bytes > kProjectTablesBytesMax)
            return Error(ErrorCode::limit, "more than 32 MiB");
        const std::uint64_t old_bytes = old ? new_tables_of(*old).size_bytes() : 0;
        if (!answers_.work_.try_spend(size_bytes + old_bytes, SteadyClock::now()))
            return Error(ErrorCode::busy, "too much work at once");
        return make_tables_delta(old.get(), *target, kProjectTablesEffort);
    }

    // nullptr: it is not here.
    std::shared_ptr<const Bundle> open_root(const BundleId& root) const {
        auto source = answers_.bundle_.find(root);
        if (!source)
            return nullptr;
        auto bundle = Bundle::open(std::move(source), {});
        return bundle ? *std::move(bundle) : nullptr;
    }

    ProjectAnswers& answers_;
};

ProjectAnswers::ProjectAnswers(const LiveBundle& bundle)
    : bundle_(bundle),
      questions_(kProjectQuestionsMax, kProjectQuestionsOfClientMax),
      tables_(kKeptTablesBytesMax),
      work_(kTablesWorkSaved, kTablesWorkPerSecond, SteadyClock::now()) {}

bool ProjectAnswers::is_asked(std::string_view target) noexcept { return target.starts_with(kProjectFolder); }

ServerAnswer ProjectAnswers::answer_head(const ReceivedRequest& request) const {
    const auto head = bundle_.head();
    if (!head)
        return plain_answer(503, "the project could not be read yet");
    // Clients ask for the head every few seconds instead of waiting for a change: a waiting question would hold a
    // thread.
    const std::string etag = "\"" + head->hex() + "\"";
    ServerAnswer answer;
    answer.headers = {{"Cache-Control", "no-cache"}, {"ETag", etag}};
    if (request.header("If-None-Match") == etag) {
        answer.status = 304;
        return answer;
    }
    answer.headers.emplace_back("Content-Type", "text/plain; charset=utf-8");
    answer.body = head->hex() + "\n";
    return answer;
}

std::variant<ServerAnswer, std::unique_ptr<BodyReceiver>> ProjectAnswers::begin(const ReceivedRequest& request) {
    const std::string_view path = request.target.substr(1);
    if (path == kProjectHeadPath)
        return request.method == "GET" || request.method == "HEAD" ? answer_head(request) : refuse_method("GET");
    if (path != kProjectTablesPath)
        return plain_answer(404, "there is no such file");
    if (request.method != "POST")
        return refuse_method("POST");
    if (find_announced_bytes(request) != kProjectQuestionBytes)
        return plain_answer(400, "a question has two bundle ids");
    auto slot = questions_.acquire({std::string(request.client)}, request.end_connection, SteadyClock::now());
    if (!slot)
        return plain_answer(503, "too many questions at once; ask later");
    return std::make_unique<TablesQuestionReceiver>(*this, *std::move(slot));
}

}  // namespace fardel
