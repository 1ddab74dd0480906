#include "scan_menu.h"

#include "found_references.h"
#include "script_text.h"

#include <optional>
#include <string>
#include <utility>

namespace fardel {
namespace {

struct Keyword {
    std::string_view word;
    ReferenceUse use;
};

constexpr Keyword kKeywords[] = {
    {"asset_model", ReferenceUse::model},    {"asset_shader", ReferenceUse::shader},
    {"background", ReferenceUse::shader},    {"cinematic", ReferenceUse::video},
    {"cursor", ReferenceUse::shader},        {"gradientbar", ReferenceUse::shader},
    {"setbackground", ReferenceUse::shader}, {"itemfocussound", ReferenceUse::sound},
    {"menubuzzsound", ReferenceUse::sound},  {"menuentersound", ReferenceUse::sound},
    {"menuexitsound", ReferenceUse::sound},  {"play", ReferenceUse::sound},
    {"playlooped", ReferenceUse::sound},     {"soundloop", ReferenceUse::sound},
    {"#include", ReferenceUse::script},      {"loadmenu", ReferenceUse::script},
};

std::optional<ReferenceUse> find_use(const ScriptWord& word) {
    if (!word.quoted)
        for (const Keyword& keyword : kKeywords)
            if (words_equal(word.text, keyword.word))
                return keyword.use;
    return std::nullopt;
}

bool is_separator(const ScriptWord& word) {
    return !word.quoted && word.text.size() == 1 &&
           std::string_view("{};,()").find(word.text[0]) != std::string_view::npos;
}

}  // namespace

Result<ScanFindings> scan_menu(std::string_view text, const char* asset) {
    ScriptText words(text, "{};,()\"");
    FoundReferences found(asset);
    std::size_t depth = 0;
    std::uint32_t line = 1;
    std::optional<ReferenceUse> awaited;  // the use of the last keyword
    while (true) {
        FARDEL_TRY_ASSIGN(const auto word, words.next());
        if (!word)
            break;
        line = word->line;
        depth += word->is("{");
        if (word->is("}") && depth-- == 0)
            return malformed_at(line, "} without {");
        if (is_separator(*word)) {
            if (awaited != ReferenceUse::script || !word->is("{"))  // loadmenu { "…" }
                awaited.reset();
            continue;
        }
        if (awaited)
            FARDEL_TRY(found.add({.spelling = std::string(word->text), .use = *awaited, .line = line}, word->text));
        awaited = awaited ? std::nullopt : find_use(*word);
    }
    if (depth > 0)
        return malformed_at(line, "the text ends inside a block");
    return std::move(found).take();
}

}  // namespace fardel
