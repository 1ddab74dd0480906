#include "physfs/bundle_set_text.h"

#include "vfs/test_bundle.h"

namespace fardel::tests::bundle_set_text_test {

TEST_CASE("set file: its paths are returned in their order") {
    const auto paths = parse_bundle_set("fardel-set 1\nbase.fardel\n\n# mods\r\nmods/a b.fardel\r\nmods/..x.fardel");
    REQUIRE(paths);
    CHECK(*paths == std::vector<std::string>{"base.fardel", "mods/a b.fardel", "mods/..x.fardel"});
}

TEST_CASE("set file: another text, or another version, is refused") {
    CHECK(outcome_of(parse_bundle_set("")) == "malformed");
    CHECK(outcome_of(parse_bundle_set("fardel-set\nx")) == "malformed");
    CHECK(outcome_of(parse_bundle_set("fardel-set 1")) == "malformed");
    CHECK(outcome_of(parse_bundle_set("fardel-set 1\n#x\n\n")) == "malformed");
    CHECK(outcome_of(parse_bundle_set("fardel-set 2\nx")) == "unsupported");
    CHECK(outcome_of(parse_bundle_set("fardel-set 1 \nx")) == "unsupported");
    CHECK(outcome_of(parse_bundle_set(std::string_view("fardel-set 1\nx\0y", 16))) == "malformed");
}

// A132
TEST_CASE("set file: a path that is absolute or leads out of its folder is denied") {
    for (const char* const path : {"/etc", "/", "../x.fardel", "a/../../x", "..", "a/..", "\\\\server\\x", "C:/x"}) {
        CAPTURE(path);
        CHECK(outcome_of(parse_bundle_set(std::string("fardel-set 1\nbase.fardel\n") + path + "\n")) == "denied");
    }
}

}  // namespace fardel::tests::bundle_set_text_test
