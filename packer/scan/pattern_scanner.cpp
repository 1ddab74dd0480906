#include "scan/pattern_scanner.h"

#include "found_references.h"
#include "scan/reference_scanners.h"
#include "script_text.h"

#include <fardel/format/name.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::string_view kCapture = "{reference}";
constexpr std::string_view kExample = "write the text around the name, such as image = \"{reference}\"";
constexpr std::size_t kPatternAnswerDepthMax = 8;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// One line of the text. Knows for each position the end of the run of blanks that begins there.
class Line {
public:
    explicit Line(std::string_view text) : text_(text), after_blanks_(text.size() + 1, text.size()) {
        for (std::size_t at = text.size(); at-- > 0;)
            after_blanks_[at] = is_blank(text[at]) ? after_blanks_[at + 1] : at;
    }

    // If the line has `literal` at `at`, returns where it ends. A blank in `literal` matches one or more.
    std::optional<std::size_t> find_end(std::string_view literal, std::size_t at) const {
        for (const char c : literal) {
            if (at == text_.size() || (is_blank(c) ? !is_blank(text_[at]) : c != text_[at]))
                return std::nullopt;
            at = is_blank(c) ? after_blanks_[at] : at + 1;
        }
        return at;
    }

    // Finds `literal` at or after `at`. An empty `literal` matches the next blank or the end of the line.
    std::optional<std::size_t> find(std::string_view literal, std::size_t at) const {
        for (; at <= text_.size(); ++at)
            if (literal.empty() ? at == text_.size() || is_blank(text_[at]) : find_end(literal, at).has_value())
                return at;
        return std::nullopt;
    }

    std::string_view text() const { return text_; }

private:
    std::string_view text_;
    std::vector<std::size_t> after_blanks_;
};

// Replaces each run of blanks by one.
std::string squeezed(std::string_view text) {
    std::string out;
    for (const char c : text)
        if (!is_blank(c))
            out += c;
        else if (out.empty() || out.back() != ' ')
            out += ' ';
    return out;
}

using Json = nlohmann::json;

Error in_answer(std::uint32_t line, std::string_view what) {
    return Error(ErrorCode::malformed,
                 "line " + std::to_string(line) + " of the scanner's answer: " + std::string(what));
}

Result<FoundReference> reference_of(const Json& object, std::uint32_t line, const FoundReference& defaults) {
    FoundReference reference = defaults;
    reference.spelling = object["reference"].get<std::string>();
    for (const auto& [key, value] : object.items()) {
        if (key == "use" && value.is_string() && find_reference_use(value.get<std::string>()))
            reference.use = *find_reference_use(value.get<std::string>());
        else if (key == "form" && value.is_string() && find_reference_form(value.get<std::string>()))
            reference.form = *find_reference_form(value.get<std::string>());
        else if (key == "optional" && value.is_boolean())
            reference.optional = value.get<bool>();
        else if (key == "line" && value.is_number_unsigned() && value.get<std::uint64_t>() <= 0xffff'ffffu)
            reference.line = value.get<std::uint32_t>();
        else if (key != "reference")
            return in_answer(line, "\"" + printable(key) + "\" is not a key of a reference, or its value is not valid");
    }
    return reference;
}

bool has_text(const Json& object, const char* key) {
    return object.contains(key) && object[key].is_string() &&
           object[key].get_ref<const std::string&>().find('\0') == std::string::npos;
}

// Collects the lines of an answer, file by file.
class ScannerAnswer {
public:
    ScannerAnswer(std::span<const std::string> files, const FoundReference& defaults)
        : files_(files), defaults_(defaults), found_(std::max<std::size_t>(files.size(), 1)), begun_(found_.size()) {
        if (files.empty())
            now_ = &found_.front();
    }

    Status add(const Json& object, std::uint32_t line) {
        if (!object.is_object())
            return in_answer(line, "not a JSON object");
        for (const char* const alone : {"file", "defines"})
            if (object.contains(alone) && (object.size() != 1 || !has_text(object, alone)))
                return in_answer(line,
                                 "\"" + std::string(alone) + "\" must be the only key of its line, and have a text");
        if (object.contains("file"))
            return begin_file(object["file"].get<std::string>(), line);
        if (!object.contains("defines") && !has_text(object, "reference"))
            return in_answer(line, "there is no \"reference\", \"defines\" or \"file\" with a text");
        if (!now_)
            return in_answer(line, "the line belongs to no file; print {\"file\": \"" + printable(files_.front()) +
                                       "\"} before what is found in a file");
        if (object.contains("defines"))
            return now_->add_definition(object["defines"].get_ref<const std::string&>());
        FARDEL_TRY_ASSIGN(FoundReference reference, reference_of(object, line, defaults_));
        return now_->add(std::move(reference));
    }

    std::vector<ScanFindings> take() && {
        std::vector<ScanFindings> findings;
        for (FoundReferences& found : found_)
            findings.push_back(std::move(found).take());
        return findings;
    }

private:
    Status begin_file(const std::string& file, std::uint32_t line) {
        if (files_.empty())
            return in_answer(line, "a command without ${in} scans one file, and its answer does not name it");
        const auto at = std::ranges::find(files_, file);
        if (at == files_.end())
            return in_answer(line, "\"" + printable(file) + "\" is not one of the files to scan, such as \"" +
                                       printable(files_.front()) + "\"");
        const auto index = static_cast<std::size_t>(at - files_.begin());
        if (std::exchange(begun_[index], true))
            return in_answer(line, "\"" + printable(file) + "\" is there twice");
        now_ = &found_[index];
        return ok();
    }

    std::span<const std::string> files_;
    const FoundReference& defaults_;
    std::vector<FoundReferences> found_;
    std::vector<char> begun_;
    FoundReferences* now_ = nullptr;
};

// Throws nothing, and recurses only a few levels deep.
Result<Json> parse_line(std::string_view text, std::uint32_t line) {
    bool too_deep = false;
    Json json = Json::parse(
        text.begin(), text.end(),
        [&](int depth, Json::parse_event_t, Json&) {
            too_deep = too_deep || depth > static_cast<int>(kPatternAnswerDepthMax);
            return depth <= static_cast<int>(kPatternAnswerDepthMax);
        },
        false);
    if (too_deep || json.is_discarded())
        return in_answer(line, "not a JSON object");
    return json;
}

}  // namespace

