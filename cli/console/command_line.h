// CommandLine: parses the words after a verb, in the same way for all verbs: `--help` with examples, and one clear line
// for a mistake.
#pragma once

#include "console.h"
#include "exit.h"

#include <CLI/CLI.hpp>

#include <cstdint>
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
    CLI::Option* flag(std::string names, bool& target, std::string description);
    // The flag --json.
    CLI::Option* json(bool& target, std::string description = "Print the result as JSON");

    // Returns nothing if the verb goes on. Otherwise help was printed or a mistake was reported, and the verb ends.
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

}  // namespace fardel
