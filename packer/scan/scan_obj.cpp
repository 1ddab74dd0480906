#include "format_scanners.h"

#include "found_references.h"
#include "script_text.h"

#include <fardel/base/ascii.h>
#include <fardel/base/text_fields.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fardel {
namespace {

using ReadName = FoundReferences::ReadName;
using Reading = FoundReferences::Reading;

constexpr std::string_view kLineSpace = " \t\r\v\f";

bool is_line_space(char c) { return kLineSpace.find(c) != kLineSpace.npos; }

// Reads the first word of `text`.
std::string_view read_word(std::string_view& text) {
    text = trimmed(text, kLineSpace);
    const std::string_view word = text.substr(0, text.find_first_of(kLineSpace));
    text = trimmed(text.substr(word.size()), kLineSpace);
    return word;
}

bool is_number(std::string_view word) {
    return !word.empty() && word.find_first_not_of("0123456789+-.eE") == word.npos &&
           word.find_first_of("0123456789") != word.npos;
}

// ---- Statements -----------------------------------------------------------------------------------------------------

// The number of words after an option of a texture statement. `numbers`: at most so many, and only numbers.
struct Option {
    std::string_view word;
    unsigned words = 1;
    bool numbers = false;
};

constexpr Option kOptions[] = {
    {"-blendu"}, {"-blendv"},     {"-bm"},         {"-boost"},      {"-cc"},     {"-clamp"}, {"-imfchan"},
    {"-mm", 2},  {"-o", 3, true}, {"-s", 3, true}, {"-t", 3, true}, {"-texres"}, {"-type"},
};

// An unknown option has one word. "-wall.png" is none.
std::optional<Option> find_option(std::string_view word) {
    for (const Option& known : kOptions)
        if (words_equal(word, known.word))
            return known;
    const bool is_word = word.size() > 1 && std::ranges::all_of(word.substr(1), is_ascii_letter);
    return word.starts_with('-') && is_word ? std::optional(Option{.word = word}) : std::nullopt;
}

std::string_view skip_options(std::string_view text) {
    while (true) {
        std::string_view rest = text;
        const auto option = find_option(read_word(rest));
        if (!option)
            return text;
        text = rest;
        for (unsigned i = 0; i < option->words; ++i) {
            if (const std::string_view value = read_word(rest); option->numbers && !is_number(value))
                break;
            text = rest;
        }
    }
}

// Calls `ends(at)` for each word behind the first one, outside quotes, until it returns true; the text before that
// word.
template <class Ends>
std::string_view cut_at_word(std::string_view text, Ends ends) {
    bool quoted = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        quoted = quoted != (text[at] == '"');
        if (!quoted && at > 0 && is_line_space(text[at - 1]) && !is_line_space(text[at]) && ends(text.substr(at)))
            return trimmed(text.substr(0, at), kLineSpace);
    }
    return text;
}

std::string_view without_comment(std::string_view text) {
    return cut_at_word(text, [](std::string_view rest) { return rest.starts_with('#'); });
}

// Some exporters write the options of the specification behind the name.
std::string_view without_options_behind(std::string_view text) {
    return cut_at_word(text, [](std::string_view rest) {
        const std::string_view word = read_word(rest);
        return std::ranges::any_of(kOptions, [&](const Option& one) { return words_equal(word, one.word); });
    });
}

// Reads the first name: up to white space outside quotes that has no \ before it. Without `ends_at_space`, up to the
// end.
ReadName read_name(std::string_view& text, bool ends_at_space) {
    ReadName name;
    std::size_t at = 0;
    bool quoted = false;
    for (; at < text.size() && (quoted || !ends_at_space || !is_line_space(text[at])); ++at) {
        const bool escapes = text[at] == '\\' && at + 1 < text.size() &&
                             (text[at + 1] == ' ' || text[at + 1] == '"' || text[at + 1] == '#');
        if (text[at] == '"' && !escapes)
            quoted = !quoted;
        else
            name.spelling += text[at += escapes ? 1 : 0];
    }
    const std::string_view spelled = text.substr(0, at);
    if (const std::size_t there = spelled.find(name.spelling); there != spelled.npos)
        name.at = spelled.substr(there, name.spelling.size());
    text = trimmed(text.substr(at), kLineSpace);
    return name;
}

Reading as_written(std::string_view text) {
    return text.empty() ? Reading() : Reading{{.spelling = std::string(text), .at = text}};
}

Reading as_one_name(std::string_view text) {
    const ReadName name = read_name(text, false);
    return name.spelling.empty() ? Reading() : Reading{name};
}

Reading as_names(std::string_view text) {
    Reading names;
    while (!text.empty())
        if (ReadName name = read_name(text, true); !name.spelling.empty())
            names.push_back(std::move(name));
    return names;
}

