// KeptAnswers: answers that take work, and are the same for all who ask the same. Each is made once: whoever asks
// meanwhile waits for it, and whoever asks later gets the same bytes, which are in memory once. Any thread.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace fardel {

class KeptAnswers {
public:
    // `bytes_max`: of all that is kept. Above it, what was not asked for longest is forgotten.
    explicit KeptAnswers(std::uint64_t bytes_max) : bytes_max_(bytes_max) {}

    using Make = std::function<Result<std::vector<std::byte>>()>;
    // `question`: two that are the same have the same answer. Errors: those of `make`; they are not kept.
    Result<std::shared_ptr<const ByteSource>> find_or_make(const std::string& question, const Make& make);

private:
    struct Answer {
        std::shared_ptr<const ByteSource> bytes;  // nullptr: it is being made
        std::uint64_t used = 0;                   // questions that came before its last one
    };
    void forget_surplus();

    const std::uint64_t bytes_max_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, Answer> answers_;
    std::uint64_t questions_ = 0;
};

}  // namespace fardel
