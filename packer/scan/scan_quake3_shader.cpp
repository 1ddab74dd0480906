#include "format_scanners.h"

#include "found_references.h"
#include "script_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fardel {
namespace {

enum class ShaderArguments : std::uint8_t { name, name_or_own, frames, sky };

struct ShaderKeyword {
    std::string_view word;
    ReferenceUse use;
    bool optional = false;
    ShaderArguments arguments = ShaderArguments::name;
};

constexpr ShaderKeyword kOfShader[] = {
    {"skyparms", ReferenceUse::texture, false, ShaderArguments::sky},
    {"implicitmap", ReferenceUse::texture, false, ShaderArguments::name_or_own},
    {"implicitmask", ReferenceUse::texture, false, ShaderArguments::name_or_own},
    {"implicitblend", ReferenceUse::texture, false, ShaderArguments::name_or_own},
    {"qer_editorimage", ReferenceUse::texture, true},
    {"q3map_lightimage", ReferenceUse::texture, true},
    {"q3map_normalimage", ReferenceUse::texture, true},
    {"q3map_backshader", ReferenceUse::shader, true},
    {"q3map_baseshader", ReferenceUse::shader, true},
    {"q3map_cloneshader", ReferenceUse::shader, true},
    {"q3map_remapshader", ReferenceUse::shader, true},
    {"q3map_flare", ReferenceUse::shader, true},
    {"q3map_flareshader", ReferenceUse::shader, true},
    {"q3map_surfacemodel", ReferenceUse::model, true},
};

constexpr ShaderKeyword kOfStage[] = {
    {"map", ReferenceUse::texture},
    {"clampmap", ReferenceUse::texture},
    {"animmap", ReferenceUse::texture, false, ShaderArguments::frames},
    {"clampanimmap", ReferenceUse::texture, false, ShaderArguments::frames},
    {"videomap", ReferenceUse::video},
    {"normalmap", ReferenceUse::texture},
    {"bumpmap", ReferenceUse::texture},
    {"specularmap", ReferenceUse::texture},
};

using ShaderLine = std::vector<ScriptWord>;
// The game loads so many frames of an animMap.
constexpr std::size_t kFramesMax = 8;
// Further words of one line are ignored.
constexpr std::size_t kLineWordsMax = 256;

// "$lightmap", "*white": images that the game creates.
bool is_created_by_game(std::string_view name) { return name.starts_with('$') || name.starts_with('*'); }

// The game reads the near box and never draws it. A far box that is a bare word, such as "full", is often written by
// habit: without its images the game draws clouds and no box, and reports nothing.
Status add_sky_box(FoundReferences& found, const ScriptWord& box, bool is_near) {
    if (box.text == "-")
        return ok();
    const bool optional = is_near || box.text.find_first_of("/\\") == box.text.npos;
    return found.add(
        {.spelling = std::string(box.text), .use = ReferenceUse::sky_box, .optional = optional, .line = box.line});
}

// Returns the number of words behind the keyword that belong to it.
std::size_t count_arguments(const ShaderKeyword& keyword, std::size_t words_behind) {
    const std::size_t most = keyword.arguments == ShaderArguments::frames ? words_behind
                             : keyword.arguments == ShaderArguments::sky  ? 3
                                                                          : 1;
    return std::min(most, words_behind);
}

// `own`: the name of the shader, which "implicitMap -" means.
Status add_arguments(FoundReferences& found, const ShaderKeyword& keyword, std::span<const ScriptWord> words,
                     std::string_view own) {
    if (keyword.arguments == ShaderArguments::sky) {
        for (const std::size_t word : {0u, 2u})
            if (word < words.size())
                FARDEL_TRY(add_sky_box(found, words[word], word == 2));
        return ok();
    }
    const bool frames = keyword.arguments == ShaderArguments::frames;
    for (std::size_t at = frames ? 1 : 0; at < words.size(); ++at) {
        const ScriptWord& word = words[at];
        FoundReference reference{.spelling = std::string(word.text),
                                 .use = keyword.use,
                                 .optional = keyword.optional || (frames && at > kFramesMax),
                                 .line = word.line};
        if (keyword.arguments == ShaderArguments::name_or_own && word.text == "-") {
            reference.spelling = own;
            FARDEL_TRY(found.add(std::move(reference)));
        } else if (!is_created_by_game(word.text)) {
            FARDEL_TRY(found.add(std::move(reference), word.text));
        }
    }
    return ok();
}

// Scans the text. The depth is 0 outside shaders, 1 in a shader, 2 in a stage. A shader that is not well formed is
// reported as a mistake, and the next one is read.
class ShaderScan {
public:
    ShaderScan(std::string_view text, const char* asset, std::span<const std::string> image_words)
        : text_(text), image_words_(image_words), found_(asset) {}

