// The heads of HTTP responses: which field counts, and which content ranges are accepted.
#include "response_head.h"

#include "kit/test.h"

namespace fardel::tests::response_head_test {

TEST_CASE("response head: of several heads and of a repeated field, the last one counts") {
    ResponseHead head;
    for (const char* const line :
         {"HTTP/1.1 100 Continue\r\n", "Content-Encoding: gzip\r\n", "\r\n", "HTTP/1.1 206 Partial Content\r\n",
          "content-RANGE:\tbytes 0-1/3 \r\n", "Content-Range: bytes 1-2/3\r\n", "X-Content-Encoding: br\r\n", "\r\n"})
        REQUIRE(head.add_line(line));
    CHECK(head.content_range() == "bytes 1-2/3");
    CHECK(head.content_encoding().empty());
    REQUIRE(head.add_line("Content-Range: \t\r\n"));
    CHECK(head.content_range().empty());
}

TEST_CASE("response head: more bytes than a head may have are refused") {  // A80
    ResponseHead head;
    const std::string line = "X: " + std::string(1021, 'a');
    for (std::uint64_t bytes = line.size(); bytes <= kResponseHeadBytesMax; bytes += line.size())
        REQUIRE(head.add_line(line));
    CHECK_FALSE(head.add_line("\n"));
}

TEST_CASE("content range: what is not a range inside a file of a known size is refused") {  // A83
    const auto range = find_content_range("bytes 5-99/1234");
    REQUIRE(range);
    CHECK(range->first == 5);
    CHECK(range->last == 99);
    CHECK(range->total == 1234);
    CHECK(find_content_range("bytes 0-18446744073709551614/18446744073709551615"));
    for (const char* const text :
         {"", "bytes", "bytes ", "bytes 0-9", "bytes 0-9/", "bytes 0-9/*", "bytes */10", "bytes 9-8/10",
          "bytes 0-10/10", "bytes -1-1/10", "bytes +1-1/10", "bytes 0-9/10 ", "bytes  0-9/10", "items 0-9/10",
          "bytes 0-9/10,20-29/40", "bytes 0-18446744073709551616/18446744073709551617"})
        CHECK_MESSAGE(!find_content_range(text), text);
}

TEST_CASE("response head: a time to wait is seconds, within a limit, and nothing else") {
    using namespace std::chrono_literals;
    CHECK(find_retry_after("0", 30s) == 0s);
    CHECK(find_retry_after("29", 30s) == 29s);
    CHECK(find_retry_after("31", 30s) == 30s);
    CHECK(find_retry_after("99999999999999999999999999", 30s) == 30s);
    for (const char* const text : {"", "-1", "+1", " 1", "1.5", "1s", "Fri, 31 Dec 1999 23:59:59 GMT"})
        CHECK_FALSE(find_retry_after(text, 30s));
    ResponseHead head;
    CHECK(head.add_line("HTTP/1.1 503 Later\r\n"));
    CHECK(head.add_line("Retry-After:  7 \r\n"));
    CHECK(head.retry_after() == "7");
    CHECK(head.add_line("HTTP/1.1 206 Partial Content\r\n"));
    CHECK(head.retry_after().empty());
}

}  // namespace fardel::tests::response_head_test
