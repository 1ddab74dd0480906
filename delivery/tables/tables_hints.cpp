#include "tables/tables_hints.h"

#include <fardel/format/byte_source.h>
#include <fardel/http/http_connection.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kWorthAsking = 3;  // bundles: each costs two round trips without an answer

std::vector<BundleId> ascending(std::vector<BundleId> ids, std::size_t count_max) {
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    ids.resize(std::min(ids.size(), count_max));
    return ids;
}

}  // namespace

Status TablesHints::expect(std::span<const BundleId> next, const std::stop_token& stop) {
    bool has_new = false;
    for (const BundleId& id : next)
        if (!held_.contains(id) && !hints_.contains(id) && known_.insert(id).second)
            has_new = ahead_.insert(id).second;
    if (asked_ || !has_new || known_.size() < kWorthAsking)
        return ok();
    asked_ = true;
    return ask({.wanted = ascending({ahead_.begin(), ahead_.end()}, kWantedMax),
                .held = ascending({held_.begin(), held_.end()}, kHeldMax)},
               stop);
}

Status TablesHints::ask(const TablesQuestion& question, const std::stop_token& stop) {
    auto connection = HttpConnection::open(NoCredentials{}, {});
    if (!connection)
        return ok();
    const auto body = make_memory_source(encode_question(question));
    auto answer = connection->perform({.method = "POST",
                                       .url = trees_.front() + "/" + std::string(kTablesQuestionPath),
                                       .headers = {"Content-Type: application/octet-stream", "Expect:"},
                                       .body = body.get(),
                                       .body_offset = 0,
                                       .body_bytes = body->size_bytes(),
                                       .answer_bytes_max = kTablesAnswerBytesMax,
                                       .progress = {},
                                       .servers = servers_},
                                      stop);
    if (!answer)
        return answer.error().code() == ErrorCode::cancelled ? Status(std::move(answer).error()) : ok();
    constexpr long kOk = 200;
    if (answer->status != kOk)
        return ok();
    answer_ = std::move(answer->body);
    const auto decoded = decode_answer(answer_);
    if (!decoded)
        return ok();
    for (const AnsweredTables& tables : *decoded)
        hints_.emplace(tables.bundle, tables);
    return ok();
}

std::optional<AnsweredTables> TablesHints::enter(const BundleId& bundle) {
    ahead_.erase(bundle);
    const auto found = hints_.find(bundle);
    return found == hints_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace fardel
