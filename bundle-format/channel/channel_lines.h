// Lines of the texts of a channel, one after the other.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/channel.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fardel {

// The largest body of a text.
std::size_t channel_body_bytes_max(ChannelText kind) noexcept;

class ChannelLines {
public:
    // Verifies size, last line feed and first line. Errors: malformed, limit, unsupported.
    static Result<ChannelLines> open(ChannelText kind, std::string_view body);

    bool empty() const noexcept { return rest_.empty(); }
    // Whether the next line begins with `word` and a space.
    bool is_next(std::string_view word) const noexcept;
    // Reads the next line, which begins with `word` and a space, and returns what follows. Error: malformed.
    Result<std::string_view> read_field(std::string_view word);
    // The same, for a line that ends with a number from `min` to kChannelNumberMax. Error: malformed.
    Result<std::uint64_t> read_number(std::string_view word, std::uint64_t min = 0);
    // Reads whatever line is next.
    std::string_view read_line();
    // No line may be left. Error: malformed.
    Status finish() const;

    // An error about the line that was read last.
    Error bad_line(std::string_view what) const;
    // The number of that line.
    std::size_t number() const noexcept { return number_; }

private:
    ChannelLines(ChannelText kind, std::string_view rest) : kind_(kind), rest_(rest) {}
    ChannelText kind_;
    std::string_view rest_;
    std::size_t number_ = 1;
};

// Returns the first line of a text.
std::string channel_title(ChannelText kind);
void append_line(std::string& text, std::string_view word, std::string_view value);
void append_line(std::string& text, std::string_view word, std::uint64_t value);

}  // namespace fardel
