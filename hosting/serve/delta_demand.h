// DeltaDemand: which deltas clients had a use for, and which of them the server has made. Counts are bounded, whatever
// clients ask for. One thread.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct DeltaPair {
    BundleId old_bundle;
    BundleId new_bundle;
    friend auto operator<=>(const DeltaPair&, const DeltaPair&) = default;
};

inline constexpr std::size_t kDemandedPairsMax = 4096;
inline constexpr std::uint64_t kDemandWorthMaking = 3;    // requests
inline constexpr std::size_t kClientsRememberedMax = 16;  // of one pair
inline constexpr std::size_t kPairsOfClientMax = 64;      // that nobody else wants

class DeltaDemand {
public:
    // Parses what format() has written; lines that are wrong are left out.
    static DeltaDemand parse(std::string_view text);
    // A line per pair: old bundle, new bundle, requests, and bytes of the delta, or "-" if it was not made.
    std::string format() const;

    // Each client counts once for a pair, until kClientsRememberedMax others have counted; "" is a client that is not
    // known, and always counts. Above kDemandedPairsMax, the pair with the fewest requests that has no delta is
    // forgotten; above kPairsOfClientMax, the oldest one that only this client has wanted.
    void count(const DeltaPair& pair, std::string_view client = {});
    // Returns the pair with the most requests that is worth making and was not settled.
    std::optional<DeltaPair> find_next() const;
    // Its delta was made, with so many bytes; 0: it is not worth its bytes, or cannot be made.
    void settle(const DeltaPair& pair, std::uint64_t delta_bytes);
    // Returns the delta with the fewest requests, if all together have more bytes than that.
    std::optional<DeltaPair> find_surplus(std::uint64_t bytes_max) const;
    // Its delta was removed. It is made again if there are as many requests again as it had.
    void drop(const DeltaPair& pair);

    std::uint64_t made() const noexcept;        // deltas
    std::uint64_t made_bytes() const noexcept;  // of them

private:
    struct State {
        std::uint64_t requests = 0;
        std::uint64_t worth_at = kDemandWorthMaking;
        std::optional<std::uint64_t> delta_bytes;  // nothing: not settled
        std::vector<std::string> clients;          // known ones that counted, the latest last
        std::uint64_t number = 0;                  // pairs that were added before it
    };
    using Pairs = std::map<DeltaPair, State>;
    void forget_least(Pairs::iterator added);
    void forget_oldest_of(std::string_view client);
    Pairs pairs_;
    std::uint64_t added_ = 0;
};

}  // namespace fardel
