#include "map_entity.h"

#include "script_text.h"

#include <fardel/format/limits.h>

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

// Compilers put the models of misc_model into the map; targets and positions draw nothing.
bool reads_no_model(std::string_view class_name) {
    const auto begins = [&](std::string_view word) { return words_equal(class_name.substr(0, word.size()), word); };
    return words_equal(class_name, "misc_model") || begins("target_") || begins("info_");
}

}  // namespace

Status MapEntity::add(std::string_view key, std::string_view value, std::uint32_t line) {
    if (words_equal(key, "classname"))
        class_name_ = value;
    const bool known =
        std::ranges::any_of(std::initializer_list<std::string_view>{"music", "noise", "model", "model2",
                                                                    "targetshadername", "targetnewshadername"},
                            [&](std::string_view one) { return words_equal(key, one); });
    if (!known)
        return ok();
    if (values_.size() >= limits::kReferencesPerAssetMax)
        return Error(ErrorCode::limit, "an entity with more than " + std::to_string(values_.size()) + " names");
    values_.push_back({.key = key, .value = value, .line = line});
    return ok();
}

Status MapEntity::add_references(FoundReferences& found, bool compiled) {
    const bool is_speaker = words_equal(class_name_, "target_speaker");
    const bool is_unread = compiled && reads_no_model(class_name_);
    for (const Value& one : values_) {
        FoundReference reference{.spelling = std::string(one.value), .use = ReferenceUse::shader, .line = one.line};
        if (words_equal(one.key, "music")) {
            FARDEL_TRY(add_music(found, one.value, one.line));
            continue;
        }
        const bool is_model = words_equal(one.key, "model");
        if (words_equal(one.key, "noise")) {
            reference.use = ReferenceUse::sound;
            if (is_speaker)
                reference.form = ReferenceForm::speaker;
        } else if (is_model || words_equal(one.key, "model2")) {
            reference.use = ReferenceUse::model;
            reference.optional = is_model && is_unread;
        }
        // "*1": a model inside the map; "*falling1": a sound of the player's model
        if (reference.use == ReferenceUse::shader || !one.value.starts_with('*'))
            FARDEL_TRY(found.add(std::move(reference), one.value));
    }
    values_.clear();
    return ok();
}

}  // namespace fardel
