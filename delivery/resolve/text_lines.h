// The lines of a text about bundles: a title, then a word and a value per line. The text is untrusted.
#pragma once

#include <fardel/base/result.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace fardel {

class TextLines {
public:
    // `what` names the text in messages. Errors: malformed (another title; not UTF-8; a control character; no line feed
    // at the end), unsupported (a later version), limit (more than `bytes_max`).
    static Result<TextLines> open(std::string_view what, std::string_view title, std::string_view text,
                                  std::size_t bytes_max);

    bool empty() const noexcept { return rest_.empty(); }
    // Takes the value of the next line if the line begins with that word and a space.
    std::optional<std::string_view> find(std::string_view word);
    // No line may be left. Error: malformed.
    Status finish();
    // An error about the line that was taken last.
    Error bad_line(std::string_view what) const;

private:
    TextLines(std::string_view what, std::string_view rest) : what_(what), rest_(rest) {}
    std::string what_;
    std::string_view rest_;
    std::size_t number_ = 1;
};

}  // namespace fardel
