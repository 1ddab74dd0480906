#include "format_scanners.h"

#include "found_references.h"
#include "script_text.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fardel {
namespace {

enum class ShaderArguments : std::uint8_t { name, frames, sky };

struct ShaderKeyword {
    std::string_view word;
    ReferenceUse use;
    bool optional = false;
    ShaderArguments arguments = ShaderArguments::name;
};

constexpr ShaderKeyword kOfShader[] = {
    {"skyparms", ReferenceUse::texture, false, ShaderArguments::sky},
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
    {"videomap", ReferenceUse::video},
    {"normalmap", ReferenceUse::texture},
    {"bumpmap", ReferenceUse::texture},
    {"specularmap", ReferenceUse::texture},
};

// A keyword and the other words of its line.
using ShaderLine = std::vector<ScriptWord>;
// The game loads so many frames of an animMap.
constexpr std::size_t kFramesMax = 8;
// Further words of one statement are ignored.
constexpr std::size_t kStatementWordsMax = 256;

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

Status add_statement(FoundReferences& found, const ShaderKeyword& keyword, const ShaderLine& statement) {
    if (keyword.arguments == ShaderArguments::sky) {
        for (const std::size_t word : {1u, 3u})
            if (word < statement.size())
                FARDEL_TRY(add_sky_box(found, statement[word], word == 3));
        return ok();
    }
    const std::size_t first = keyword.arguments == ShaderArguments::frames ? 2 : 1;
    const std::size_t end = keyword.arguments == ShaderArguments::frames ? statement.size() : 2;
    for (std::size_t at = first; at < end && at < statement.size(); ++at) {
        const ScriptWord& word = statement[at];
        const bool is_skipped = keyword.arguments == ShaderArguments::frames && at >= first + kFramesMax;
        if (!is_created_by_game(word.text))
            FARDEL_TRY(found.add({.spelling = std::string(word.text),
                                  .use = keyword.use,
                                  .optional = keyword.optional || is_skipped,
                                  .line = word.line},
                                 word.text));
    }
    return ok();
}

Status scan_statement(FoundReferences& found, const ShaderLine& statement, std::size_t depth) {
    if (statement.empty())
        return ok();
    const auto keywords =
        depth == 1 ? std::span<const ShaderKeyword>(kOfShader) : std::span<const ShaderKeyword>(kOfStage);
    for (const ShaderKeyword& keyword : keywords)
        if (words_equal(statement[0].text, keyword.word))
            return add_statement(found, keyword, statement);
    return ok();
}

// Scans the text. The depth is 0 outside shaders, 1 in a shader, 2 in a stage.
class ShaderScan {
public:
    ShaderScan(std::string_view text, const char* asset) : text_(text), found_(asset) {}

    Result<ScanFindings> run() && {
        while (true) {
            FARDEL_TRY_ASSIGN(const auto word, text_.next());
            if (!word)
                break;
            last_line_ = word->line;
            FARDEL_TRY(handle_word(*word));
        }
        if (depth_ > 0 || !name_.empty())
            return malformed_at(last_line_, "the text ends inside a shader");
        return std::move(found_).take();
    }

private:
    Status handle_word(const ScriptWord& word) {
        if (word.is("{"))
            return open(word);
        if (word.is("}"))
            return close(word);
        if (depth_ == 0)
            return handle_name(word);
        if (word.starts_line)
            FARDEL_TRY(end_statement());
        if (statement_.size() < kStatementWordsMax)
            statement_.push_back(word);
        return ok();
    }

    Status handle_name(const ScriptWord& word) {
        if (!name_.empty() || word.text.empty())
            return malformed_at(word.line, "a shader's name is not followed by {");
        name_ = word.text;
        return found_.add_definition(word.text);
    }

    Status open(const ScriptWord& word) {
        FARDEL_TRY(end_statement());
        if (depth_ == 2 || (depth_ == 0 && name_.empty()))
            return malformed_at(word.line, depth_ == 2 ? "{ inside a stage" : "a shader has no name");
        ++depth_;
        name_ = {};
        return ok();
    }

    Status close(const ScriptWord& word) {
        FARDEL_TRY(end_statement());
        if (depth_ == 0)
            return malformed_at(word.line, "} without {");
        --depth_;
        return ok();
    }

    Status end_statement() {
        const ShaderLine statement = std::exchange(statement_, {});
        return scan_statement(found_, statement, depth_);
    }

    ScriptText text_;
    FoundReferences found_;
    ShaderLine statement_;
    std::string_view name_;  // of the shader whose { comes next
    std::size_t depth_ = 0;
    std::uint32_t last_line_ = 1;
};

}  // namespace

Result<ScanFindings> scan_quake3_shader(std::string_view text, const char* asset) {
    return ShaderScan(text, asset).run();
}

}  // namespace fardel
