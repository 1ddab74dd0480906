// CommandLine: the words after a verb, parsed by CLI11 the way all verbs have it: `--help` with examples, one clear
// line for a mistake.
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
    // `verb`: "pack". `usage`: what follows it, "SOURCE... -o OUT [options]". `examples`: whole lines.
    CommandLine(std::string_view verb, std::string_view usage, std::string_view summary, std::string_view examples);

    // `value`: how help names it, "FILE". Values are kept as they are; each occurrence takes one.
    CLI::Option* text(std::string names, std::string value, std::string& target, std::string description);
    // Any number of values. A positional takes all that follow, an option one an occurrence.
    CLI::Option* texts(std::string names, std::string value, std::vector<std::string>& target, std::string description);
    // Decimal, from `least` to `most`.
    CLI::Option* number(std::string names, std::uint64_t& target, std::uint64_t least, std::uint64_t most,
                        std::string description);
    CLI::Option* flag(std::string names, bool& target, std::string description);

    // Nothing: go on. Otherwise help or a mistake has been told, and the verb is over.
    std::optional<Exit> parse(Words words, Console& console);
    // For mistakes that only the verb can see.
    Exit mistake(std::string_view text, Console& console) const;

private:
    std::string verb_;
    CLI::App app_;
    std::vector<std::string*> single_;  // targets, to be relieved of what parse() adds
    std::vector<std::vector<std::string>*> several_;
};

}  // namespace fardel
