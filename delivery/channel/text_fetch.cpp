#include "text_fetch.h"

#include "transfer/single_range.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace fardel {
namespace {

// A file whose size the server says.
class WholeText final : public RangeReceiver {
public:
    WholeText(FetchedText& outcome, std::chrono::seconds& asked_wait, std::size_t bytes_max)
        : outcome_(outcome), asked_wait_(asked_wait), bytes_max_(bytes_max) {}

    Status begin(std::uint64_t file_bytes) override {
        if (file_bytes > bytes_max_)
            return Error(ErrorCode::limit, "has " + std::to_string(file_bytes) + " bytes, at most " +
                                               std::to_string(bytes_max_) + " allowed");
        file_bytes_ = file_bytes;
        return ok();
    }
    Status receive(std::span<const std::byte> bytes) override {
        outcome_.text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return ok();
    }
    void retry_after(std::chrono::seconds wait) override { asked_wait_ = wait; }
    void end(Status result) override {
        if (!result && file_bytes_ != outcome_.text.size())
            outcome_.failure = std::move(result).error();
    }

private:
    FetchedText& outcome_;
    std::chrono::seconds& asked_wait_;
    std::size_t bytes_max_;
    std::optional<std::uint64_t> file_bytes_;
};

}  // namespace

Result<FetchedText> fetch_text(RangeClient& client, const std::string& url, std::size_t bytes_max,
                               const std::stop_token& stop, bool bypasses_caches) {
    // A server that is busy now is asked again when it wants to be; one that does not answer would cost its time limit.
    const SteadyTime patient_until = SteadyClock::now() + kOptionalPatience;
    for (unsigned attempt = 1;; ++attempt) {
        FetchedText fetched;
        std::chrono::seconds asked_wait{1};
        SingleRange queue(
            {{.url = url, .offset = 0, .length_bytes = bytes_max, .file_bytes = {}, .bypasses_caches = bypasses_caches},
             std::make_unique<WholeText>(fetched, asked_wait, bytes_max)});
        FARDEL_TRY(client.run(queue, stop));
        const SteadyTime again = SteadyClock::now() + asked_wait;
        if (!fetched.failure || fetched.failure->code() != ErrorCode::busy || attempt == kOptionalAttempts ||
            again > patient_until)
            return fetched;
        FARDEL_TRY(wait_until(again, stop));
    }
}

}  // namespace fardel
