#include "format_scanners.h"

#include "found_references.h"
#include "script_text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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
    {"setbackground", ReferenceUse::shader}, {"focussound", ReferenceUse::sound},
    {"itemfocussound", ReferenceUse::sound}, {"menubuzzsound", ReferenceUse::sound},
    {"menuentersound", ReferenceUse::sound}, {"menuexitsound", ReferenceUse::sound},
    {"play", ReferenceUse::sound},           {"playlooped", ReferenceUse::sound},
    {"soundloop", ReferenceUse::sound},      {"#include", ReferenceUse::script},
    {"loadmenu", ReferenceUse::script},
};

// What a macro's value probably is: headers define names whose use only other files show.
constexpr Keyword kValueEnds[] = {{".wav", ReferenceUse::sound},  {".ogg", ReferenceUse::sound},
                                  {".tga", ReferenceUse::shader}, {".jpg", ReferenceUse::shader},
                                  {".png", ReferenceUse::shader}, {".md3", ReferenceUse::model},
                                  {".roq", ReferenceUse::video},  {".menu", ReferenceUse::script}};

// The game follows macros whose value is another macro; so many of them here.
constexpr int kMacroSteps = 8;

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

bool is_macro_name(const ScriptWord& word) { return !word.quoted && is_menu_macro(word.text); }

class MenuScan {
public:
    MenuScan(std::string_view text, const char* asset, bool is_part)
        : words_(text, "{};,()\""), found_(asset), is_part_(is_part) {}

    Result<ScanFindings> run() && {
        while (!ended_) {
            FARDEL_TRY_ASSIGN(const auto word, words_.next());
            if (!word)
                break;
            FARDEL_TRY(handle_word(*word));
        }
        FARDEL_TRY(end_macro());
        for (const auto& [name, value] : macros_) {
            const ScriptWord& end = last_value(value);
            FARDEL_TRY(
                found_.add_macro({.name = std::string(name), .value = std::string(end.text), .quoted = end.quoted}));
        }
        if (depth_ > 0 && !is_part_ && !ended_)
            return malformed_at(line_, "the text ends inside a block");
        return std::move(found_).take();
    }

private:
    Status handle_word(const ScriptWord& word) {
        line_ = word.line;
        if (word.starts_line && !goes_on())
            FARDEL_TRY(end_macro());
        if (is_macro_awaited_) {
            is_macro_awaited_ = false;
            macro_.emplace(word.text, std::vector<ScriptWord>());
            return ok();
        }
        if (macro_) {
            macro_->second.push_back(word);
        } else if (word.is("#define")) {
            is_macro_awaited_ = true;
            awaited_.reset();
            return ok();
        }
        return handle_statement(word);
    }

    // Whether the last word of a #define is the \ that joins the next line.
    bool goes_on() const { return macro_ && !macro_->second.empty() && macro_->second.back().is("\\"); }

    // The body of a macro ends with its line, and is read as if it stood in the text.
    Status end_macro() {
        if (!macro_)
            return ok();
        const auto [name, body] = *std::exchange(macro_, std::nullopt);
        awaited_.reset();
        if (body.size() != 1)
            return ok();
        macros_.insert_or_assign(name, body.front());
        const std::string_view value = body.front().text;
        const std::string_view extension = value.substr(std::min(value.rfind('.'), value.size()));
        for (const Keyword& end : kValueEnds)
            if (words_equal(extension, end.word))
                return add(body.front(), end.use, true);
        return ok();
    }

    Status handle_statement(const ScriptWord& word) {
        if (!macro_)
            FARDEL_TRY(count_brace(word));
        if (is_separator(word)) {
            if (awaited_ != ReferenceUse::script || !word.is("{"))  // loadmenu { "…" }
                awaited_.reset();
            return ok();
        }
        if (!awaited_) {
            awaited_ = find_use(word);
            return ok();
        }
        const ReferenceUse use = *std::exchange(awaited_, std::nullopt);
        return add_value(word, use);
    }

    // The game stops reading at a } that closes nothing; menus often end with several. A part of a menu, which others
    // include, may close their blocks.
    Status count_brace(const ScriptWord& word) {
        if (word.is("{"))
            ++depth_;
        if (!word.is("}") || is_part_)
            return ok();
        if (depth_ == 0 && !has_block_)
            return malformed_at(line_, "} without {");
        ended_ = depth_ == 0;
        has_block_ = true;
        depth_ -= depth_ > 0;
        return ok();
    }

    Status add_value(const ScriptWord& word, ReferenceUse use) {
        const ScriptWord& value = last_value(word);
        if (!is_macro_name(value))
            return add({.text = value.text, .line = word.line}, use, false);
        if (value.text.empty())
            return ok();
        return found_.add_by_macro({.spelling = std::string(value.text), .use = use, .line = word.line});
    }

    // The value of the last macro that the word leads to in this text; the word itself if it is no macro.
    const ScriptWord& last_value(const ScriptWord& word) const {
        const ScriptWord* value = &word;
        for (int step = 0; step < kMacroSteps && !value->quoted; ++step) {
            const auto macro = macros_.find(value->text);
            if (macro == macros_.end())
                break;
            value = &macro->second;
        }
        return *value;
    }

    Status add(const ScriptWord& word, ReferenceUse use, bool optional) {
        return found_.add({.spelling = std::string(word.text), .use = use, .optional = optional, .line = word.line},
                          word.text);
    }

    ScriptText words_;
    FoundReferences found_;
    bool is_part_;
    std::size_t depth_ = 0;
    bool has_block_ = false;  // one was closed
    bool ended_ = false;
    std::uint32_t line_ = 1;
    std::optional<ReferenceUse> awaited_;                                        // the use of the last keyword
    bool is_macro_awaited_ = false;                                              // after #define
    std::optional<std::pair<std::string_view, std::vector<ScriptWord>>> macro_;  // the #define of this line
    std::map<std::string_view, ScriptWord> macros_;                              // those whose body is one word
};

}  // namespace

bool is_menu_macro(std::string_view word) {
    const auto is_macro_character = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
    return std::ranges::all_of(word, is_macro_character);
}

Result<ScanFindings> scan_menu(std::string_view text, const char* asset) { return MenuScan(text, asset, false).run(); }

Result<ScanFindings> scan_menu_part(std::string_view text, const char* asset) {
    return MenuScan(text, asset, true).run();
}

}  // namespace fardel
