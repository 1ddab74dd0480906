// QuestionReceiver: the body of a request that asks something, collected up to its announced size and then answered.
#pragma once

#include "serve/announced_bytes.h"
#include "serve/request_slots.h"
#include "serve/server_answer.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace fardel {

inline ServerAnswer refuse_question_size() { return plain_answer(413, "the question is too large"); }

inline ServerAnswer refuse_method(std::string_view allowed) {
    ServerAnswer answer = plain_answer(405, "only " + std::string(allowed) + " is allowed here");
    answer.headers.emplace_back("Allow", allowed);
    return answer;
}

// The bytes of the question that a request announces: at most `bytes_max`, sent with POST. Otherwise the answer.
inline std::variant<ServerAnswer, std::size_t> announced_question(const ReceivedRequest& request,
                                                                  std::size_t bytes_max) {
    if (request.method != "POST")
        return refuse_method("POST");
    const auto bytes = find_announced_bytes(request);
    if (!bytes)
        return plain_answer(411, "the size of the question must be announced");
    if (*bytes > bytes_max)
        return refuse_question_size();
    return static_cast<std::size_t>(*bytes);
}

class QuestionReceiver : public BodyReceiver {
public:
    // `slot`: nothing: their number is not limited here.
    explicit QuestionReceiver(std::size_t bytes_max, std::optional<RequestSlots::Slot> slot = std::nullopt)
        : bytes_max_(bytes_max), slot_(std::move(slot)) {}

    std::optional<ServerAnswer> receive(std::span<const std::byte> bytes) final {
        if (bytes.size() > bytes_max_ - question_.size())
            return refuse_question_size();
        if (slot_)
            slot_->count_received(bytes.size());
        question_.insert(question_.end(), bytes.begin(), bytes.end());
        return std::nullopt;
    }
    ServerAnswer finish() final {
        if (slot_)
            slot_->complete();
        return answer(question_);
    }
    bool is_question() const noexcept override { return true; }

private:
    virtual ServerAnswer answer(std::span<const std::byte> question) = 0;

    const std::size_t bytes_max_;
    std::optional<RequestSlots::Slot> slot_;
    std::vector<std::byte> question_;
};

// For a question that cannot be decoded.
inline ServerAnswer refuse_question(const Error& error) {
    return plain_answer(error.code() == ErrorCode::limit ? 413 : 400, error.message());
}

// Caches do not keep it.
inline ServerAnswer bytes_answer(std::span<const std::byte> bytes) {
    return {.status = 200,
            .headers = {{"Content-Type", "application/octet-stream"}, {"Cache-Control", "no-store"}},
            .body = std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())};
}

}  // namespace fardel
