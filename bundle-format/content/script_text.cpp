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
    {"a scene of Godot", "[gd_scene"},
    {"a resource of Godot", "[gd_resource"},
    {"a command of the Windows shell", "[shell]"},
    {"a document with objects", "{\\rtf"},
    {"a web page with its parts", "mime-version:"},
};

// What makes a document a script wherever it is.
constexpr std::string_view kEmbedded[] = {"<script", "<?php"};

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

bool read_keyword(std::string_view& line, std::string_view word) {
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
        if (read_keyword(rest, word) && read_identifier(rest))
            return rest.starts_with('=') || rest.starts_with("<-") || rest == ";";
    }
    return false;
}

// "function f(…", "local function f(…", "def f(…):", "class X extends Y"
bool is_definition(std::string_view line) {
    std::string_view rest = line;
    read_keyword(rest, "local ") || read_keyword(rest, "async ") || read_keyword(rest, "export ");
    if (read_keyword(rest, "function ") && read_identifier(rest))
        return rest.starts_with('(');
    if (read_keyword(rest, "def ") && read_identifier(rest))
        return rest.starts_with('(') && rest.ends_with(':');
    return read_keyword(rest, "class ") && read_identifier(rest) && (rest.starts_with("extends ") || rest == "{");
}

// "import a", "from a import b", "require(…)", "import … from …"
bool is_import(std::string_view line) {
    std::string_view rest = line;
    if (read_keyword(rest, "from ") && read_identifier(rest))
        return rest.starts_with("import ");
    if (read_keyword(rest, "import "))
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

// Takes what ends with a line, whichever system's, or with a semicolon, which stays.
std::string_view read_statement(std::string_view& rest) {
    const std::size_t end = std::min(rest.find_first_of(";\r\n"), rest.size() - 1) + 1;
    const std::string_view statement = rest.substr(0, end);
    rest.remove_prefix(end);
    return statement;
}

// Protocol 0 is text: 'c', a module and a function of it each on a line, and their arguments.
bool is_pickle(std::string_view bytes) {
    if (!bytes.starts_with('c'))
        return false;
    const std::string module(read_until(bytes, '\n'));
    const std::string function(read_until(bytes, '\n'));
    std::string_view words = module;
    std::string_view word = function;
    return read_identifier(words) && words.empty() && read_identifier(word) && word.empty() &&
           (bytes.starts_with('(') || bytes.starts_with(')') || bytes.starts_with('p') || bytes.starts_with('q'));
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
    for (const std::string_view embedded : kEmbedded)
        if (text.find(embedded) != text.npos)
            return {ContentClass::script, "a document with a script"};
    if (is_pickle(as_text(head)))
        return {ContentClass::script, "a pickle of Python"};
    std::size_t statements = 0;
    for (std::string_view rest = text; !rest.empty() && statements < 2;)
        statements += is_statement(without_spaces(read_statement(rest))) ? 1 : 0;
    return statements < 2 ? ContentFinding{} : ContentFinding{ContentClass::script, "text with statements of a script"};
}

bool begins_with_one_of(std::span<const std::byte> head, std::string_view characters) {
    const std::string text = text_of(head);
    const std::string_view begin = without_spaces(text);
    return !begin.empty() && characters.find(begin.front()) != characters.npos;
}

bool is_readable_text(std::span<const std::byte> head) {
    constexpr char kEndOfDosText = 0x1a;
    return std::ranges::none_of(text_of(head), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return (byte < 0x20 && !is_ascii_space(c) && c != kEndOfDosText) || byte == 0x7f;
    });
}

}  // namespace fardel
