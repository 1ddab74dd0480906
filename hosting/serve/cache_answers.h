// CacheAnswers: serves the folder of a derived-data cache: its records and objects, what clients with a token send, and
// questions which of many it lacks (<fardel/cache/cache_question.h>). Any thread.
#pragma once

#include "serve/request_slots.h"
#include "serve/served_files.h"
#include "serve/server_answer.h"
#include "serve/upload_tokens.h"

#include <fardel/base/result.h>
#include <fardel/cache/served_cache.h>

#include <memory>
#include <optional>
#include <utility>
#include <variant>

namespace fardel {

class CacheAnswers {
public:
    using Begun = std::variant<ServerAnswer, std::unique_ptr<BodyReceiver>>;

    // `tokens`: nothing: nobody may write.
    CacheAnswers(std::unique_ptr<ServedCache> cache, std::optional<UploadTokens> tokens);

    static std::optional<ServedCacheFile> find_file(std::string_view target);
    static bool is_question(std::string_view target);

    // Errors: missing; others of the disk, which the client does not learn.
    Result<ServedFile> open(const ServedCacheFile& file) const;
    Begun begin_upload(const ServedCacheFile& file, const ReceivedRequest& request);
    Begun begin_question(const ReceivedRequest& request);

private:
    class Upload;
    class Question;

    const std::unique_ptr<ServedCache> cache_;
    const std::optional<UploadTokens> tokens_;
    RequestSlots questions_;
    RequestSlots uploads_;  // apart, so that who may write does not wait for who may only ask
};

}  // namespace fardel
