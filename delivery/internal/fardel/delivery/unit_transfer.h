// UnitTransfer: fetches units of one file, checks each, and repeats what failed, at another server if there is one.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>
#include <fardel/http/range_client.h>
#include <fardel/store/incoming_bundle.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace fardel {

// Bytes of a file that are checked and stored together.
struct FetchUnit {
    std::uint64_t offset = 0;
    std::uint32_t length_bytes = 0;
    std::optional<Hash> hash;  // nothing: whoever fetches it compares it afterwards

    std::uint64_t end() const noexcept { return offset + length_bytes; }
};

// Units that one request asks for; the bytes between them are received and discarded.
using FetchRequest = std::vector<FetchUnit>;

// `units`: by offset. Joins neighbours into requests.
std::vector<FetchRequest> make_requests(const std::vector<FetchUnit>& units);
std::uint64_t bytes_of(const FetchRequest& request) noexcept;

class UnitTransfer {
public:
    // `urls`: of the same file on several servers. `attempts_max`: of one request.
    UnitTransfer(RangeClient& client, std::vector<std::string> urls, unsigned attempts_max, IncomingBundle& incoming)
        : client_(client), urls_(std::move(urls)), attempts_max_(attempts_max), incoming_(incoming) {}

    // Receives what a server did wrong each time, before it is tried again.
    void set_fault_observer(std::function<void(const Error&)> observer) { fault_observer_ = std::move(observer); }
    // Chooses the server that is asked first; from the second round on, caches on the way are bypassed.
    void begin_round(std::size_t round) { round_ = round; }
    // The server that the latest unit came from.
    const std::string& latest_url() const noexcept { return latest_url_; }
    // Whether the server that is asked first sends the whole file for each range.
    bool asks_for_whole_files() const {
        return client_.sends_whole_files(urls_[client_.quickest(urls_, round_ % urls_.size())]);
    }
    // Writes all units to the incoming bundle. `progress`: something was received. Errors: those of all servers for
    // one request; cancelled, limit.
    Status run(std::vector<FetchRequest> requests, const std::stop_token& stop, const std::function<void()>& progress);

    // What servers did wrong, the latest of each, in their order; also if others did it right then.
    std::vector<Error> faults() const;
    // Whether some server sent bytes, or named a size, that do not fit: it may have another layout of the bundle.
    bool has_misfit() const noexcept { return has_misfit_; }
    void clear_misfit() noexcept { has_misfit_ = false; }

private:
    class Queue;
    RangeClient& client_;
    const std::vector<std::string> urls_;
    const unsigned attempts_max_;
    IncomingBundle& incoming_;
    std::size_t round_ = 0;
    std::map<std::size_t, Error> faults_;
    std::function<void(const Error&)> fault_observer_;  // empty: nothing observes
    std::string latest_url_ = urls_.front();
    bool has_misfit_ = false;
};

}  // namespace fardel
