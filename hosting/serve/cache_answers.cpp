#include "serve/cache_answers.h"

#include "serve/announced_bytes.h"
#include "serve/question_receiver.h"

#include <algorithm>
#include <string>
#include <vector>

namespace fardel {
namespace {

constexpr unsigned kQuestionsMax = 64;  // at a time
constexpr unsigned kUploadsMax = 64;
constexpr std::uint64_t kObjectBytesMax = std::uint64_t(4) << 30;

ServerAnswer refuse_cache_file(const Error& error) {
    switch (error.code()) {
        case ErrorCode::corrupt:
        case ErrorCode::malformed:
        case ErrorCode::unsupported:
        case ErrorCode::untrusted: return plain_answer(422, error.message());
        case ErrorCode::limit: return plain_answer(413, "the file is too large");
        case ErrorCode::no_space: return plain_answer(507, "the server has no room for the file");
        default: return plain_answer(500, "the server cannot write the file");
    }
}

}  // namespace

class CacheAnswers::Upload final : public BodyReceiver {
public:
    Upload(RequestSlots::Slot slot, std::unique_ptr<CacheUpload> upload)
        : slot_(std::move(slot)), upload_(std::move(upload)) {}

    std::optional<ServerAnswer> receive(std::span<const std::byte> bytes) override {
        slot_.count_received(bytes.size());
        const Status appended = upload_->append(bytes);
        return appended ? std::nullopt : std::optional(refuse_cache_file(appended.error()));
    }
    ServerAnswer finish() override {
        slot_.complete();
        const Status finished = upload_->finish();
        return finished ? plain_answer(201, "kept") : refuse_cache_file(finished.error());
    }

private:
    RequestSlots::Slot slot_;
    const std::unique_ptr<CacheUpload> upload_;
};

class CacheAnswers::Question final : public QuestionReceiver {
public:
    Question(RequestSlots::Slot slot, const ServedCache& cache, std::size_t bytes_max)
        : QuestionReceiver(bytes_max, std::move(slot)), cache_(cache) {}

private:
    ServerAnswer answer(std::span<const std::byte> bytes) override {
        const auto question = decode_cache_question(bytes);
        return question ? bytes_answer(encode_cache_answer(cache_.find_lacking(*question)))
                        : refuse_question(question.error());
    }

    const ServedCache& cache_;
};

CacheAnswers::CacheAnswers(std::unique_ptr<ServedCache> cache, std::optional<UploadTokens> tokens)
    : cache_(std::move(cache)),
      tokens_(std::move(tokens)),
      questions_(kQuestionsMax, kSlotsOfClientMax),
      uploads_(kUploadsMax, kUploadsMax) {}

std::optional<ServedCacheFile> CacheAnswers::find_file(std::string_view target) {
    return target.starts_with('/') ? ServedCache::find_file(target.substr(1)) : std::nullopt;
}

bool CacheAnswers::is_question(std::string_view target) {
    return target.starts_with('/') && target.substr(1) == kCacheQuestionPath;
}

Result<ServedFile> CacheAnswers::open(const ServedCacheFile& file) const {
    FARDEL_TRY_ASSIGN(auto source, cache_->open_file(file));
    const std::uint64_t size_bytes = source->size_bytes();
    // Records are replaced, and small: a client that has one asks for all of it.
    return ServedFile{.descriptor = {},
                      .source = std::move(source),
                      .size_bytes = size_bytes,
                      .etag = file.is_record ? "" : "\"" + file.id.hex() + "-" + std::to_string(size_bytes) + "\"",
                      .may_change = file.is_record};
}

CacheAnswers::Begun CacheAnswers::begin_upload(const ServedCacheFile& file, const ReceivedRequest& request) {
    if (!tokens_)
        return plain_answer(405, "this server takes no files");
    if (tokens_->find(request.header("Authorization")) == nullptr)
        return plain_answer(403, "writing needs a token that this server knows");
    const auto bytes = find_announced_bytes(request);
    if (!bytes)
        return plain_answer(411, "the size of the file must be announced");
    if (*bytes > kObjectBytesMax)
        return plain_answer(413, "the file is too large");
    if (request.header("If-None-Match") == "*" && cache_->has_object(file))
        return plain_answer(412, "the object is there already");
    auto slot = uploads_.acquire({std::string(request.client)}, request.end_connection, SteadyClock::now());
    if (!slot)
        return plain_answer(503, "too many requests at once; try again later");
    return std::make_unique<Upload>(*std::move(slot), cache_->begin_upload(file, *bytes));
}

CacheAnswers::Begun CacheAnswers::begin_question(const ReceivedRequest& request) {
    auto bytes = announced_question(request, kCacheQuestionBytesMax);
    if (auto* const refused = std::get_if<ServerAnswer>(&bytes))
        return std::move(*refused);
    auto slot = questions_.acquire({std::string(request.client)}, request.end_connection, SteadyClock::now());
    if (!slot)
        return plain_answer(503, "too many questions at once; read the files instead");
    return std::make_unique<Question>(*std::move(slot), *cache_, std::get<std::size_t>(bytes));
}

}  // namespace fardel