// What follows the keyword of one statement. Without `in_asset` it was put together from several lines.
struct ObjStatement {
    std::string_view text;
    std::uint32_t line = 0;
    bool in_asset = true;
};

Status add(FoundReferences& found, const ObjStatement& statement, std::vector<Reading> readings, ReferenceUse use) {
    if (!statement.in_asset)
        for (Reading& reading : readings)
            for (ReadName& name : reading)
                name.at = {};
    return found.add_statement(statement.text, readings,
                               {.spelling = {}, .use = use, .form = ReferenceForm::relative, .line = statement.line});
}

// A name may contain whatever options, quotes, escapes and comments are made of. So the line as it is comes first.
Status add_texture(FoundReferences& found, const ObjStatement& statement) {
    const std::string_view named = skip_options(statement.text);
    if (named.empty())
        return ok();
    const std::string_view bare = without_options_behind(without_comment(named));
    return add(found, statement,
               {as_written(statement.text), as_written(named), as_written(without_comment(named)), as_written(bare),
                as_one_name(bare)},
               ReferenceUse::texture);
}

// One name with spaces, as most programs write it, or several, as the specification has it.
Status add_files(FoundReferences& found, const ObjStatement& statement, ReferenceUse use) {
    const std::string_view bare = without_comment(statement.text);
    return add(found, statement, {as_written(statement.text), as_written(bare), as_one_name(bare), as_names(bare)},
               use);
}

// `arguments` may follow the name.
Status add_object(FoundReferences& found, const ObjStatement& statement, bool arguments) {
    const std::string_view bare = without_comment(statement.text);
    std::vector<Reading> readings{as_written(statement.text), as_written(bare), as_one_name(bare)};
    if (arguments) {
        readings.push_back(as_names(bare));
        if (readings.back().size() > 1)
            readings.back().resize(1);
    } else if (Reading with_extension = as_one_name(bare);
               !with_extension.empty() && with_extension[0].spelling.find('.') == std::string::npos) {
        with_extension[0] = {.spelling = with_extension[0].spelling + ".obj", .at = {}};  // as the specification has it
        readings.push_back(std::move(with_extension));
    }
    return add(found, statement, std::move(readings), ReferenceUse::model);
}

Status scan_obj_statement(FoundReferences& found, std::string_view word, const ObjStatement& statement) {
    if (words_equal(word, "mtllib"))
        return add_files(found, statement, ReferenceUse::script);
    if (words_equal(word, "maplib"))
        return add_files(found, statement, ReferenceUse::file);
    const bool is_call = words_equal(word, "call");
    return is_call || words_equal(word, "shadow_obj") || words_equal(word, "trace_obj")
               ? add_object(found, statement, is_call)
               : ok();
}

// map_aat switches a filter on.
bool is_texture_statement(std::string_view word) {
    static constexpr std::string_view kOthers[] = {"bump", "decal", "disp", "norm", "refl"};
    return (words_equal(word.substr(0, 4), "map_") && !words_equal(word, "map_aat")) ||
           std::ranges::any_of(kOthers, [&](std::string_view other) { return words_equal(word, other); });
}

Status scan_mtl_statement(FoundReferences& found, std::string_view word, const ObjStatement& statement) {
    return is_texture_statement(word) ? add_texture(found, statement) : ok();
}

// ---- Lines ----------------------------------------------------------------------------------------------------------

template <class ScanStatement>
Result<ScanFindings> scan_lines(std::string_view text, const char* asset, ScanStatement scan_statement) {
    FoundReferences found(asset);
    const char end = text.find('\n') == text.npos ? '\r' : '\n';  // alone in texts of old Macintoshes
    std::uint32_t number = 0;
    while (!text.empty()) {
        std::string_view line = trimmed(read_until(text, end), kLineSpace);
        const std::uint32_t first = ++number;
        if (line.starts_with('#'))
            continue;
        std::string joined;  // a \ at the end of a line continues it
        while (line.ends_with('\\') && !text.empty()) {
            joined += std::string(line.substr(0, line.size() - 1)) + ' ';
            line = trimmed(read_until(text, end), kLineSpace);
            ++number;
        }
        if (!joined.empty()) {
            joined += line;
            line = trimmed(joined, kLineSpace);
        }
        const std::string_view word = read_word(line);
        FARDEL_TRY(scan_statement(found, word, ObjStatement{.text = line, .line = first, .in_asset = joined.empty()}));
    }
    return std::move(found).take();
}

}  // namespace

Result<ScanFindings> scan_obj(std::string_view text, const char* asset) {
    return scan_lines(text, asset, scan_obj_statement);
}

Result<ScanFindings> scan_mtl(std::string_view text, const char* asset) {
    return scan_lines(text, asset, scan_mtl_statement);
}

}  // namespace fardel
