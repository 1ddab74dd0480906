#include <fardel/base/utf8_path.h>

#include "kit/test.h"

namespace fardel::tests::utf8_path_test {

TEST_CASE("utf8 path: a name outside ASCII is the same there and back, and in wide characters") {
    const std::string name =
        "gr\xc3\xbc\xc3\x9f"
        "e/\xe2\x82\xac/\xf0\x9f\x8e\xae.fardel";
    const std::filesystem::path path = path_from_utf8(name);
    CHECK(utf8_of_path(path) == name);
    CHECK(path.u32string() == U"gr\u00fc\u00dfe/\u20ac/\U0001f3ae.fardel");
    CHECK(utf8_of_path(path_from_utf8("")).empty());
}

}  // namespace fardel::tests::utf8_path_test
