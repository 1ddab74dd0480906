// RebuiltBlocks: blocks of a bundle that is read from servers, which other whole bundles here give although none has
// the same stored bytes: their assets moved to another block, were packed at another level, or are pieces of one that
// was edited. They are encoded again.
//
// Which assets are in a block is known only from whole tables, which a reader of some files does not have. So they are
// read once the blocks that came from servers have as many bytes as these tables. If they turn out to be of no use, the
// reader has received at most twice as much as without them. Any number of threads.
#pragma once

#include "fetch/encoded_blocks.h"

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/ids.h>
#include <fardel/store/bundle_store.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace fardel {

class LibraryBlocks;

// Where other bundles are.
struct HeldElsewhere {
    std::string store;                             // its path
    std::shared_ptr<const BundleLibrary> library;  // nullptr: none
    std::shared_ptr<LibraryBlocks> library_blocks;
};

class RebuiltBlocks {
public:
    // `target`: reads tables from servers, and blocks only if they are here. `tables_bytes`: of assets, pieces,
    // placements and blocks. Reads nothing yet.
    RebuiltBlocks(std::shared_ptr<const ByteSource> target, HeldElsewhere elsewhere, std::uint64_t tables_bytes)
        : target_(std::move(target)), elsewhere_(std::move(elsewhere)), tables_bytes_(tables_bytes) {}

    // Returns the stored bytes of the block at an offset in the file, compared with their hash; nothing if the other
    // bundles do not give them, or are not looked at yet. One call waits for the tables.
    std::optional<std::vector<std::byte>> find(std::uint64_t offset, std::uint32_t stored_bytes);

private:
    enum class State : unsigned char { waiting, preparing, ready, given_up };
    State prepare();
    Result<State> read_tables();
    std::optional<std::uint32_t> index_of(std::uint64_t offset) const;

    const std::shared_ptr<const ByteSource> target_;
    const HeldElsewhere elsewhere_;
    const std::uint64_t tables_bytes_;
    std::mutex mutex_;  // guards what follows, except while it is `preparing`
    State state_ = State::waiting;
    std::uint64_t missed_bytes_ = 0;
    std::shared_ptr<const Bundle> bundle_;
    std::vector<std::shared_ptr<const Bundle>> others_;
    std::optional<EncodedBlocks> blocks_;
    std::vector<bool> chosen_;  // by block
    std::size_t failures_ = 0;  // blocks that came out otherwise
};

}  // namespace fardel
