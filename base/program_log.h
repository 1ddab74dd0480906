// ProgramLog: keeps the beginning and the end of what a program writes.
#pragma once

#include <fardel/base/confined_program.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fardel {

class ProgramLog {
public:
    void add(std::string_view text) {
        const std::size_t to_head = std::min(text.size(), kLogHeadBytes - head_.size());
        head_ += text.substr(0, to_head);
        tail_ += text.substr(to_head);
        if (tail_.size() > 4 * kLogTailBytes)
            cut_tail();
    }
    std::string finish() {
        if (tail_.size() > kLogTailBytes)
            cut_tail();
        return head_ + (dropped_ == 0 ? "" : "\n[… " + std::to_string(dropped_) + " bytes left out …]\n") + tail_;
    }

private:
    static constexpr std::size_t kLogTailBytes = 16u << 10;
    static constexpr std::size_t kLogNoteBytes = 100;
    static constexpr std::size_t kLogHeadBytes = kLogBytesMax - kLogTailBytes - kLogNoteBytes;

    void cut_tail() {
        dropped_ += tail_.size() - kLogTailBytes;
        tail_.erase(0, tail_.size() - kLogTailBytes);
    }
    std::string head_;
    std::string tail_;
    std::uint64_t dropped_ = 0;
};

}  // namespace fardel
