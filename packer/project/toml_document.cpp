#include "toml_document.h"

#include <fardel/format/name.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

// The parser asserts what hostile text can make false, and without assertions goes on with undefined behaviour. Here
// each assertion is checked in every build, and one that fails ends the parse: the exception is caught in this file.
namespace fardel {
namespace {
struct TomlAssertion {};
[[noreturn]] void fail_toml_assertion() { throw TomlAssertion(); }
}  // namespace
}  // namespace fardel
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(condition) ((condition) ? static_cast<void>(0) : ::fardel::fail_toml_assertion())
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES 8
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

namespace fardel {
namespace {

constexpr std::string_view kTomlAdvice = "; write text in \"quotes\", a list in [ ], a table in { }";

TomlPosition position_of(const toml::source_region& region) { return {region.begin.line, region.begin.column}; }

TomlTable table_of(const toml::table& table);

TomlValue value_of(const toml::node& node) {
    TomlValue value{.value = TomlDate(), .at = position_of(node.source())};
    if (const auto* text = node.as_string())
        value.value = text->get();
    else if (const auto* integer = node.as_integer())
        value.value = integer->get();
    else if (const auto* number = node.as_floating_point())
        value.value = number->get();
    else if (const auto* truth = node.as_boolean())
        value.value = truth->get();
    else if (const auto* array = node.as_array()) {
        std::vector<TomlValue> values;
        for (const toml::node& item : *array)
            values.push_back(value_of(item));
        value.value = std::move(values);
    } else if (const auto* table = node.as_table())
        value.value = table_of(*table);
    return value;
}

TomlTable table_of(const toml::table& table) {
    TomlTable entries;
    for (auto entry = table.cbegin(); entry != table.cend(); ++entry)
        entries.push_back({.key = std::string(entry->first.str()),
                           .at = position_of(entry->first.source()),
                           .value = value_of(entry->second)});
    std::ranges::stable_sort(entries, {}, &TomlEntry::at);
    return entries;
}

Status verify_dots(std::string_view text, std::string_view file) {
    TomlPosition at;
    for (std::size_t from = 0; from < text.size(); ++at.line) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        if (static_cast<std::size_t>(std::ranges::count(text.substr(from, end - from), '.')) > kTomlDotsPerLineMax)
            return Error(ErrorCode::limit, format_position(file, at) + ": the line has more than " +
                                               std::to_string(kTomlDotsPerLineMax) +
                                               " dots; break it into several lines");
        from = end + 1;
    }
    return ok();
}

// Refuses what toml++ 3.3 does not stand (undefined behaviour): control characters, characters beyond ASCII in bare
// keys, brackets that do not match or are not closed, strings without an end or in the middle of a word. Everything
// else is left to the parser.
class TomlShape {
public:
    explicit TomlShape(std::string_view text) : text_(text) {}

    // Returns what is wrong at position(); nothing if the parser may have the text.
    std::optional<std::string> find_defect() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (is_control(c))
                return "a control character";
            if (c == '#') {
                while (at_ < text_.size() && text_[at_] != '\n') {
                    if (is_control(text_[at_]))
                        return "a control character";
                    ++at_;
                }
                continue;
            }
            if (c == '"' || c == '\'') {
                if (std::string_view("\n=[,.{").find(before_) == std::string_view::npos)
                    return "a quote where no text can begin";
                if (auto defect = pass_string(c))
                    return defect;
                before_ = c;
                continue;
            }
            if (c != ' ' && c != '\t' && c != '\r' && c != kByteOrderMark[0])
                before_ = c;
            if (static_cast<unsigned char>(c) >= 0x80 && !text_.substr(at_).starts_with(kByteOrderMark))
                return "a character beyond ASCII outside of quotes";
            if (c == '[' || c == '{') {
                open_.push_back(at_);
            } else if (c == ']' || c == '}') {
                if (open_.empty() || text_[open_.back()] != (c == ']' ? '[' : '{'))
                    return std::string("'") + c + "' closes nothing that is open";
                open_.pop_back();
            }
            at_ += c == kByteOrderMark[0] ? kByteOrderMark.size() : 1;
        }
        if (!open_.empty()) {
            at_ = open_.back();
            return std::string("'") + text_[at_] + "' is never closed";
        }
        return std::nullopt;
    }

    TomlPosition position() const {
        const std::string_view before = text_.substr(0, at_);
        const std::size_t line = before.rfind('\n') + 1;  // 0 if there is none
        return {static_cast<std::uint32_t>(1 + std::ranges::count(before, '\n')),
                static_cast<std::uint32_t>(1 + before.size() - line)};
    }

private:
    static constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

    static bool is_control(char c) { return (c >= 0 && c < ' ' && c != '\t' && c != '\n' && c != '\r') || c == 0x7f; }

    std::optional<std::string> pass_string(char quote) {
        const std::size_t start = at_;
        const std::string three(3, quote);
        const bool is_long = text_.substr(at_, 3) == three;
        at_ += is_long ? 3 : 1;
        for (; at_ < text_.size(); ++at_) {
            if (is_control(text_[at_]))
                return "a control character";
            if (text_[at_] == '\n' && !is_long)
                break;
            if (text_[at_] == '\\' && quote == '"') {
                ++at_;
            } else if (is_long ? text_.substr(at_, 3) == three : text_[at_] == quote) {
                at_ += is_long ? 3 : 1;
                while (is_long && at_ < text_.size() && text_[at_] == quote)  // up to two quotes belong to the text
                    ++at_;
                return std::nullopt;
            }
        }
        at_ = start;
        return "a text without its closing quote";
    }

    std::string_view text_;
    std::size_t at_ = 0;
    char before_ = '\n';             // the last character that is no blank
    std::vector<std::size_t> open_;  // offsets of brackets
};

}  // namespace

const TomlEntry* find_entry(const TomlTable& table, std::string_view key) {
    const auto entry = std::ranges::find(table, key, &TomlEntry::key);
    return entry == table.end() ? nullptr : &*entry;
}

std::string format_position(std::string_view file, TomlPosition at) {
    return printable(file) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

Result<TomlTable> parse_toml(std::string_view text, std::string_view file) {
    if (text.size() > kTomlBytesMax)
        return Error(ErrorCode::limit, printable(file) + ": longer than " + std::to_string(kTomlBytesMax) +
                                           " bytes; is it the right file?");
    FARDEL_TRY(verify_dots(text, file));
    TomlShape shape(text);
    if (const auto defect = shape.find_defect())
        return Error(ErrorCode::malformed,
                     format_position(file, shape.position()) + ": " + *defect + std::string(kTomlAdvice));
    try {
        const toml::parse_result result = toml::parse(text);
        if (!result) {
            const toml::parse_error& error = result.error();
            return Error(ErrorCode::malformed, format_position(file, position_of(error.source())) + ": " +
                                                   printable(error.description()) + std::string(kTomlAdvice));
        }
        return table_of(result.table());
    } catch (const TomlAssertion&) {
        return Error(ErrorCode::malformed,
                     format_position(file, {1, 1}) + ": the text is not TOML" + std::string(kTomlAdvice));
    }
}

}  // namespace fardel
