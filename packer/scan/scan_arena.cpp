#include "format_scanners.h"

#include "found_references.h"
#include "script_text.h"

#include <optional>
#include <string>
#include <utility>

namespace fardel {
namespace {

// Adds a level by its bare name, and the picture that menus and the loading screen show for it.
Status add_level(FoundReferences& found, const ScriptWord& level) {
    FARDEL_TRY(
        found.add({.spelling = std::string(level.text), .use = ReferenceUse::map, .line = level.line}, level.text));
    if (level.text.empty())
        return ok();
    return found.add({.spelling = "levelshots/" + std::string(level.text),
                      .use = ReferenceUse::shader,
                      .optional = true,
                      .line = level.line});
}

}  // namespace

// A value is on the line of its key; a key that is alone on its line has no value. So a second { counts as a key: real
// arenas contain it.
Result<ScanFindings> scan_arena(std::string_view text, const char* asset) {
    ScriptText words(text);
    FoundReferences found(asset);
    bool inside = false;
    bool begins = true;
    std::uint32_t line = 1;
    std::optional<ScriptWord> key;
    while (true) {
        FARDEL_TRY_ASSIGN(const auto word, words.next());
        if (!word)
            break;
        line = word->line;
        const bool is_first = std::exchange(begins, false);
        if (key && !word->starts_line) {
            if (words_equal(key->text, "map"))
                FARDEL_TRY(add_level(found, *word));
            key.reset();
        } else if (inside && word->is("}")) {
            inside = false;
            key.reset();
        } else if (inside) {
            key = word;
        } else if (word->is("{")) {
            inside = true;
        } else {
            if (is_first)
                return ScanFindings{.other_format =
                                        "no list of arenas: line " + std::to_string(line) + ": text outside an arena"};
            return malformed_at(line, "text outside an arena");
        }
    }
    if (inside)
        return malformed_at(line, "the text ends within an arena");
    return std::move(found).take();
}

}  // namespace fardel
