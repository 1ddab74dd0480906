#include "format_scanners.h"

#include "found_references.h"
#include "script_text.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kBotFiles = "botfiles/";
constexpr std::string_view kPlayerModels = "models/players/";

// One bot of a list. An empty word: the key is absent.
struct Bot {
    ScriptWord model;
    ScriptWord head;
    ScriptWord character;
};

// "sarge/classic": the model and the skin; without a skin its default one.
std::pair<std::string, std::string> split_model(std::string_view text) {
    const std::size_t slash = std::min(text.find('/'), text.size());
    const std::string_view skin = text.substr(std::min(slash + 1, text.size()));
    return {std::string(text.substr(0, slash)), skin.empty() ? "default" : std::string(skin)};
}

Status add_player_file(FoundReferences& found, const std::string& path, const ScriptWord& word) {
    return found.add({.spelling = std::string(kPlayerModels) + path,
                      .use = ReferenceUse::file,
                      .form = ReferenceForm::player,
                      .line = word.line});
}

Status add_body(FoundReferences& found, const ScriptWord& word) {
    const auto [model, skin] = split_model(word.text);
    for (const std::string& file : {std::string("lower.md3"), std::string("upper.md3"), std::string("animation.cfg"),
                                    "lower_" + skin + ".skin", "upper_" + skin + ".skin"})
        FARDEL_TRY(add_player_file(found, model + "/" + file, word));
    return ok();
}

// "*james" is a head in a folder of heads.
Status add_head(FoundReferences& found, const ScriptWord& word) {
    const bool is_head = word.text.starts_with('*');
    const auto [name, skin] = split_model(word.text.substr(is_head ? 1 : 0));
    const std::string folder = (is_head ? "heads/" : "") + name + "/";
    FARDEL_TRY(add_player_file(found, folder + (is_head ? name : "head") + ".md3", word));
    FARDEL_TRY(add_player_file(found, folder + "head_" + skin + ".skin", word));
    return add_player_file(found, folder + "icon_" + skin + ".tga", word);
}

Status add_bot(FoundReferences& found, const Bot& bot) {
    if (!bot.model.text.empty())
        FARDEL_TRY(add_body(found, bot.model));
    if (const ScriptWord& head = bot.head.text.empty() ? bot.model : bot.head; !head.text.empty())
        FARDEL_TRY(add_head(found, head));
    if (bot.character.text.empty())
        return ok();
    return found.add({.spelling = std::string(kBotFiles) + std::string(bot.character.text),
                      .use = ReferenceUse::file,
                      .line = bot.character.line});
}

void set_key(Bot& bot, std::string_view key, const ScriptWord& value) {
    if (words_equal(key, "model"))
        bot.model = value;
    else if (words_equal(key, "headmodel"))
        bot.head = value;
    else if (words_equal(key, "aifile"))
        bot.character = value;
}

// The quoted texts of one line outside its comment. `visit` gets each.
template <class Visit>
Status each_quoted(std::string_view line, Visit visit) {
    for (std::size_t at = 0; at < line.size(); ++at) {
        if (line.substr(at).starts_with("//"))
            return ok();
        if (line[at] != '"')
            continue;
        const std::size_t end = line.find('"', at + 1);
        if (end == line.npos)
            return ok();
        FARDEL_TRY(visit(line.substr(at + 1, end - at - 1)));
        at = end;
    }
    return ok();
}

}  // namespace

// A value is on the line of its key, as in lists of arenas.
Result<ScanFindings> scan_bots(std::string_view text, const char* asset) {
    ScriptText words(text);
    FoundReferences found(asset);
    std::optional<Bot> bot;
    std::optional<ScriptWord> key;
    bool begins = true;
    std::uint32_t line = 1;
    while (true) {
        FARDEL_TRY_ASSIGN(const auto word, words.next());
        if (!word)
            break;
        line = word->line;
        const bool is_first = std::exchange(begins, false);
        if (bot && key && !word->starts_line) {
            set_key(*bot, key->text, *word);
            key.reset();
        } else if (bot && word->is("}")) {
            FARDEL_TRY(add_bot(found, *bot));
            bot.reset();
            key.reset();
        } else if (bot) {
            key = word;
        } else if (word->is("{")) {
            bot.emplace();
        } else {
            if (is_first)
                return ScanFindings{.other_format =
                                        "no list of bots: line " + std::to_string(line) + ": text outside a bot"};
            return malformed_at(line, "text outside a bot");
        }
    }
    if (bot)
        return malformed_at(line, "the text ends within a bot");
    return std::move(found).take();
}

// An included file, and the weights and chats of a character. Texts of chats are free; so lines are looked at one by
// one.
Result<ScanFindings> scan_bot_file(std::string_view text, const char* asset) {
    FoundReferences found(asset);
    for (std::uint32_t number = 1; !text.empty(); ++number) {
        const std::string_view line = text.substr(0, text.find('\n'));
        const std::string_view start = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
        FARDEL_TRY(each_quoted(line, [&](std::string_view quoted) {
            if (!start.starts_with("#include") && !quoted.ends_with(".c"))
                return ok();
            return found.add(
                {.spelling = std::string(kBotFiles) + std::string(quoted), .use = ReferenceUse::file, .line = number});
        }));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    return std::move(found).take();
}

}  // namespace fardel
