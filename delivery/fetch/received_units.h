// ReceivedUnits: some parts of a file beside a bundle that a fetch can do without, in memory.
#pragma once

#include "fetch/fetch_context.h"
#include "transfer/single_range.h"

#include <fardel/base/result.h>
#include <fardel/delivery/unit_transfer.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fardel {

class ReceivedUnits {
public:
    // Fetches the units, which are by offset. `urls`: of the file on several servers; the first one is asked, and
    // others for what it does not give. Errors: cancelled, limit.
    static Result<ReceivedUnits> fetch(const FetchContext& context, const std::vector<std::string>& urls,
                                       std::uint64_t file_bytes, const std::vector<FetchUnit>& units);

    // Returns the bytes of a unit; none if they did not come.
    std::span<const std::byte> operator[](std::size_t unit) const { return units_[unit]; }
    // Whether all have come. Otherwise servers have failed, and should not be asked for more.
    bool is_all() const noexcept { return is_all_; }

private:
    std::vector<CollectedRange> ranges_;
    std::vector<std::span<const std::byte>> units_;  // in the ranges
    bool is_all_ = true;
};

}  // namespace fardel
