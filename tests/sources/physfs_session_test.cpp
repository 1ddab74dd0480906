#include "physfs_session.h"
#include "source_listing.h"

#include "kit/archives.h"
#include "kit/blobs.h"
#include "kit/test.h"

#include <physfs.h>

namespace fardel::tests::physfs_session_test {

TEST_CASE("physfs session: the first one initialises PhysicsFS, the last one shuts it down") {
    CHECK_FALSE(PHYSFS_isInit());
    auto first = PhysfsSession::open();
    auto second = PhysfsSession::open();
    REQUIRE(first);
    REQUIRE(second);
    CHECK(PHYSFS_isInit());
    first->reset();
    CHECK(PHYSFS_isInit());
    second->reset();
    CHECK_FALSE(PHYSFS_isInit());
}

TEST_CASE("physfs session: it is busy while other code in the process uses PhysicsFS, which it does not touch") {
    REQUIRE(PHYSFS_init("./game"));
    CHECK(code_of(PhysfsSession::open()) == ErrorCode::busy);
    CHECK(PHYSFS_isInit());
    REQUIRE(PHYSFS_deinit());
    CHECK(PhysfsSession::open());
    CHECK_FALSE(PHYSFS_isInit());
}

TEST_CASE("physfs session: zips are read all the same") {
    REQUIRE(PHYSFS_init("./game"));
    SourceListing listing({});
    REQUIRE(list_zip(make_memory_source(build_zip({{.name = "a", .content = "x", .deflated = true}})), "z", listing));
    CHECK(value_of(read_blob_text(*listing.entries.at(0).blob)) == "x");
    REQUIRE(PHYSFS_deinit());
}

TEST_CASE("physfs session: many threads may open and close sessions") {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([] {
            for (int n = 0; n < 200; ++n)
                CHECK(PhysfsSession::open());
        });
    threads.clear();
    CHECK_FALSE(PHYSFS_isInit());
}

}  // namespace fardel::tests::physfs_session_test
