#include "format_scanners.h"

#include "found_references.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace fardel {
namespace {

bool is_blank_or_control(char c) { return static_cast<unsigned char>(c) <= ' '; }

// The words of a skin, as the game splits them: a word ends at white space or a comma, lines do not matter.
class SkinText {
public:
    explicit SkinText(std::string_view text) : text_(text) {}

    // Empty at the end.
    std::string_view next() {
        skip_space();
        if (at_ == text_.size())
            return {};
        line_of_word_ = line_;
        if (text_[at_] == '"')
            return quoted();
        const std::size_t begin = at_++;
        while (at_ < text_.size() && !is_blank_or_control(text_[at_]) && text_[at_] != ',')
            ++at_;
        return text_.substr(begin, at_ - begin);
    }

    void skip_comma() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t'))
            ++at_;
        if (at_ < text_.size() && text_[at_] == ',')
            ++at_;
    }

    void skip_line() {
        while (at_ < text_.size() && text_[at_] != '\n')
            ++at_;
    }

    // Of the last word.
    std::uint32_t line() const { return line_of_word_; }

private:
    void skip_space() {
        while (at_ < text_.size()) {
            const std::string_view rest = text_.substr(at_);
            if (is_blank_or_control(rest.front()))
                line_ += text_[at_++] == '\n';
            else if (rest.starts_with("//"))
                skip_line();
            else if (rest.starts_with("/*"))
                skip_to(std::min(text_.find("*/", at_ + 2), text_.size() - 2) + 2);
            else
                return;
        }
    }

    void skip_to(std::size_t end) {
        for (; at_ < end; ++at_)
            line_ += text_[at_] == '\n';
    }

    std::string_view quoted() {
        const std::size_t begin = at_ + 1;
        const std::size_t end = std::min(text_.find('"', begin), text_.size());
        skip_to(std::min(end + 1, text_.size()));
        return text_.substr(begin, end - begin);
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::uint32_t line_ = 1;
    std::uint32_t line_of_word_ = 1;
};

}  // namespace

// A tag is an attachment point: the game takes the next word as the next surface, even if it stands on the same line.
// A surface "md3_…" of Return to Castle Wolfenstein attaches a model; "player…" is a number.
Result<ScanFindings> scan_skin(std::string_view text, const char* asset) {
    FoundReferences found(asset);
    SkinText words(text);
    while (true) {
        const std::string_view surface = words.next();
        if (surface.empty()) {
            if (text.find(',') == text.npos && !found.findings().references.empty())
                return ScanFindings{.other_format = "no skin of Quake III: no line has surface,shader"};
            return std::move(found).take();
        }
        words.skip_comma();
        if (surface.find("tag_") != surface.npos)
            continue;
        if (surface.starts_with("player")) {
            words.skip_line();
            continue;
        }
        const std::string_view worn = words.next();
        FARDEL_TRY(found.add({.spelling = std::string(worn),
                              .use = surface.starts_with("md3_") ? ReferenceUse::model : ReferenceUse::shader,
                              .optional = worn == "nodraw" || worn == "*off",
                              .line = words.line()},
                             worn));
    }
}

}  // namespace fardel
