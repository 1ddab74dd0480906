// One range of a file on a server, into memory.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/unit_transfer.h>
#include <fardel/http/range_client.h>

#include <cstddef>
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
    std::vector<std::byte> bytes;
    std::optional<Error> failure{};         // why it is not all of the range
    std::optional<std::size_t> left_for{};  // RangeReceiver::leave_for()
};

// `collected` outlives the receiver.
std::unique_ptr<RangeReceiver> make_byte_collector(CollectedRange& collected);

// Returns the URL, and those of the same file in the other trees.
std::vector<std::string> urls_in(std::span<const std::string> trees, const std::string& url);

// Returns the bytes of the range, which are those of the same file in another of the trees if that sends them sooner.
// If the range does not state the size of the file, the result may be shorter or empty: it is what the server sent.
// Errors: cancelled; of a range that names the size, whatever the transfer ended with.
Result<std::vector<std::byte>> fetch_range(RangeClient& client, std::span<const std::string> trees, HttpRange range,
                                           const std::stop_token& stop, TransferCounts& counts);

// Whether this error, with which a part ended that the fetch could do without, ends the whole fetch as well.
bool ends_fetch(const Error& error) noexcept;

}  // namespace fardel
