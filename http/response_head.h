// ResponseHead: what the head of an HTTP response says about the bytes that follow it.
//
// A value; no I/O. The lines are hostile: all of them together are bounded.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fardel {

inline constexpr std::uint64_t kResponseHeadBytesMax = 64u << 10;

class ResponseHead {
public:
    // Adds one line as it was received. A status line begins another head, as after "100 Continue"; only the last head
    // counts. Returns false when the lines together are longer than kResponseHeadBytesMax.
    bool add_line(std::string_view line);

    // The values of the fields, without blanks around them; empty if the head has no such field. Of a repeated field,
    // the last value counts.
    const std::string& content_range() const noexcept { return content_range_; }
    const std::string& content_encoding() const noexcept { return content_encoding_; }
    const std::string& retry_after() const noexcept { return retry_after_; }
    const std::string& etag() const noexcept { return etag_; }
    const std::string& location() const noexcept { return location_; }
    const std::string& content_type() const noexcept { return content_type_; }
    const std::string& blake3() const noexcept { return blake3_; }  // metadata of objects in buckets

private:
    std::uint64_t bytes_ = 0;
    std::string content_range_;
    std::string content_encoding_;
    std::string retry_after_;
    std::string etag_;
    std::string location_;
    std::string content_type_;
    std::string blake3_;
};

// Parses the seconds of a Retry-After field, RFC 9110 §10.2.3; more than `max` is `max`. Returns nothing for another
// text, also for a date: the clock of a server means nothing here.
std::optional<std::chrono::seconds> find_retry_after(std::string_view text, std::chrono::seconds max);

struct ContentRange {
    std::uint64_t first = 0;
    std::uint64_t last = 0;   // at least `first`
    std::uint64_t total = 0;  // greater than `last`
};

// Parses "bytes 0-99/1234", RFC 9110 §14.4. Returns nothing for another text, also for "bytes 0-99/*": a server that
// does not know the size of a file cannot serve bundles.
std::optional<ContentRange> find_content_range(std::string_view text);

}  // namespace fardel
