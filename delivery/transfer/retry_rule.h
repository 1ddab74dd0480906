// RetryRule: whether and when a request that failed is sent again. Values; no I/O.
#pragma once

#include <fardel/base/result.h>

#include <chrono>
#include <cstddef>
#include <optional>

namespace fardel {

struct RetryRule {
    std::size_t servers = 1;    // that have the same file; attempt n goes to server n modulo this
    unsigned attempts_max = 1;  // of one request

    // `failed`: attempts that failed one after the other, at least 1. Returns nothing if the error is final.
    std::optional<std::chrono::milliseconds> find_wait(ErrorCode code, unsigned failed) const noexcept;
};

}  // namespace fardel
