#include "depfile.h"

#include <unordered_set>

namespace fardel {
namespace {

constexpr std::size_t kDepfilePathBytesMax = 4096;

// Reads the words of one rule; a colon that ends the targets is a separate word between them.
class DepfileReader {
public:
    explicit DepfileReader(std::string_view text) : text_(text) {}

    Result<std::vector<std::string>> read() {
        if (text_.size() > kDepfileBytesMax)
            return Error(ErrorCode::limit, "the depfile has " + std::to_string(text_.size()) + " bytes; at most " +
                                               std::to_string(kDepfileBytesMax));
        while (at_ < text_.size())
            FARDEL_TRY(read_rule());
        return std::move(paths_);
    }

private:
    Error mistake(std::string_view what) const {
        return Error(ErrorCode::malformed, "depfile, line " + std::to_string(line_) + ": " + std::string(what));
    }

    char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\n'; }
    static bool is_space(char c) { return c == ' ' || c == '\t'; }

    // Returns the length of a line break after a backslash: 2 or 3; otherwise 0.
    std::size_t continuation_bytes() const {
        if (peek() != '\\' || at_ + 1 >= text_.size())
            return 0;
        if (peek(1) == '\n')
            return 2;
        return peek(1) == '\r' && at_ + 2 < text_.size() && peek(2) == '\n' ? 3 : 0;
    }

    void skip_spaces() {
        for (;;) {
            if (const std::size_t bytes = continuation_bytes()) {
                at_ += bytes;
                ++line_;
            } else if (at_ < text_.size() && is_space(peek())) {
                ++at_;
            } else {
                return;
            }
        }
    }

    bool at_end_of_line() const { return at_ >= text_.size() || peek() == '\n' || (peek() == '\r' && peek(1) == '\n'); }

    void skip_line() {
        while (at_ < text_.size() && peek() != '\n') {
            const std::size_t bytes = continuation_bytes();
            line_ += bytes ? 1 : 0;
            at_ += bytes ? bytes : 1;
        }
        if (at_ < text_.size())
            ++at_;
        ++line_;
    }

    Status read_rule() {
        skip_spaces();
        if (at_end_of_line() || peek() == '#') {
            skip_line();
            return ok();
        }
        bool targets = true;
        std::size_t words = 0;
        for (skip_spaces(); !at_end_of_line() && peek() != '#'; skip_spaces()) {
            FARDEL_TRY_ASSIGN(std::string word, read_word(targets));
            if (targets && peek() == ':') {
                ++at_;
                targets = false;
                if (word.empty() && words == 0)
                    return mistake("a rule without a target");
            } else if (!targets) {
                FARDEL_TRY(add(std::move(word)));
            }
            ++words;
        }
        if (targets)
            return mistake("a line without ':', which is no rule");
        skip_line();
        return ok();
    }

    // A colon ends a target if a space or the end of the line follows it; other colons belong to the path.
    bool ends_target(bool targets) const {
        return targets && peek() == ':' &&
               (at_ + 1 >= text_.size() || is_space(peek(1)) || peek(1) == '\n' || peek(1) == '\r' || peek(1) == '\\');
    }

    Result<std::string> read_word(bool target) {
        std::string word;
        while (!at_end_of_line() && !is_space(peek()) && !ends_target(target) && continuation_bytes() == 0) {
            const char c = peek();
            if (c == '\0' || (static_cast<unsigned char>(c) < 0x20))
                return mistake("a control character");
            if (c == '\\')
                read_backslashes(word);
            else if (c == '$' && peek(1) == '$')
                word += '$', at_ += 2;
            else
                word += c, ++at_;
            if (word.size() > kDepfilePathBytesMax)
                return Error(ErrorCode::limit, "depfile, line " + std::to_string(line_) + ": a path of more than " +
                                                   std::to_string(kDepfilePathBytesMax) + " bytes");
        }
        return word;
    }

    // Before a space or '#', each pair of backslashes is one backslash, and an odd one makes that character part of the
    // path; elsewhere backslashes are ordinary characters.
    void read_backslashes(std::string& word) {
        std::size_t count = 0;
        while (peek(count) == '\\' && count < kDepfilePathBytesMax)
            ++count;
        const char next = peek(count);
        if (next == '\n' || next == '\r') {  // the last backslash hides the line's end
            word.append(count > 1 ? count - 1 : 1, '\\');
            at_ += count > 1 ? count - 1 : 1;
        } else if (next == ' ' || next == '#') {
            word.append(count / 2, '\\');
            at_ += count;
            if (count % 2 == 1)
                word += next, ++at_;
        } else {
            word.append(count, '\\');
            at_ += count;
        }
    }

    Status add(std::string path) {
        if (path.empty() || !seen_.insert(path).second)
            return ok();
        if (paths_.size() == kFoundInputsMax)
            return Error(ErrorCode::limit, "the depfile names more than " + std::to_string(kFoundInputsMax) + " files");
        paths_.push_back(std::move(path));
        return ok();
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
    std::vector<std::string> paths_;
    std::unordered_set<std::string> seen_;
};

// With '\' before a space and '#', which would end the path; the backslashes before it are doubled, and so is '$'.
std::string escaped_word(std::string_view path) {
    std::string word;
    std::size_t backslashes = 0;
    for (const char c : path) {
        if (c == ' ' || c == '#')
            word.append(backslashes + 1, '\\');
        backslashes = c == '\\' ? backslashes + 1 : 0;
        word += c == '$' ? "$$" : std::string(1, c);
    }
    return word;
}

}  // namespace

Result<std::vector<std::string>> parse_depfile(std::string_view text) { return DepfileReader(text).read(); }

std::string format_depfile(std::span<const std::string> targets, std::span<const std::string> files) {
    std::string text;
    for (const std::string& target : targets)
        text += (text.empty() ? "" : " ") + escaped_word(target);
    text += ':';
    for (const std::string& file : files)
        text += " \\\n  " + escaped_word(file);
    return text + '\n';
}

}  // namespace fardel
