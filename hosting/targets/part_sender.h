// Sends the parts of one file, a few at a time. The first part that fails ends all.
#pragma once

#include <fardel/base/result.h>
#include <fardel/hosting/tree_target.h>

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace fardel {

inline constexpr unsigned kPartsAtATime = 4;

struct UploadPart {
    std::uint64_t number = 0;  // from 1
    std::uint64_t offset = 0;
    std::uint64_t length_bytes = 0;
};

// Sends one part, and returns what the receiver calls it. Called by several threads at once; it keeps no part in
// memory, and ends soon when it is asked to stop. `sent` takes the bytes of this part that were sent so far.
using SendPart = std::function<Result<std::string>(
    const UploadPart& part, const std::function<void(std::uint64_t bytes)>& sent, const std::stop_token& stop)>;

// Returns what the receiver calls the parts, in their order. All threads have ended when it returns. `progress` is
// called on the caller's thread only; it may be empty. Errors: that of the first part that failed; cancelled.
Result<std::vector<std::string>> send_parts(std::uint64_t file_bytes, std::uint64_t part_bytes, const SendPart& send,
                                            const std::function<void(std::uint64_t, std::uint64_t)>& progress,
                                            const std::stop_token& stop);

}  // namespace fardel
