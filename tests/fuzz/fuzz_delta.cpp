// Input: the head of a delta and its directory. What decodes is exactly what its values encode to. With the sizes in
// the head made right, which no fuzzer would find, the directory is decoded again.
#include <fardel/delivery/delta_record.h>
#include "require.h"

#include <algorithm>
#include <cstdint>
#include <span>

using namespace fardel;

namespace {

void check_directory(const DeltaHead& head, std::span<const std::byte> bytes) {
    const auto directory = decode_delta_directory(head, bytes);
    if (!directory)
        return;
    require(std::ranges::equal(encode_delta_directory(*directory), bytes));
    require(directory->tables.size() == head.table_segments && directory->blocks.size() == head.block_segments);
    for (const DeltaBlocks& blocks : directory->blocks) {
        require(!blocks.blocks.empty() && blocks.frame_bytes != 0);
        for (std::size_t i = 1; i < blocks.prefix.size(); ++i)
            require(blocks.prefix[i].first > blocks.prefix[i - 1].end());
    }
}

}  // namespace

int fuzz_delta(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    const auto first = bytes.first(std::min(size, kDeltaHeadBytes));
    const auto head = decode_delta_head(first);
    if (!head)
        return 0;
    require(std::ranges::equal(encode_delta_head(*head), first));
    const auto directory = bytes.subspan(kDeltaHeadBytes);
    check_directory(*head, directory);
    // The sums of sizes are the only fields that depend on all others.
    for (std::uint64_t sum = 0; sum < 8; ++sum) {
        DeltaHead other = *head;
        other.tables_bytes = sum;
        check_directory(other, directory);
    }
    return 0;
}
