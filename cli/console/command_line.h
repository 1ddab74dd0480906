// CommandLine: parses the words after a verb, in the same way for all verbs: `--help` with examples, and one clear line
// for a mistake. The parser is CLI11, which takes long to compile; only command_line.cpp includes it.
#pragma once

#include "console.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class Option;
}

namespace fardel {

using Words = std::span<const std::string>;

// An option of a CommandLine, which must outlive it. The functions return the same option.
class Option {
public:
    Option required() const;
    // It is a mistake to give this option without `other`.
    Option needs(Option other) const;
    // The name of its value in help texts.
    Option option_text(std::string_view value) const;
    Option description(std::string_view text) const;

private:
    friend class CommandLine;
    explicit Option(CLI::Option* parsed) noexcept : parsed_(parsed) {}

    CLI::Option* parsed_;
};

class CommandLine {
public:
    // `verb`: "pack". `usage`: the words that follow it, "SOURCE... -o OUT [options]". `examples`: whole lines.
    CommandLine(std::string_view verb, std::string_view usage, std::string_view summary, std::string_view examples);
    ~CommandLine();
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;

    // `value`: the name of the value in help texts, "FILE". The value is stored unchanged; an option takes one value.
    Option text(std::string_view names, std::string_view value, std::string& target, std::string_view description);
    // Any number of values. A positional takes all that follow; an option is repeated, with one value each time.
    Option texts(std::string_view names, std::string_view value, std::vector<std::string>& target,
                 std::string_view description);
    // The same for an option that may have values of several words: those behind it that `belongs` accepts are part of
    // the value, after a space.
    Option joined_texts(std::string_view names, std::string_view value, std::vector<std::string>& target,
                        bool (*belongs)(const std::string& word), std::string_view description);
    // Decimal, from `least` to `most`.
    Option number(std::string_view names, std::uint64_t& target, std::uint64_t least, std::uint64_t most,
                  std::string_view description);
    // A number of bytes, such as 200000, 500M or 20G; `least` or more.
    Option size(std::string_view names, std::optional<std::uint64_t>& target, std::string_view description,
                std::uint64_t least = 0);
    // A time such as 90d, 12h, 15m or 30s, in seconds.
    Option time(std::string_view names, std::optional<std::int64_t>& target_s, std::string_view description);
    // One of these words.
    Option word(std::string_view names, std::vector<std::string> words, std::string& target,
                std::string_view description);
    Option flag(std::string_view names, bool& target, std::string_view description);
    // The flag --json.
    Option json(bool& target, std::string_view description = "Print the result as JSON");

    // Parses the words and does the verb's work, unless help was printed or a mistake was reported.
    Result<Exit> run(Words words, Console& console, const std::function<Result<Exit>()>& work);
    // The same for a verb that checks more: returns nothing if it goes on.
    std::optional<Exit> parse(Words words, Console& console);
    // Reports a mistake that only the verb can see.
    Exit mistake(std::string_view text, Console& console) const;

private:
    struct Parser;

    std::string verb_;
    std::unique_ptr<Parser> parser_;
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
