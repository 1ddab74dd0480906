// ServerMetrics: what a server counts, in the text format of Prometheus. Any thread.
#pragma once

#include "serve/connection_table.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

namespace fardel {

class ServerMetrics {
public:
    // `status`: 0 if the connection ended before there was an answer.
    void count_request(unsigned status, std::uint64_t body_bytes, bool is_complete,
                       std::uint64_t microseconds) noexcept;
    std::string format(const ConnectionCounts& connections, std::uint64_t dropped_log_lines) const;

private:
    static constexpr std::size_t kStatuses = 600;
    std::array<std::atomic<std::uint64_t>, kStatuses> requests_{};  // by status
    std::atomic<std::uint64_t> body_bytes_ = 0;
    std::atomic<std::uint64_t> broken_answers_ = 0;
    std::atomic<std::uint64_t> microseconds_ = 0;
};

}  // namespace fardel
