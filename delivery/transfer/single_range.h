// One range of a file on a server, into memory.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/unit_transfer.h>
#include <fardel/http/range_client.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
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

// Appends what comes to `bytes`; `failure` says why it is not all of the range. Both outlive the receiver.
std::unique_ptr<RangeReceiver> make_byte_collector(std::vector<std::byte>& bytes, std::optional<Error>& failure);

// Returns the bytes of the range. If the range does not state the size of the file, the result may be shorter or empty:
// it is what the server sent. Errors: cancelled; of a range that names the size, whatever the transfer ended with.
Result<std::vector<std::byte>> fetch_range(RangeClient& client, HttpRange range, const std::stop_token& stop,
                                           TransferCounts& counts);

// Whether this error, with which a part ended that the fetch could do without, ends the whole fetch as well.
bool ends_fetch(const Error& error) noexcept;

}  // namespace fardel
