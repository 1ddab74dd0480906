// RequestServer: which of several servers that have the same file a request goes to, and whether and when it goes to
// another one, or again to the same one, after a failure: one that has not failed in this run before those that have,
// the quickest one as far as that is known, and during a transfer another one that would send the rest sooner.
//
// It remembers what each server answered, so the error in the end names all of them. Time is an argument.
#pragma once

#include <fardel/base/clock.h>
#include <fardel/base/result.h>
#include <fardel/http/range_client.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fardel {

class RequestServer {
public:
    // `attempts_max`: failures in a row, of all servers together; only servers that were not asked yet are asked after
    // so many.
    explicit RequestServer(unsigned attempts_max = 1) : attempts_max_(attempts_max) {}

    // Chooses for the next transfer, and sets the URLs of `range`. `first`: the server of the first attempt; those
    // before it were of no use, and are asked only after failures.
    void choose(const RangeClient& client, const std::vector<std::string>& urls, std::size_t first, HttpRange& range);
    // The transfer ended because of RangeReceiver::leave_for(). Each server is left at most kLeavesMax times for one
    // request, so what comes twice is bounded whatever servers do.
    void leave_for(std::size_t other) noexcept;
    // The transfer has received so many bytes that were missing and, before them, so many that were not. If they are
    // enough to get to the end that way, earlier failures do not count, and the next attempt is at the same server.
    void note_progress(std::uint64_t useful_bytes, std::uint64_t useless_bytes) noexcept;
    // The transfer failed. Returns how long to wait before the next one; nothing: the request has failed.
    // `asked_wait`: what the server wants, already bounded.
    std::optional<std::chrono::milliseconds> fail(Error error, std::chrono::seconds asked_wait, SteadyTime now);

    unsigned attempt() const noexcept { return attempt_; }  // failures one after the other
    std::size_t index() const noexcept { return index_; }   // of the server that was chosen last
    // After fail(): the error of the last transfer, and what the other servers did, each with its URL.
    Error failure() const;

private:
    struct Server {
        unsigned failures = 0;  // one after the other
        bool is_final = false;  // it will give the same answer again
        bool is_suspect = false;
        SteadyTime not_before{};
        std::optional<Error> error;
    };
    std::optional<std::chrono::milliseconds> choose_next(SteadyTime now);

    unsigned attempts_max_;
    unsigned attempt_ = 0;
    unsigned leaves_ = 0;
    std::vector<Server> servers_;
    std::size_t index_ = 0;
    std::vector<std::size_t> others_;    // that the transfer may be left for
    bool has_progressed_ = false;        // in the latest transfer
    std::optional<std::size_t> next_;    // after a failure
    std::optional<std::size_t> sooner_;  // where the request goes on
};

inline constexpr unsigned kLeavesMax = 2;

// So many bytes are progress: a connection that breaks again and again does not end a transfer that goes on. It takes
// less time to send nothing at all, or just more than the limit below which a transfer stalls.
inline constexpr std::uint64_t kProgressBytes = 4096;

}  // namespace fardel
