#include <fardel/format/content_set.h>

#include "kit/ids.h"
#include "kit/test.h"

#include <fardel/format/hash.h>

namespace fardel::tests::content_set_test {

Hash digest_of(std::vector<BundleId> bundles) { return ContentSet::make(std::move(bundles)).value().digest(); }

TEST_CASE("content set: the digest is the hash of its domain, its count and its ids in order") {
    const std::string hashed = std::string("\x14\0\0\0\0\0\0\0", 8) + "fardel content set 1" +
                               std::string("\2\0\0\0\0\0\0\0", 8) + std::string(32, '\1') + std::string(32, '\2');
    CHECK(digest_of({filled_id<BundleId>(1), filled_id<BundleId>(2)}) == blake3(std::as_bytes(std::span(hashed))));
    CHECK(ContentSet().digest() == digest_of({}));
    CHECK(digest_of({filled_id<BundleId>(2), filled_id<BundleId>(1)}) !=
          digest_of({filled_id<BundleId>(1), filled_id<BundleId>(2)}));
    CHECK(digest_of({filled_id<BundleId>(1)}) != digest_of({}));
}

// A61
TEST_CASE("content set: ids that are equal in all but one bit are two bundles") {
    for (std::size_t byte = 0; byte < 32; ++byte) {
        BundleId other = filled_id<BundleId>(7);
        other.bytes[byte] ^= 1;
        CHECK(ContentSet::make({filled_id<BundleId>(7), other}));
        CHECK(digest_of({other}) != digest_of({filled_id<BundleId>(7)}));
    }
}

TEST_CASE("content set: it contains a bundle once, and its size has a limit") {
    CHECK(ContentSet::make({filled_id<BundleId>(1), filled_id<BundleId>(2), filled_id<BundleId>(1)}).error().code() ==
          ErrorCode::conflict);
    std::vector<BundleId> many(ContentSet::kBundlesMax);
    for (std::size_t i = 0; i < many.size(); ++i) {
        many[i].bytes[0] = static_cast<std::uint8_t>(i);
        many[i].bytes[1] = static_cast<std::uint8_t>(i >> 8);
    }
    CHECK(ContentSet::make(many)->bundles().size() == many.size());
    many.push_back(filled_id<BundleId>(9));
    CHECK(ContentSet::make(many).error().code() == ErrorCode::limit);
}

}  // namespace fardel::tests::content_set_test
