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

namespace fardel {

struct DeltaPair {
    BundleId old_bundle;
    BundleId new_bundle;
    friend auto operator<=>(const DeltaPair&, const DeltaPair&) = default;
};

inline constexpr std::size_t kDemandedPairsMax = 4096;
inline constexpr std::uint64_t kDemandWorthMaking = 3;  // requests

class DeltaDemand {
public:
    // Parses what format() has written; lines that are wrong are left out.
    static DeltaDemand parse(std::string_view text);
    // A line per pair: old bundle, new bundle, requests, and bytes of the delta, or "-" if it was not made.
    std::string format() const;

    // Above kDemandedPairsMax, the pair with the fewest requests that has no delta is forgotten.
    void count(const DeltaPair& pair);
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
    };
    std::map<DeltaPair, State> pairs_;
};

}  // namespace fardel
