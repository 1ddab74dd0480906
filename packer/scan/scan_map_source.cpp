#include "format_scanners.h"

#include "found_references.h"
#include "map_entity.h"
#include "script_text.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace fardel {
namespace {

// An entity is depth 1, a brush or patch in it 2, the inside of brushDef or patchDef 3.
constexpr std::size_t kDepthMax = 3;

class MapScan {
public:
    MapScan(std::string_view text, const char* asset) : words_(text), found_(asset) {}

    Result<ScanFindings> run() && {
        while (true) {
            FARDEL_TRY_ASSIGN(const auto word, words_.next());
            if (!word)
                break;
            line_ = word->line;
            if (std::exchange(begins_, false) && !word->is("{"))
                return ScanFindings{.other_format = "no map source of Quake III: line " + std::to_string(line_) +
                                                    ": a word outside an entity"};
            FARDEL_TRY(handle_word(*word));
        }
        if (depth_ > 0)
            return malformed_at(line_, "the text ends within an entity");
        return std::move(found_).take();
    }

private:
    Status handle_word(const ScriptWord& word) {
        if (word.starts_line)
            begin_line();
        if (word.is("{") && !expects_face_shader())
            return open();
        if (word.is("}") && !expects_face_shader())
            return close();
        if (depth_ == 0)
            return malformed_at(line_, "a word outside an entity");
        return depth_ == 1 ? handle_entity_word(word) : handle_brush_word(word);
    }

    // Counting starts again on each line: a face is one line, the matrix of a patch several.
    void begin_line() {
        points_ = 0;
        face_done_ = false;
    }

    Status open() {
        if (depth_ == 1)  // the keys come before the brushes
            FARDEL_TRY(entity_.add_references(found_, false));
        if (++depth_ > kDepthMax)
            return malformed_at(line_, "too many {");
        parentheses_ = 0;
        awaits_patch_shader_ = depth_ == kDepthMax && std::exchange(opens_patch_, false);
        key_.reset();
        return ok();
    }

    Status close() {
        if (depth_ == 0)
            return malformed_at(line_, "} without {");
        if (key_ || parentheses_ > 0)
            return malformed_at(line_, key_ ? "a key has no value" : "( without )");
        if (--depth_ == 0) {
            FARDEL_TRY(entity_.add_references(found_, false));
            entity_.end();
        }
        awaits_patch_shader_ = false;
        return ok();
    }

    Status handle_entity_word(const ScriptWord& word) {
        if (!key_) {
            key_ = word.text;
            return ok();
        }
        const std::string_view key = *std::exchange(key_, std::nullopt);
        return entity_.add(key, word.text, line_);
    }

    Status handle_brush_word(const ScriptWord& word) {
        if (word.is("("))
            return ++parentheses_, ok();
        if (word.is(")"))
            return close_parenthesis();
        if (std::exchange(awaits_patch_shader_, false))
            return add_shader(word);
        opens_patch_ = opens_patch_ || words_equal(word.text, "patchDef2") || words_equal(word.text, "patchDef3") ||
                       words_equal(word.text, "terrainDef");
        if (!expects_face_shader())
            return ok();
        face_done_ = true;
        return add_shader(word);
    }

    Status close_parenthesis() {
        if (parentheses_ == 0)
            return malformed_at(line_, ") without (");
        points_ += --parentheses_ == 0;
        return ok();
    }

    // True after the three points of a face, and after its texture matrix if it has one.
    bool expects_face_shader() const { return depth_ >= 2 && points_ >= 3 && parentheses_ == 0 && !face_done_; }

    Status add_shader(const ScriptWord& word) {
        return found_.add({.spelling = std::string(word.text),
                           .use = ReferenceUse::shader,
                           .form = ReferenceForm::below_textures,
                           .line = line_},
                          word.text);
    }

    ScriptText words_;
    FoundReferences found_;
    MapEntity entity_;
    std::optional<std::string_view> key_;
    bool begins_ = true;
    std::size_t depth_ = 0;
    std::size_t parentheses_ = 0;
    std::size_t points_ = 0;
    bool face_done_ = false;
    bool opens_patch_ = false;
    bool awaits_patch_shader_ = false;
    std::uint32_t line_ = 1;
};

}  // namespace

Result<ScanFindings> scan_map_source(std::string_view text, const char* asset) { return MapScan(text, asset).run(); }

}  // namespace fardel
