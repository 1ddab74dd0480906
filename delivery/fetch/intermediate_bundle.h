// IntermediateBundle: a bundle to which a delta refers and that is not here whole. As much of it is made as the delta
// needs: from another delta, which may refer to an intermediate bundle in turn, or from ranges of its file. It never
// becomes visible in the store, and is gone with this object.
//
// Which bundle it is, a list of deltas says, which is hostile. Its tables are compared with its id, and its blocks with
// their hashes. One thread.
#pragma once

#include "fetch/block_supplier.h"
#include "fetch/delta_fetch.h"
#include "fetch/delta_path.h"
#include "fetch/scattered_file.h"

#include <fardel/base/result.h>
#include <fardel/delivery/unit_transfer.h>
#include <fardel/format/bundle.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fardel {

class IntermediateBundle {
public:
    // A bundle of which the store has a part.
    static Result<std::unique_ptr<IntermediateBundle>> open_part(const DeltaContext& context,
                                                                 const std::shared_ptr<const Bundle>& part);
    // The one to which the deltas of the path lead, the first of which is from `held`; fetches its tables.
    // `tables_bytes_max` bounds the tables of each bundle on the path.
    static Result<std::unique_ptr<IntermediateBundle>> open(const DeltaContext& context,
                                                            std::span<const DeltaStep> path,
                                                            const std::shared_ptr<const Bundle>& held,
                                                            std::uint64_t tables_bytes_max);

    // Reads its tables, and those of its blocks that are here.
    const std::shared_ptr<const Bundle>& bundle() const noexcept { return bundle_; }
    // Whether a delta gives it. Otherwise, a block that is not here comes as a range.
    bool comes_from_delta() const noexcept { return delta_ != nullptr; }
    bool holds_block(const BlockRecord& block) const;

    // Chooses how these blocks (one entry per block) are to come. `encodes`: that of DeltaFetch::choose. Errors: those
    // of its tables.
    Result<BlockChoice> choose(const std::vector<bool>& needed, bool encodes);
    // Fetches what was chosen. Returns whether all has come. Errors: cancelled, limit, no_space, io.
    Result<bool> fetch_blocks(const std::function<void()>& progress);

private:
    IntermediateBundle(const DeltaContext& context, std::unique_ptr<DeltaFetch> delta);
    Status open_bundle();
    // Those that an earlier attempt received as ranges.
    Status take_kept_blocks();
    Status write_block(std::uint32_t index, std::span<const std::byte> stored);
    Result<bool> fetch_range_of(const FetchRequest& request);

    const DeltaContext context_;
    std::unique_ptr<DeltaFetch> delta_;    // nullptr: the store has a part of it
    std::shared_ptr<ScatteredFile> file_;  // nullptr until its size is known
    std::shared_ptr<const Bundle> bundle_;
    std::vector<FetchRequest> requests_;
};

}  // namespace fardel
