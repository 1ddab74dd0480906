#include "kit/test.h"

#include <fardel/format/tag.h>

namespace fardel::tests::tag_test {

TEST_CASE("tag: tags compare by axis, then value") {
    CHECK(Tag{"a", "2"} < Tag{"b", "1"});
    CHECK(Tag{"a", "1"} < Tag{"a", "2"});
    CHECK(TagView{"a", "1"} == TagView{"a", "1"});
}

}  // namespace fardel::tests::tag_test
