// UnitRequests: units of one file that are requested from servers, for many threads: a unit that several want is
// requested once. What comes is kept.
#pragma once

#include "remote/kept_bytes.h"
#include "remote/server_queue.h"

#include <fardel/base/result.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fardel {

class UnitRequests {
public:
    using Bytes = std::shared_ptr<const std::vector<std::byte>>;
    struct Received {
        Bytes bytes;
        std::uint64_t file_bytes = 0;  // as the server reports it
    };

    // `urls`: of the file on several servers, at least one.
    UnitRequests(std::unique_ptr<KeptBytes> kept, std::shared_ptr<ServerQueue> queue, std::vector<std::string> urls);

    KeptBytes& kept() const noexcept;
    // `bring`: called before a block is requested; it may write the block to what is kept. Any thread.
    using Bring = std::function<void(const ServerUnit& block)>;
    void bring_blocks(Bring bring) { bring_ = std::move(bring); }

    // Fetches bytes that nothing proves yet from one server, and keeps nothing. `file_bytes`: that the file must have.
    // Errors: those of the server, cancelled.
    Result<Received> fetch_unproved(std::size_t server, std::uint64_t offset, std::uint32_t length_bytes,
                                    std::optional<std::uint64_t> file_bytes) const;
    // From now on, this server is asked first, and the file must have this size.
    void prefer(std::size_t server, std::uint64_t file_bytes);

    // Returns the bytes of the needed units, by offset, and requests the others with them without waiting for these.
    // Errors: those of the servers; unreachable also if the file has vanished from them; cancelled.
    Result<std::map<std::uint64_t, Bytes>> obtain(const std::vector<ServerUnit>& needed,
                                                  const std::vector<ServerUnit>& also) const;
    // Requests units that nobody waits for.
    void request(std::vector<ServerUnit> units, RequestPriority priority) const;
    // Waits until nothing is under way, so that nothing is written to what is kept.
    void wait_until_idle() const;

private:
    struct State;
    class Flight;
    struct Started {
        std::shared_ptr<Flight> flight;
        std::vector<ServerUnit> units;
    };
    std::vector<Started> start(std::vector<ServerUnit> units, std::uint64_t request_bytes_max) const;
    void submit(std::vector<Started> started, RequestPriority priority) const;

    const std::shared_ptr<State> state_;
    const std::shared_ptr<ServerQueue> queue_;
    Bring bring_;
    std::shared_ptr<const std::vector<std::string>> urls_;
    std::optional<std::uint64_t> file_bytes_;
};

}  // namespace fardel
