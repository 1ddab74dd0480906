#include "blocks/read_scratch.h"

#include "kit/test.h"

#include <set>

namespace fardel::tests::read_scratch_test {

TEST_CASE("read scratch: every lease has its own scratch memory") {
    for (const std::size_t cores : {0u, 1u, 4u}) {
        ReadScratchPool pool(cores);
        std::vector<ReadScratchPool::Lease> leases;
        std::set<const ReadScratch*> lent;
        for (int i = 0; i < 20; ++i) {
            leases.push_back(pool.acquire());
            lent.insert(&*leases.back());
        }
        CHECK(lent.size() == 20);
    }
}

TEST_CASE("read scratch: a core's scratch memory keeps its last block, a spare one does not") {
    ReadScratchPool pool(1);
    const BlockCache::Block block(std::make_shared<std::byte[]>(10));
    pool.acquire()->last_bytes = block;
    std::optional<ReadScratchPool::Lease> first(pool.acquire());
    CHECK((*first)->last_bytes == block);
    pool.acquire()->last_bytes = block;
    CHECK_FALSE(pool.acquire()->last_bytes);
    CHECK(block.use_count() == 2);
}

TEST_CASE("read scratch: room for stored bytes grows to one block") {
    ReadScratch scratch;
    const auto small = scratch.stored_room(10);
    CHECK(small.size() == 10);
    CHECK(scratch.stored_room(60'000).data() == small.data());
    CHECK(scratch.stored_room(limits::kBlockBytesMax).size() == limits::kBlockBytesMax);
}

}  // namespace fardel::tests::read_scratch_test
