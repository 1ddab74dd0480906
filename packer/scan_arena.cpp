#include "scan_arena.h"

#include "found_references.h"
#include "script_text.h"

#include <string>
#include <utility>

namespace fardel {
namespace {

// A level by its bare name, and the picture that menus and the loading screen show of it.
Status add_level(FoundReferences& found, const ScriptWord& level) {
    FARDEL_TRY(found.add({.spelling = std::string(level.text), .use = ReferenceUse::map, .line = level.line}));
    if (level.text.empty())
        return ok();
    return found.add({.spelling = "levelshots/" + std::string(level.text), .use = ReferenceUse::shader, .optional = true, .line = level.line});
}

}  // namespace

Result<ScanFindings> scan_arena(std::string_view text) {
    ScriptText words(text, "{}");
    FoundReferences found;
    bool inside = false;
    std::uint32_t line = 1;
    while (true) {
        FARDEL_TRY_ASSIGN(const auto key, words.next());
        if (!key)
            break;
        line = key->line;
        if (key->is("{") || key->is("}")) {
            if (inside != key->is("}"))
                return malformed_at(line, inside ? "{ within an arena" : "} without {");
            inside = !inside;
            continue;
        }
        if (!inside)
            return malformed_at(line, "a word outside an arena");
        FARDEL_TRY_ASSIGN(const auto value, words.next());
        if (!value || value->is("{") || value->is("}"))
            return malformed_at(line, "a key has no value");
        if (words_equal(key->text, "map"))
            FARDEL_TRY(add_level(found, *value));
    }
    if (inside)
        return malformed_at(line, "the text ends within an arena");
    return std::move(found).take();
}

}  // namespace fardel
