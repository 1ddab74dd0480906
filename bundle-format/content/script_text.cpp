#include "script_text.h"

#include <fardel/base/ascii.h>
#include <fardel/base/text_fields.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

namespace fardel {
namespace {

// What only a script, or a page that may hold one, begins with; compared in lower case behind spaces.
struct Opening {
    std::string_view what;
    std::string_view text;
};
constexpr Opening kOpenings[] = {
    {"a script of an interpreter", "#!"},
    {"a PHP script", "<?php"},
    {"a PHP script", "<?="},
    {"a script in HTML", "<script"},
    {"an HTML page", "<!doctype html"},
    {"an HTML page", "<html"},
    {"a batch file", "@echo off"},
    {"a batch file", "@setlocal"},
    {"a PostScript program", "%!ps"},
    {"a PDF document", "%pdf-"},
    {"a desktop entry", "[desktop entry]"},
    {"an internet shortcut", "[internetshortcut]"},
    {"registry entries", "windows registry editor"},
    {"registry entries", "regedit4"},
};

// The text without a byte order mark, and without the zero bytes of ASCII text in UTF-16; lower case.
std::string text_of(std::span<const std::byte> head) {
    const std::string_view bytes = as_text(head);
    std::string text;
    if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff"))
        std::ranges::copy_if(bytes.substr(2), std::back_inserter(text), [](char c) { return c != '\0'; });
    else
        text = bytes.substr(bytes.starts_with("\xef\xbb\xbf") ? 3 : 0);
    return lower_ascii_text(text);
}

std::string_view without_spaces(std::string_view text) { return trimmed(text, " \t\n\v\f\r"); }

bool read_word(std::string_view& line, std::string_view word) {
    if (!line.starts_with(word))
        return false;
    line.remove_prefix(word.size());
    return true;
}

// Takes "name", "a.b" or "A::b" from the front; returns whether there was one.
bool read_identifier(std::string_view& line) {
    if (line.empty() || is_ascii_digit(line.front()))
        return false;
    const auto in_identifier = [](char c) { return is_ascii_letter_or_digit(c) || c == '_' || c == '.' || c == ':'; };
    const std::size_t size = static_cast<std::size_t>(std::ranges::find_if_not(line, in_identifier) - line.begin());
    line = without_spaces(line.substr(size));
    return size > 0;
}

// "local x = …", "var x;", "let x = …", "const x = …"
bool is_declaration(std::string_view line) {
    for (const std::string_view word : {"local ", "var ", "let ", "const "}) {
        std::string_view rest = line;
        if (read_word(rest, word) && read_identifier(rest))
            return rest.starts_with('=') || rest.starts_with("<-") || rest == ";";
    }
    return false;
}

// "function f(…", "local function f(…", "def f(…):", "class X extends Y"
bool is_definition(std::string_view line) {
    std::string_view rest = line;
    read_word(rest, "local ") || read_word(rest, "async ") || read_word(rest, "export ");
    if (read_word(rest, "function ") && read_identifier(rest))
        return rest.starts_with('(');
    if (read_word(rest, "def ") && read_identifier(rest))
        return rest.starts_with('(') && rest.ends_with(':');
    return read_word(rest, "class ") && read_identifier(rest) && (rest.starts_with("extends ") || rest == "{");
}

// "import a", "from a import b", "require(…)", "import … from …"
bool is_import(std::string_view line) {
    std::string_view rest = line;
    if (read_word(rest, "from ") && read_identifier(rest))
        return rest.starts_with("import ");
    if (read_word(rest, "import "))
        return (read_identifier(rest) && rest.empty()) || rest.find(" from ") != rest.npos || rest.ends_with(';');
    return line.starts_with("require(") || line.starts_with("require \"") || line.starts_with("require '") ||
           line.starts_with("module.exports") || line.starts_with("exec \"");
}

// "os.execute(…)", "Level.finish();": a call of a member, alone on its line
bool is_member_call(std::string_view line) {
    const std::size_t open = line.find('(');
    std::string_view rest = line;
    if (open == line.npos || line.substr(0, open).find_first_of(".:") == line.npos || !read_identifier(rest))
        return false;
    return rest.starts_with('(') && (rest.ends_with(')') || rest.ends_with(");"));
}

bool is_statement(std::string_view line) {
    return is_declaration(line) || is_definition(line) || is_import(line) || is_member_call(line);
}

}  // namespace

ContentFinding find_script(std::span<const std::byte> head) {
    const std::string text = text_of(head);
    const std::string_view begin = without_spaces(text);
    for (const Opening& opening : kOpenings)
        if (begin.starts_with(opening.text))
            return {ContentClass::script, opening.what};
    if (begin.starts_with('<') && begin.find("<script") != begin.npos)
        return {ContentClass::script, "a document with a script"};
    std::size_t statements = 0;
    for (std::string_view rest = text; !rest.empty() && statements < 2;)
        statements += is_statement(without_spaces(read_until(rest, '\n'))) ? 1 : 0;
    return statements < 2 ? ContentFinding{} : ContentFinding{ContentClass::script, "text with statements of a script"};
}

}  // namespace fardel
