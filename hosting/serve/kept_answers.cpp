#include "serve/kept_answers.h"

#include <utility>

namespace fardel {

Result<std::shared_ptr<const ByteSource>> KeptAnswers::find_or_make(const std::string& question, const Make& make) {
    {
        std::unique_lock lock(mutex_);
        for (;;) {
            const auto [found, is_new] = answers_.try_emplace(question);
            if (is_new)
                break;
            if (found->second.bytes) {
                found->second.used = ++questions_;
                return found->second.bytes;
            }
            // If it could not be made, the next one tries, whose reason to fail may be another one.
            changed_.wait(lock);
        }
    }
    auto made = make();
    const std::scoped_lock lock(mutex_);
    changed_.notify_all();
    if (!made) {
        answers_.erase(question);
        return std::move(made).error();
    }
    Answer& answer = answers_.at(question);
    answer = {.bytes = make_memory_source(*std::move(made)), .used = ++questions_};
    auto bytes = answer.bytes;
    forget_surplus();
    return bytes;
}

void KeptAnswers::forget_surplus() {
    for (;;) {
        std::uint64_t bytes = 0;
        auto oldest = answers_.end();
        for (auto one = answers_.begin(); one != answers_.end(); ++one) {
            if (!one->second.bytes)
                continue;
            bytes += one->second.bytes->size_bytes();
            if (oldest == answers_.end() || one->second.used < oldest->second.used)
                oldest = one;
        }
        if (bytes <= bytes_max_)
            return;
        answers_.erase(oldest);
    }
}

}  // namespace fardel