Result<PatternScanner> PatternScanner::parse(std::string_view pattern) {
    if (pattern.size() > kPatternBytesMax)
        return Error(ErrorCode::limit, "a pattern of " + std::to_string(pattern.size()) + " bytes; at most " +
                                           std::to_string(kPatternBytesMax));
    const std::size_t at = pattern.find(kCapture);
    if (at == pattern.npos || pattern.find(kCapture, at + 1) != pattern.npos)
        return Error(ErrorCode::malformed, "a pattern contains {reference} once; " + std::string(kExample));
    if (pattern.find_first_of("\n\0", 0, 2) != pattern.npos)
        return Error(ErrorCode::malformed, "a pattern is one line of text; " + std::string(kExample));
    std::string prefix = squeezed(pattern.substr(0, at));
    if (prefix.find_first_not_of(' ') == prefix.npos)
        return Error(ErrorCode::malformed, "a pattern needs text before {reference}; " + std::string(kExample));
    return PatternScanner(std::move(prefix), squeezed(pattern.substr(at + kCapture.size())));
}

Result<ScanFindings> PatternScanner::scan(std::span<const std::byte> text, ReferenceUse use, ReferenceForm form,
                                          bool optional, bool with_locations) const {
    FARDEL_TRY_ASSIGN(std::string_view rest, asset_text(text));
    FoundReferences found(with_locations ? reinterpret_cast<const char*>(text.data()) : nullptr);
    for (std::uint32_t number = 1; !rest.empty(); ++number) {
        const std::size_t length = std::min(rest.find('\n'), rest.size());
        const Line line(rest.substr(0, length));
        rest.remove_prefix(std::min(length + 1, rest.size()));
        for (std::size_t at = 0;;) {
            const auto start = line.find(prefix_, at);
            if (!start)
                break;
            const std::size_t begin = *line.find_end(prefix_, *start);
            const auto end = line.find(suffix_, begin);
            if (!end)
                break;  // later prefixes of the line have no end either
            const std::string_view spelling = line.text().substr(begin, *end - begin);
            FARDEL_TRY(found.add(
                {.spelling = std::string(spelling), .use = use, .form = form, .optional = optional, .line = number},
                spelling));
            at = std::max(*end, *start + 1);
        }
    }
    return std::move(found).take();
}

Result<std::vector<ScanFindings>> parse_scanner_answers(std::string_view answer, std::span<const std::string> files,
                                                        const FoundReference& defaults) {
    if (answer.size() > kScannedTextBytesMax)
        return Error(ErrorCode::limit, "a scanner's answer of " + std::to_string(answer.size()) + " bytes; at most " +
                                           std::to_string(kScannedTextBytesMax));
    ScannerAnswer parsed(files, defaults);
    for (std::uint32_t line = 1; !answer.empty(); ++line) {
        const std::size_t length = std::min(answer.find('\n'), answer.size());
        const std::string_view text = answer.substr(0, length);
        answer.remove_prefix(std::min(length + 1, answer.size()));
        if (std::ranges::all_of(text, is_blank))
            continue;
        FARDEL_TRY_ASSIGN(const Json object, parse_line(text, line));
        FARDEL_TRY(parsed.add(object, line));
    }
    return std::move(parsed).take();
}

}  // namespace fardel
