#include "format_scanners.h"

#include "found_references.h"
#include "script_text.h"

#include <fardel/base/text_fields.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kSpace = " \t\r\v\f";

// Reads the first word of `text`.
std::string_view read_word(std::string_view& text) {
    text = trimmed(text, kSpace);
    const std::string_view word = text.substr(0, text.find_first_of(kSpace));
    text = trimmed(text.substr(word.size()), kSpace);
    return word;
}

bool is_number(std::string_view word) {
    return !word.empty() && word.find_first_not_of("0123456789+-.eE") == word.npos &&
           word.find_first_of("0123456789") != word.npos;
}

// The number of words after an option of a texture statement. `numbers`: at most so many, and only numbers.
struct Option {
    std::string_view word;
    unsigned words = 1;
    bool numbers = false;
};

constexpr Option kOptions[] = {{"-mm", 2}, {"-o", 3, true}, {"-s", 3, true}, {"-t", 3, true}};

void skip_option(std::string_view& text) {
    const std::string_view word = read_word(text);
    Option option;
    for (const Option& known : kOptions)
        if (words_equal(word, known.word))
            option = known;
    for (unsigned i = 0; i < option.words; ++i) {
        std::string_view rest = text;
        if (const std::string_view value = read_word(rest); option.numbers && !is_number(value))
            return;
        text = rest;
    }
}

// Skips the options; the rest of the line is the file, which may contain spaces.
Status add_texture(FoundReferences& found, std::string_view text, std::uint32_t line) {
    while (text.starts_with('-'))
        skip_option(text);
    return found.add(
        {.spelling = std::string(text), .use = ReferenceUse::texture, .form = ReferenceForm::relative, .line = line},
        text);
}

bool is_texture_statement(std::string_view word) {
    static constexpr std::string_view kOthers[] = {"bump", "decal", "disp", "norm", "refl"};
    return words_equal(word.substr(0, 4), "map_") ||
           std::ranges::any_of(kOthers, [&](std::string_view other) { return words_equal(word, other); });
}

Status add_files(FoundReferences& found, std::string_view text, ReferenceUse use, std::uint32_t line) {
    while (!text.empty()) {
        const std::string_view file = read_word(text);
        FARDEL_TRY(found.add({.spelling = std::string(file), .use = use, .form = ReferenceForm::relative, .line = line},
                             file));
    }
    return ok();
}

Status scan_obj_line(FoundReferences& found, std::string_view word, std::string_view rest, std::uint32_t line) {
    if (words_equal(word, "mtllib"))
        return add_files(found, rest, ReferenceUse::script, line);
    if (words_equal(word, "shadow_obj") || words_equal(word, "trace_obj") || words_equal(word, "call"))
        return add_files(found, read_word(rest), ReferenceUse::model, line);
    return ok();
}

Status scan_mtl_line(FoundReferences& found, std::string_view word, std::string_view rest, std::uint32_t line) {
    return is_texture_statement(word) ? add_texture(found, rest, line) : ok();
}

template <class ScanLine>
Result<ScanFindings> scan_lines(std::string_view text, const char* asset, ScanLine scan_line) {
    FoundReferences found(asset);
    for (std::uint32_t number = 1; !text.empty(); ++number) {
        std::string_view line = trimmed(read_until(text, '\n'), kSpace);
        if (line.starts_with('#'))
            continue;
        const std::string_view word = read_word(line);
        FARDEL_TRY(scan_line(found, word, line, number));
    }
    return std::move(found).take();
}

}  // namespace

Result<ScanFindings> scan_obj(std::string_view text, const char* asset) {
    return scan_lines(text, asset, scan_obj_line);
}

Result<ScanFindings> scan_mtl(std::string_view text, const char* asset) {
    return scan_lines(text, asset, scan_mtl_line);
}

}  // namespace fardel
