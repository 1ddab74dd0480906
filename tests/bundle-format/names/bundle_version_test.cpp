#include "kit/test.h"

#include <fardel/format/bundle_version.h>

#include <fardel/format/limits.h>

namespace fardel::tests::bundle_version_test {

TEST_CASE("bundle version: it consists of letters, digits and . + - _ ~, or is empty") {
    for (const char* text : {"", "1", "1.0-rc1", "2026.11.22+git~3_x", "Z"}) {
        CAPTURE(text);
        const auto version = BundleVersion::parse(text);
        REQUIRE(version);
        CHECK(version->text() == text);
        CHECK(version->empty() == (*text == '\0'));
    }
    for (const char* text : {"1 0", "1\n", "1/0", "1:0", "\xc3\xa9", "1.0\x1b[31m"}) {
        CAPTURE(text);
        check_error(BundleVersion::parse(text), ErrorCode::malformed, "bundle version");
    }
}

TEST_CASE("bundle version: it has at most 64 bytes") {
    CHECK(BundleVersion::parse(std::string(limits::kVersionBytesMax, '1')));
    CHECK(BundleVersion::parse(std::string(limits::kVersionBytesMax + 1, '1')).error().code() == ErrorCode::limit);
}

}  // namespace fardel::tests::bundle_version_test
