// RequestServer: which of several servers that have the same file a request goes to: the next one after each failure,
// the quickest one as far as that is known, and during a transfer another one that would send the rest sooner.
#pragma once

#include <fardel/http/range_client.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace fardel {

class RequestServer {
public:
    // Chooses for the next transfer, and sets the URLs of `range`. `first`: the server of the first attempt; those
    // before it were of no use, and are asked only after failures.
    void choose(const RangeClient& client, const std::vector<std::string>& urls, std::size_t first, HttpRange& range);
    // The transfer ended because of RangeReceiver::leave_for(). Each server is left at most kLeavesMax times for one
    // request, so what comes twice is bounded whatever servers do.
    void leave_for(std::size_t other) noexcept;
    void fail() noexcept;
    // The server sends right bytes: failures before that do not count.
    void forget_failures() noexcept { attempt_ = 0; }

    unsigned attempt() const noexcept { return attempt_; }  // failures one after the other
    std::size_t index() const noexcept { return index_; }   // of the server that was chosen last

private:
    unsigned attempt_ = 0;
    unsigned leaves_ = 0;
    std::size_t servers_ = 1;
    std::size_t index_ = 0;
    std::optional<std::size_t> sooner_;  // where the request goes on
};

inline constexpr unsigned kLeavesMax = 2;

}  // namespace fardel
