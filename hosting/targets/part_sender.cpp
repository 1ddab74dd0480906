#include "targets/part_sender.h"

#include <fardel/base/parallel.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

namespace fardel {
namespace {

// What the threads share.
class PartSender {
public:
    PartSender(std::uint64_t file_bytes, std::uint64_t part_bytes, const SendPart& send)
        : file_bytes_(file_bytes),
          part_bytes_(part_bytes),
          send_(send),
          names_(static_cast<std::size_t>((file_bytes + part_bytes - 1) / part_bytes)),
          sent_bytes_(names_.size()) {}

    std::size_t count() const noexcept { return names_.size(); }
    void stop() { stop_.request_stop(); }

    // Sends parts until none is left. `progress`: empty on all threads but the caller's.
    // Several parts at a time, because one connection seldom fills a line. A part is read twice, for its signed hash
    // and for sending, so that memory depends neither on the size of parts nor on their number.
    void send(const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
        while (const auto part = next_part()) {
            const std::size_t index = static_cast<std::size_t>(part->number - 1);
            const auto sent = [&](std::uint64_t bytes) {
                const std::uint64_t sum = note_sent(index, bytes);
                if (progress)
                    progress(sum, file_bytes_);
            };
            auto name = send_(*part, sent, stop_.get_token());
            finish(index, std::move(name));
        }
    }

    Result<std::vector<std::string>> take_names() {
        if (failure_)
            return *std::move(failure_);
        return std::move(names_);
    }

private:
    std::optional<UploadPart> next_part() {
        const std::scoped_lock lock(mutex_);
        if (failure_ || next_ == names_.size())
            return std::nullopt;
        const std::uint64_t offset = next_ * part_bytes_;
        return UploadPart{
            .number = ++next_, .offset = offset, .length_bytes = std::min(part_bytes_, file_bytes_ - offset)};
    }

    // Returns the bytes of all parts that were sent so far.
    std::uint64_t note_sent(std::size_t index, std::uint64_t bytes) {
        const std::scoped_lock lock(mutex_);
        all_sent_bytes_ += bytes - std::exchange(sent_bytes_[index], bytes);
        return all_sent_bytes_;
    }

    void finish(std::size_t index, Result<std::string> name) {
        const std::scoped_lock lock(mutex_);
        if (name) {
            names_[index] = *std::move(name);
            return;
        }
        if (!failure_)
            failure_ = std::move(name).error();
        stop_.request_stop();
    }

    const std::uint64_t file_bytes_;
    const std::uint64_t part_bytes_;
    const SendPart& send_;
    std::stop_source stop_;
    std::mutex mutex_;
    std::size_t next_ = 0;
    std::optional<Error> failure_;
    std::vector<std::string> names_;
    std::vector<std::uint64_t> sent_bytes_;  // of each part; a part that is sent again begins at 0
    std::uint64_t all_sent_bytes_ = 0;
};

}  // namespace

Result<std::vector<std::string>> send_parts(std::uint64_t file_bytes, std::uint64_t part_bytes, const SendPart& send,
                                            const std::function<void(std::uint64_t, std::uint64_t)>& progress,
                                            const std::stop_token& stop) {
    PartSender sender(file_bytes, part_bytes, send);
    const std::stop_callback forward(stop, [&sender] { sender.stop(); });
    const auto workers = static_cast<unsigned>(std::min<std::size_t>(kPartsAtATime, sender.count()));
    run_on_threads(
        // Progress is reported by the caller's thread only, which may then draw it.
        workers, [&sender] { sender.send({}); }, [&] { sender.send(progress); });
    auto sent = sender.take_names();
    if (sent && progress)
        progress(file_bytes, file_bytes);
    return sent;
}

}  // namespace fardel
