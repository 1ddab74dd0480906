#include <fardel/format/bundle_version.h>

#include <fardel/format/limits.h>

#include <doctest/doctest.h>

namespace fardel {

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
        const auto version = BundleVersion::parse(text);
        REQUIRE_FALSE(version);
        CHECK(version.error().code() == ErrorCode::malformed);
        CHECK(version.error().message().find("bundle version") != std::string::npos);
    }
}

TEST_CASE("bundle version: it has at most 64 bytes") {
    CHECK(BundleVersion::parse(std::string(limits::kVersionBytesMax, '1')));
    CHECK(BundleVersion::parse(std::string(limits::kVersionBytesMax + 1, '1')).error().code() == ErrorCode::limit);
}

}  // namespace fardel
