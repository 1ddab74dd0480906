#include "sub_verbs.h"

#include <fmt/format.h>

#include <algorithm>

namespace fardel {
namespace {

// "init, stats or trim"
std::string choices_text(std::span<const SubVerb> sub_verbs) {
    std::string text;
    for (std::size_t i = 0; i < sub_verbs.size(); ++i)
        text += fmt::format("{}{}", i == 0 ? "" : i + 1 == sub_verbs.size() ? " or " : ", ", sub_verbs[i].name);
    return text;
}

}  // namespace

Result<Exit> run_sub_verb(std::string_view verb, std::span<const SubVerb> sub_verbs, std::string_view help, Words words,
                          Console& console) {
    const std::string_view word = words.empty() ? "" : std::string_view(words[0]);
    if (const auto found = std::ranges::find(sub_verbs, word, &SubVerb::name); found != sub_verbs.end())
        return found->run(words.subspan(1), console);
    if (word == "--help" || word == "-h") {
        FARDEL_TRY(console.write(help));
        return Exit::fine;
    }
    const std::string problem =
        words.empty() ? "a sub-verb is missing" : fmt::format("there is no sub-verb '{}'", word);
    console.say(
        fmt::format("fardel: {}: {}; use {}; see 'fardel {} --help'", verb, problem, choices_text(sub_verbs), verb));
    return Exit::usage;
}

}  // namespace fardel
