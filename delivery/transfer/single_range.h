// One range of a file on servers, into memory.
#pragma once

#include <fardel/base/clock.h>
#include <fardel/base/result.h>
#include <fardel/http/range_client.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace fardel {

// A queue of one transfer.
class SingleRange final : public RangeQueue {
public:
    explicit SingleRange(RangeJob job) : job_(std::move(job)) {}
    std::optional<RangeJob> next() override { return std::exchange(job_, std::nullopt); }

private:
    std::optional<RangeJob> job_;
};

// What came of one range.
struct CollectedRange {
    std::vector<std::byte> bytes;               // fewer than the range has only if the file ends there
    std::optional<std::uint64_t> file_bytes{};  // as the server reports it
    std::optional<Error> failure{};             // why it is not all of that
    std::size_t server = 0;                     // which of the URLs sent it
    std::optional<std::size_t> left_for{};      // RangeReceiver::leave_for()
    std::chrono::seconds asked_wait{0};         // RangeReceiver::retry_after()
};

// `collected` outlives the receiver. What comes is added to its bytes.
std::unique_ptr<RangeReceiver> make_byte_collector(CollectedRange& collected);

// Returns the URL, and those of the same file in the other trees.
std::vector<std::string> urls_in(std::span<const std::string> trees, const std::string& url);

// What a fetch can do without is asked for again so many times, and for half a minute: a server that hangs will hang
// for what is needed, too.
inline constexpr unsigned kOptionalAttempts = 4;
inline constexpr std::chrono::seconds kOptionalPatience{30};

// Whether what was received is of use. Otherwise the server has failed, and another one is asked.
using AcceptBytes = std::function<bool(std::span<const std::byte>)>;

// Fetches a range that the caller can do without, from the first of the URLs, or from one that has not failed, or that
// sends it sooner; after a failure it goes on there, or begins at another one: bytes of several servers are not mixed.
// The range need not name the size of the file.
// Errors: cancelled, limit (RangeClientOptions::received_bytes_max). What the servers do wrong is
// CollectedRange::failure; there are no bytes then.
Result<CollectedRange> fetch_range(RangeClient& client, const std::vector<std::string>& urls, HttpRange range,
                                   unsigned attempts_max, const std::stop_token& stop, const AcceptBytes& accept = {});

// Waits. Error: cancelled.
Status wait_until(SteadyTime time, const std::stop_token& stop);

// Whether this error, with which a part ended that the fetch could do without, ends the whole fetch as well.
bool ends_fetch(const Error& error) noexcept;

}  // namespace fardel