    Result<ScanFindings> run() && {
        while (true) {
            auto word = text_.next();
            // Behind the last shader the game reads a comment without an end as a comment.
            if (!word && (depth_ > 0 || name_ || !text_.ends_in_comment()))
                found_.add_mistake(word.error());
            if (!word || !*word)
                return std::move(*this).finish(word && depth_ > 0);
            last_line_ = (*word)->line;
            FARDEL_TRY(handle_word(**word));
        }
    }

private:
    Result<ScanFindings> finish(bool is_inside) && {
        FARDEL_TRY(end_line());
        if (is_inside)
            add_mistake(last_line_, "the text ends inside a shader");
        else if (name_ && depth_ == 0)
            add_mistake(name_->line, "a shader's name is not followed by {");
        // "shader_type spatial;" and the like: not one shader of this game, so it is no mistake of its author.
        const auto& defines = found_.findings().defines;
        const auto has_folder = [](std::string_view name) { return name.find_first_of("/\\") != name.npos; };
        if (begins_otherwise_ && found_.findings().references.empty() && std::ranges::none_of(defines, has_folder))
            return ScanFindings{.other_format = "no shader script of Quake III: " + found_.findings().mistakes.front()};
        return std::move(found_).take();
    }

    void add_mistake(std::uint32_t line, std::string_view what) {
        begins_otherwise_ = begins_otherwise_ || (found_.mistake_count() == 0 && found_.findings().defines.empty());
        found_.add_mistake(malformed_at(line, what));
    }

    Status handle_word(const ScriptWord& word) {
        if (word.is("{"))
            return open(word);
        if (word.is("}"))
            return close(word);
        if (depth_ == 0)
            return handle_name(word), ok();
        if (word.starts_line)
            FARDEL_TRY(end_line());
        if (line_.size() < kLineWordsMax)
            line_.push_back(word);
        return ok();
    }

    void handle_name(const ScriptWord& word) {
        if (name_ && word.starts_line)
            add_mistake(name_->line, "a shader's name is not followed by {");
        is_phrase_ = name_ && !word.starts_line;
        name_ = word;
    }

    Status open(const ScriptWord& word) {
        // A name with a folder, alone on its line before {: the shader before has a { too many, or no }.
        if (depth_ > 0 && line_.size() == 1 && line_[0].starts_line &&
            line_[0].text.find_first_of("/\\") != line_[0].text.npos) {
            if (!is_skipped_)
                add_mistake(line_[0].line, "the shader before has a { without }");
            name_ = line_[0];
            line_.clear();
            is_skipped_ = is_phrase_ = false;
            depth_ = 0;
        }
        FARDEL_TRY(end_line());
        if (depth_ == 0)
            FARDEL_TRY(begin_shader(word));
        else if (depth_ == 2)
            skip_shader(word.line, "{ inside a stage");
        ++depth_;
        return ok();
    }

    Status begin_shader(const ScriptWord& word) {
        const bool is_named = name_ && !name_->text.empty();
        if (is_phrase_) {
            skip_shader(word.line, "a shader's name is not followed by {");
        } else if (is_named) {
            own_name_ = name_->text;
            FARDEL_TRY(found_.add_definition(own_name_));
        } else {
            skip_shader(word.line, "a shader has no name");
        }
        name_.reset();
        is_phrase_ = false;
        return ok();
    }

    void skip_shader(std::uint32_t line, std::string_view what) {
        if (!std::exchange(is_skipped_, true))
            add_mistake(line, what);
    }

    Status close(const ScriptWord& word) {
        FARDEL_TRY(end_line());
        if (depth_ == 0) {
            add_mistake(word.line, "} without {");
            name_.reset();
            return ok();
        }
        if (--depth_ == 0)
            is_skipped_ = false;
        return ok();
    }

    // A line may have several keywords, each with its arguments.
    Status end_line() {
        const ShaderLine line = std::exchange(line_, {});
        if (is_skipped_)
            return ok();
        const std::span<const ScriptWord> words = line;
        for (std::size_t at = 0; at < words.size();) {
            const auto keyword = find_keyword(words[at++].text);
            if (!keyword)
                continue;
            const std::size_t count = count_arguments(*keyword, words.size() - at);
            FARDEL_TRY(add_arguments(found_, *keyword, words.subspan(at, count), own_name_));
            at += count;
        }
        return ok();
    }

    std::optional<ShaderKeyword> find_keyword(std::string_view word) const {
        const auto keywords =
            depth_ == 1 ? std::span<const ShaderKeyword>(kOfShader) : std::span<const ShaderKeyword>(kOfStage);
        for (const ShaderKeyword& keyword : keywords)
            if (words_equal(word, keyword.word))
                return keyword;
        for (const std::string& image_word : image_words_)
            if (words_equal(word, image_word))
                return ShaderKeyword{.word = image_word, .use = ReferenceUse::texture};
        return std::nullopt;
    }

    ScriptText text_;
    std::span<const std::string> image_words_;
    FoundReferences found_;
    ShaderLine line_;
    std::optional<ScriptWord> name_;  // of the shader whose { comes next
    std::string_view own_name_;       // of the shader that the scan is inside
    std::size_t depth_ = 0;
    std::uint32_t last_line_ = 1;
    bool is_phrase_ = false;         // more words than one stand before {
    bool is_skipped_ = false;        // the rest of this shader
    bool begins_otherwise_ = false;  // the first mistake comes before the first shader
};

}  // namespace

Result<ScanFindings> scan_quake3_shader(std::string_view text, const char* asset,
                                        std::span<const std::string> image_words) {
    return ShaderScan(text, asset, image_words).run();
}

}  // namespace fardel
