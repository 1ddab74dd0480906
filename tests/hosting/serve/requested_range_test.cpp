// Which part of a file the headers of a request ask for, and which targets name files.
#include "serve/requested_range.h"
#include "serve/served_files.h"

#include "kit/ids.h"
#include "kit/test.h"

namespace fardel::tests::requested_range_test {

constexpr std::string_view kEtag = "\"one\"";

RequestedRange asked(std::string_view range, std::uint64_t file_bytes = 1000) {
    return find_requested_range({.range = range}, file_bytes, kEtag);
}

TEST_CASE("requested range: the forms of RFC 9110 give the bytes that they mean") {
    struct Form {
        std::string_view text;
        std::uint64_t offset, length_bytes;
    };
    constexpr Form kForms[] = {
        {"bytes=0-0", 0, 1},      {"bytes=0-999", 0, 1000},
        {"bytes=10-19", 10, 10},  {"bytes=990-", 990, 10},
        {"bytes=-1", 999, 1},     {"bytes=-1000", 0, 1000},
        {"bytes=-5000", 0, 1000}, {"bytes=999-5000", 999, 1},
        {" bytes=0-0 ", 0, 1},    {"bytes=0-99999999999999999999999999", 0, 1000},
    };
    for (const Form& form : kForms) {
        CAPTURE(form.text);
        const RequestedRange range = asked(form.text);
        CHECK(range.answer == RangeAnswer::part);
        CHECK(range.offset == form.offset);
        CHECK(range.length_bytes == form.length_bytes);
    }
}

TEST_CASE("requested range: what begins behind the file, or has no bytes, is unsatisfiable") {
    for (const char* const text : {"bytes=1000-", "bytes=1000-1001", "bytes=-0", "bytes=99999999999999999999-"}) {
        CAPTURE(text);
        CHECK(asked(text).answer == RangeAnswer::unsatisfiable);
    }
    CHECK(asked("bytes=0-0", 0).answer == RangeAnswer::unsatisfiable);
    CHECK(asked("bytes=-1", 0).answer == RangeAnswer::unsatisfiable);
}

TEST_CASE("requested range: a header without the right form counts as left out") {
    for (const char* const text :
         {"", "bytes", "bytes=", "bytes=-", "bytes=5-4", "bytes=a-b", "bytes=0-1,5-6", "bytes=+1-2", "bytes=1 - 2",
          "bytes=0x1-0x2", "lines=0-1", "Bytes=0-1", "bytes=0-1-2", "bytes=--1", "bytes==0-1"}) {
        CAPTURE(text);
        const RequestedRange range = asked(text);
        CHECK(range.answer == RangeAnswer::whole);
        CHECK(range.length_bytes == 1000);
    }
}

TEST_CASE("requested range: If-Range and If-None-Match compare the tag") {
    const auto answer = [](RangeHeaders headers) { return find_requested_range(headers, 1000, kEtag).answer; };
    CHECK(answer({.range = "bytes=0-1", .if_range = "\"one\""}) == RangeAnswer::part);
    for (const char* const other : {"\"two\"", "W/\"one\"", "one", "Mon, 23 Nov 2026 01:00:00 GMT"})
        CHECK(answer({.range = "bytes=0-1", .if_range = other}) == RangeAnswer::whole);
    for (const char* const same : {"\"one\"", "*", "W/\"one\"", "\"two\", \"one\"", "\"two\" ,W/\"one\""})
        CHECK(answer({.range = "bytes=0-1", .if_none_match = same}) == RangeAnswer::not_modified);
    for (const char* const other : {"\"two\"", ",", "\"\"", "one", "\"one"})
        CHECK(answer({.if_none_match = other}) == RangeAnswer::whole);
}

TEST_CASE("served files: exactly one target names each file, and every other text names none") {
    const BundleId id = tests::filled_id<BundleId>(0xab);
    const std::string digits = id.hex();
    const auto bundle = find_requested_file("/bundles/" + digits + ".fardel");
    REQUIRE(bundle);
    CHECK((bundle->bundle == id && bundle->kind == RequestedFileKind::bundle));
    const auto tables = find_requested_file("/bundles/" + digits + ".tables");
    REQUIRE(tables);
    CHECK(tables->kind == RequestedFileKind::tables);
    const auto slices = find_requested_file("/bundles/" + digits + ".slices");
    REQUIRE(slices);
    CHECK(slices->kind == RequestedFileKind::piece_slices);
    const std::pair<std::string, RequestedFileKind> of_deltas[] = {{"list", RequestedFileKind::delta_list},
                                                                   {digits + ".delta", RequestedFileKind::delta}};
    for (const auto& [name, kind] : of_deltas) {
        const std::string target = "/deltas/" + digits + "/" + name;
        const auto file = find_requested_file(target);
        REQUIRE(file);
        CHECK(file->kind == kind);
        CHECK("/" + path_of(*file) == target);
        CHECK_FALSE(find_requested_file(target + "s"));
    }
    for (const std::string path : {"channels/mygame/stable/head", "channels/stable/head", "channels/a/root/12"}) {
        const auto text = find_requested_file("/" + path);
        REQUIRE(text);
        CHECK(text->kind == RequestedFileKind::channel_text);
        CHECK(path_of(*text) == path);
    }
    CHECK(find_requested_file("/channels/a/release/" + digits));
    for (const char* const target :
         {"/channels/a", "/channels/head", "/channels/a/root/", "/channels/a/root/x", "/channels/a/release/1",
          "/channels/../a/head", "/channels/a//head", "/channels/.a/head", "/channels/A/head", "/channels/a/head/",
          "/channels/a/.head.tmp/head", "/channels/a/root/1.tmp"})
        CHECK_FALSE(find_requested_file(target));
    std::string upper = digits;
    upper[0] = 'A';
    for (const std::string& target : {std::string(),
                                      std::string("/"),
                                      std::string("/bundles/"),
                                      std::string("*"),
                                      "/bundles/" + digits,
                                      "/bundles/" + upper + ".fardel",
                                      "/bundles/" + digits + ".fardel/",
                                      "/bundles/" + digits + ".fardel?x",
                                      "/bundles/" + digits + ".fardel%00",
                                      "/bundles/%2e%2e/bundles/" + digits + ".fardel",
                                      "/bundles/../bundles/" + digits + ".fardel",
                                      "//bundles/" + digits + ".fardel",
                                      "/bundles//" + digits + ".fardel",
                                      "/bundles/" + digits.substr(1) + ".fardel",
                                      "/bundles/" + digits + "0.fardel",
                                      "/bundles/." + digits + ".fardel",
                                      "http://h/bundles/" + digits + ".fardel",
                                      std::string("/bundles/.fardel-1-1.tmp"),
                                      std::string("/fardel-store"),
                                      "/bundles/" + digits + ".Fardel"}) {
        CAPTURE(target);
        CHECK_FALSE(find_requested_file(target));
    }
}

}  // namespace fardel::tests::requested_range_test
