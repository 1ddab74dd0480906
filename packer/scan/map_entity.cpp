#include "map_entity.h"

#include "script_text.h"

#include <algorithm>
#include <string>

namespace fardel {
namespace {

// "intro loop": one sound that is played once, then one that is repeated.
Status add_music(FoundReferences& found, std::string_view value, std::uint32_t line) {
    while (true) {
        value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
        if (value.empty())
            return ok();
        const std::size_t end = std::min(value.find_first_of(" \t"), value.size());
        FARDEL_TRY(found.add({.spelling = std::string(value.substr(0, end)), .use = ReferenceUse::sound, .line = line},
                             value.substr(0, end)));
        value.remove_prefix(end);
    }
}

}  // namespace

Status add_entity_key(FoundReferences& found, std::string_view key, std::string_view value, std::uint32_t line) {
    const auto add = [&](ReferenceUse use) {
        return found.add({.spelling = std::string(value), .use = use, .line = line}, value);
    };
    const bool is_no_file =
        value.starts_with('*');  // "*1": a model inside the map; "*falling1": a sound of the player's model
    if (words_equal(key, "music"))
        return add_music(found, value, line);
    if (words_equal(key, "noise"))
        return is_no_file ? ok() : add(ReferenceUse::sound);
    if (words_equal(key, "model") || words_equal(key, "model2"))
        return is_no_file ? ok() : add(ReferenceUse::model);
    if (words_equal(key, "targetshadername") || words_equal(key, "targetnewshadername"))
        return add(ReferenceUse::shader);
    return ok();
}

}  // namespace fardel
