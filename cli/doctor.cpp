// fardel doctor: says what this machine has, and what to do about what it has not.

#include "bundles/store_option.h"
#include "console/figures.h"
#include "console/help_text.h"
#include "console/json.h"
#include "doctor/checkup.h"
#include "verbs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace fardel {
namespace {

std::string_view word_of(Health health) {
    switch (health) {
        case Health::ok: return "ok";
        case Health::note: return "note";
        case Health::problem: return "problem";
    }
    return "";
}

Colour colour_of(Health health) {
    return health == Health::ok ? Colour::green : health == Health::note ? Colour::yellow : Colour::red;
}

std::string line_of(const CheckedFact& fact, const Console& console) {
    const std::string_view word = word_of(fact.health);
    std::string line = fit_help(
        fmt::format("  {:<9}{}: {}{}{}\n", word, fact.topic, fact.text, fact.advice.empty() ? "" : "; ", fact.advice));
    return line.replace(2, word.size(), console.paint(colour_of(fact.health), word));
}

}  // namespace

Result<Exit> run_doctor(Words words, Console& console) {
    CommandLine line("doctor", "[TOPIC...] [options]",
                     fmt::format("Says what this machine has of what Fardel uses, with advice for what is missing, and "
                                 "changes nothing. Topics: {}. Ends with 1 if something is there and does not work, "
                                 "or if a topic that is named is not all right.",
                                 fmt::join(checkup_topics(), ", ")),
                     "  fardel doctor\n"
                     "  fardel doctor fuse store\n"
                     "  fardel doctor --project mygame --key author.key\n");
    CheckupRequest request;
    bool json = false;
    line.texts("TOPIC", "TOPIC", request.topics, "What is looked at (default: everything)");
    line.text("--project", "DIR", request.folder, "The folder with the fardel.toml whose key and caches are looked at");
    line.texts("--key", "KEY", request.keys, "A secret key file that is looked at");
    add_store_option(line, request.store);
    line.json(json);
    if (const auto over = line.parse(words, console))
        return *over;
    for (const std::string& topic : request.topics)
        if (std::ranges::find(checkup_topics(), topic) == checkup_topics().end())
            return line.mistake(fmt::format("there is no topic '{}'; use {}", topic, fmt::join(checkup_topics(), ", ")),
                                console);
    const std::vector<CheckedFact> facts = check_up(request);
    const Health allowed = request.topics.empty() ? Health::note : Health::ok;
    const auto failed = static_cast<std::uint64_t>(
        std::ranges::count_if(facts, [&](const CheckedFact& fact) { return fact.health > allowed; }));
    return print_result(
        console, json,
        [&] {
            return Json{{"fine", failed == 0}, {"facts", json_list(facts, [](const CheckedFact& fact) {
                                                    return Json{
                                                        {"topic", fact.topic},
                                                        {"verdict", word_of(fact.health)},
                                                        {"text", fact.text},
                                                        {"advice", fact.advice.empty() ? Json() : Json(fact.advice)}};
                                                })}};
        },
        [&] {
            return format_each(facts, [&](const CheckedFact& fact) { return line_of(fact, console); }) +
                   (failed == 0 ? "Everything that was asked for works.\n"
                                : format_count(failed, "thing does", "things do") + " not work.\n");
        },
        failed == 0 ? Exit::fine : Exit::refusal);
}

}  // namespace fardel
