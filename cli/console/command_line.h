// CommandLine: parses the words after a verb, in the same way for all verbs: `--help` with examples, and one clear line
// for a mistake.
#pragma once

#include "console.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

using Words = std::span<const std::string>;

class CommandLine {
public:
    // `verb`: "pack". `usage`: the words that follow it, "SOURCE... -o OUT [options]". `examples`: whole lines.
    CommandLine(std::string_view verb, std::string_view usage, std::string_view summary, std::string_view examples);

    // `value`: the name of the value in help texts, "FILE". The value is stored unchanged; an option takes one value.
    CLI::Option* text(std::string names, std::string value, std::string& target, std::string description);
    // Any number of values. A positional takes all that follow; an option is repeated, with one value each time.
    CLI::Option* texts(std::string names, std::string value, std::vector<std::string>& target, std::string description);
    // Decimal, from `least` to `most`.
    CLI::Option* number(std::string names, std::uint64_t& target, std::uint64_t least, std::uint64_t most,
                        std::string description);
    // A number of bytes, such as 200000, 500M or 20G; `least` or more.
    CLI::Option* size(std::string names, std::optional<std::uint64_t>& target, std::string description,
                      std::uint64_t least = 0);
    // A time such as 90d, 12h, 15m or 30s, in seconds.
    CLI::Option* time(std::string names, std::optional<std::int64_t>& target_s, std::string description);
    CLI::Option* flag(std::string names, bool& target, std::string description);
    // The flag --json.
    CLI::Option* json(bool& target, std::string description = "Print the result as JSON");

    // Parses the words and does the verb's work, unless help was printed or a mistake was reported.
    Result<Exit> run(Words words, Console& console, const std::function<Result<Exit>()>& work);
    // The same for a verb that checks more: returns nothing if it goes on.
    std::optional<Exit> parse(Words words, Console& console);
    // Reports a mistake that only the verb can see.
    Exit mistake(std::string_view text, Console& console) const;

private:
    std::string verb_;
    CLI::App app_;
    // Targets of options, from which parse() removes its guards.
    std::vector<std::string*> single_;
    std::vector<std::vector<std::string>*> several_;
};

// A verb of a verb, such as `fardel cache trim`.
struct SubVerb {
    std::string_view name;
    Result<Exit> (*run)(Words words, Console& console);
};

// Runs the sub-verb that the first word names, with the words that follow. Prints `help` for --help; a word that names
// no sub-verb, or none at all, is a usage error.
Result<Exit> run_sub_verb(std::string_view verb, std::span<const SubVerb> sub_verbs, std::string_view help, Words words,
                          Console& console);

}  // namespace fardel
