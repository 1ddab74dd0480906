#include "command_line.h"

#include "completion.h"
#include "figures.h"
#include "help_text.h"

#include <fardel/packer/nearest_word.h>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>

namespace fardel {
namespace {

class HelpFormatter final : public CLI::Formatter {
public:
    explicit HelpFormatter(std::string usage) : usage_(std::move(usage)) {
        label("Positionals", "Arguments");
        label("REQUIRED", "");  // the usage line shows it
        column_width(description_column());
    }
    std::string make_usage(const CLI::App*, std::string) const override { return usage_; }
    std::string make_footer(const CLI::App* app) const override { return app->get_footer() + "\n"; }

private:
    std::string usage_;
};

std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

// CLI11 would parse "[maps]", "{}" and "%%" as lists. A guard character in front prevents that.
constexpr char kGuard = '\x01';

std::string guarded(const std::string& word) {
    const bool odd =
        !word.empty() && (word.front() == '[' || word.front() == '{' || word.front() == '%' || word.front() == kGuard);
    return odd ? kGuard + word : word;
}

void unguard(std::string& word) {
    if (word.starts_with(kGuard))
        word.erase(0, 1);
}

// "init, stats or trim"
std::string choices_text(std::span<const SubVerb> sub_verbs) {
    std::string text;
    for (std::size_t i = 0; i < sub_verbs.size(); ++i)
        text += fmt::format("{}{}", i == 0 ? "" : i + 1 == sub_verbs.size() ? " or " : ", ", sub_verbs[i].name);
    return text;
}

}  // namespace

Option Option::required() const { return Option(parsed_->required()); }

Option Option::needs(Option other) const { return Option(parsed_->needs(other.parsed_)); }

Option Option::option_text(std::string_view value) const { return Option(parsed_->option_text(std::string(value))); }

Option Option::description(std::string_view text) const { return Option(parsed_->description(std::string(text))); }

struct CommandLine::Parser {
    Parser(std::string summary, std::string program) : app(std::move(summary), std::move(program)) {}

    template <class Target>
    CLI::Option* add(std::string_view names, std::string_view value, Target& target, std::string_view description) {
        CLI::Option* const option = app.add_option(std::string(names), target, std::string(description));
        // Positionals need no value name: they are called like their value.
        return option->get_positional() ? option->type_name("") : option->option_text(std::string(value));
    }

    // `parse` throws CLI::ValidationError.
    CLI::Option* add_parsed(std::string_view names, std::string value,
                            const std::function<void(const std::string&)>& parse, std::string_view description) {
        return app.add_option_function<std::string>(std::string(names), parse, std::string(description))
            ->option_text(std::move(value));
    }

    // "; did you mean --channel?" about the first word that looks like an option and is none.
    std::string suggest_option(Words words) const {
        std::vector<std::string> names;
        for (const CLI::Option* const option : app.get_options())
            for (const std::string& name : option->get_lnames())
                names.push_back(name);
        for (const std::string& word : words) {
            if (word == "--")
                break;  // what follows are no options
            if (!word.starts_with("--"))
                continue;
            const std::string_view name = std::string_view(word).substr(2, word.find('=') - 2);
            if (std::ranges::find(names, name) != names.end())
                continue;
            const auto nearest = find_nearest_word(name, std::vector<std::string_view>(names.begin(), names.end()));
            return nearest ? fmt::format("; did you mean --{}?", *nearest) : "";
        }
        return "";
    }

    // The name of an option's value, "" if it takes none; nothing if the word is no option.
    std::optional<std::string> find_value_of(std::string_view word) const {
        for (const CLI::Option* const option : app.get_options())
            if (option->nonpositional() && option->check_name(std::string(word.substr(0, word.find('=')))))
                return option->get_items_expected_max() == 0 ? "" : option->get_option_text();
        return std::nullopt;
    }

    std::string complete(Words words) const {
        const std::string_view current = words.back();
        const Words before = words.first(words.size() - 1);
        if (std::ranges::find(before, "--") != before.end())
            return complete_value("FILE");
        if (!before.empty() && before.back().starts_with('-') && before.back().find('=') == std::string::npos)
            if (const auto value = find_value_of(before.back()); value && !value->empty())
                return complete_value(*value);
        if (current.starts_with("--") && current.find('=') != std::string_view::npos)
            return complete_value(find_value_of(current).value_or(""));
        if (!current.starts_with('-'))
            return complete_value(
                app.get_options([](const CLI::Option* option) { return option->get_positional(); }).empty() ? ""
                                                                                                            : "FILE");
        std::string candidates;
        for (const CLI::Option* const option : app.get_options()) {
            for (const std::string& name : option->get_snames())
                candidates += candidate("-" + name, option->get_description(), current);
            for (const std::string& name : option->get_lnames())
                candidates += candidate("--" + name, option->get_description(), current);
        }
        return candidates;
    }

    // The words as the parser takes them, in which each option has one value.
    std::vector<std::string> joined(Words words) const {
        std::vector<std::string> out;
        for (std::size_t i = 0; i < words.size(); ++i) {
            out.push_back(words[i]);
            if (words[i] == "--") {
                out.insert(out.end(), words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
                break;
            }
            const std::string name = words[i].substr(0, words[i].find('='));
            const auto option = std::ranges::find(joining, name, &Joining::name);
            if (option == joining.end())
                continue;
            if (name == words[i] && i + 1 < words.size() && !words[i + 1].starts_with("--"))
                out.push_back(words[++i]);
            for (; i + 1 < words.size() && option->belongs(words[i + 1]); ++i)
                out.back() += " " + words[i + 1];
        }
        return out;
    }

    // An option that has "license" in its name is meant by "licence", too, and the other way round.
    std::vector<std::string> respell_licence(Words words) const {
        std::vector<std::string> respelled(words.begin(), words.end());
        for (std::string& word : respelled) {
            if (word == "--")
                break;
            const std::string name = word.substr(0, word.find('='));
            if (!word.starts_with("--") || app.get_option_no_throw(name) != nullptr)
                continue;
            for (const auto& [from, to] : {std::pair("licence", "license"), std::pair("license", "licence")})
                if (const auto at = name.find(from); at != name.npos)
                    if (std::string other = std::string(name).replace(at, 7, to);
                        app.get_option_no_throw(other) != nullptr)
                        word.replace(0, name.size(), other);
        }
        return respelled;
    }

    struct Joining {
        std::string name;  // "--variants"
        bool (*belongs)(const std::string& word);
    };

    CLI::App app;
    std::vector<Joining> joining;
    // Targets of options, from which parse() removes its guards.
    std::vector<std::string*> single;
    std::vector<std::vector<std::string>*> several;
};

CommandLine::CommandLine(std::string_view verb, std::string_view usage, std::string_view summary,
                         std::string_view examples)
    : verb_(verb), parser_(std::make_unique<Parser>(fmt::format("{}\n", summary), fmt::format("fardel {}", verb))) {
    CLI::App& app = parser_->app;
    app.formatter(std::make_shared<HelpFormatter>(fmt::format("Usage: fardel {} {}\n", verb, usage)));
    app.footer(fmt::format("Examples:\n{}\nMore: man fardel-{}", examples, verb.substr(0, verb.find(' '))));
    app.set_help_flag("-h,--help", "Show this help and exit");
    app.allow_windows_style_options(false);  // /maps is a path on Windows, too
}

CommandLine::~CommandLine() = default;

Option CommandLine::text(std::string_view names, std::string_view value, std::string& target,
                         std::string_view description) {
    parser_->single.push_back(&target);
    return Option(parser_->add(names, value, target, description));
}

Option CommandLine::texts(std::string_view names, std::string_view value, std::vector<std::string>& target,
                          std::string_view description) {
    parser_->several.push_back(&target);
    CLI::Option* const option = parser_->add(names, value, target, description);
    // Otherwise an option would also take the arguments after its value.
    return Option(option->allow_extra_args(option->get_positional()));
}

Option CommandLine::joined_texts(std::string_view names, std::string_view value, std::vector<std::string>& target,
                                 bool (*belongs)(const std::string& word), std::string_view description) {
    parser_->joining.push_back({.name = std::string(names), .belongs = belongs});
    return texts(names, value, target, description);
}

Option CommandLine::number(std::string_view names, std::uint64_t& target, std::uint64_t least, std::uint64_t most,
                           std::string_view description) {
    // CLI11's own parser would read "010" as eight.
    const auto parse = [&target, least, most, names = std::string(names)](const std::string& text) {
        const auto number = find_number(text);
        if (!number || *number < least || *number > most)
            throw CLI::ValidationError(names, fmt::format("'{}' is not a number from {} to {}", text, least, most));
        target = *number;
    };
    return Option(parser_->add_parsed(names, "N", parse, description));
}

Option CommandLine::size(std::string_view names, std::optional<std::uint64_t>& target, std::string_view description,
                         std::uint64_t least) {
    const auto parse = [&target, least, names = std::string(names)](const std::string& text) {
        target = find_size(text);
        if (!target)
            throw CLI::ValidationError(names, fmt::format("'{}' is not a size such as 500M or 20G", text));
        if (*target < least)
            throw CLI::ValidationError(names, fmt::format("'{}' is less than {} bytes", text, least));
    };
    return Option(parser_->add_parsed(names, "SIZE", parse, description));
}

Option CommandLine::time(std::string_view names, std::optional<std::int64_t>& target_s, std::string_view description) {
    const auto parse = [&target_s, names = std::string(names)](const std::string& text) {
        target_s = find_duration(text);
        if (!target_s)
            throw CLI::ValidationError(names, fmt::format("'{}' is not a time such as 90d, 12h, 15m or 30s", text));
    };
    return Option(parser_->add_parsed(names, "TIME", parse, description));
}

Option CommandLine::word(std::string_view names, std::vector<std::string> words, std::string& target,
                         std::string_view description) {
    std::string value = fmt::format("{}", fmt::join(words, "|"));
    const auto parse = [&target, words = std::move(words), names = std::string(names)](const std::string& text) {
        if (std::ranges::find(words, text) == words.end())
            throw CLI::ValidationError(names, fmt::format("'{}' is none of {}", text, fmt::join(words, ", ")));
        target = text;
    };
    return Option(parser_->add_parsed(names, std::move(value), parse, description));
}

Option CommandLine::flag(std::string_view names, bool& target, std::string_view description) {
    return Option(parser_->app.add_flag(std::string(names), target, std::string(description)));
}

Option CommandLine::json(bool& target, std::string_view description) { return flag("--json", target, description); }

Result<Exit> CommandLine::run(Words words, Console& console, const std::function<Result<Exit>()>& work) {
    const auto over = parse(words, console);
    return over ? *over : work();
}

std::optional<Exit> CommandLine::parse(Words words, Console& console) {
    if (is_completion(words)) {
        static_cast<void>(console.write(parser_->complete(words.subspan(1))));
        return Exit::fine;
    }
    const std::vector<std::string> respelled = parser_->respell_licence(words);
    const std::vector<std::string> whole = parser_->joined(respelled);
    std::vector<std::string> reversed;  // the order that CLI11 expects
    std::transform(whole.rbegin(), whole.rend(), std::back_inserter(reversed), guarded);
    try {
        parser_->app.parse(std::move(reversed));
        std::ranges::for_each(parser_->single, [](std::string* target) { unguard(*target); });
        for (std::vector<std::string>* const target : parser_->several)
            std::ranges::for_each(*target, unguard);
        if (const CLI::Option* const json = parser_->app.get_option_no_throw("--json"); json && json->count() != 0)
            console.expect_json();
        return std::nullopt;
    } catch (const CLI::CallForHelp&) {
        const Status written = console.write(fit_help(parser_->app.help()));
        if (written)
            return Exit::fine;
        console.say(written.error());
        return Exit::io;
    } catch (const CLI::ParseError& error) {
        std::string text = first_line(error.what());
        // By type: CLI11 gives the message as the name of this one.
        if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
            text = "unexpected argument: " + text.substr(text.find(": ") + 2) + parser_->suggest_option(words);
        // "--from: 1 required TEXT missing"
        if (const auto end = text.find(": 1 required "); error.get_name() == "ArgumentMismatch" && end != text.npos)
            text = text.substr(0, end) + " needs a value";
        std::erase(text, kGuard);
        return mistake(text, console);
    }
}

Exit CommandLine::mistake(std::string_view text, Console& console) const {
    console.say(fmt::format("fardel: {}: {}; see 'fardel {} --help'", verb_, text, verb_));
    return Exit::usage;
}

Result<Exit> run_sub_verb(std::string_view verb, std::span<const SubVerb> sub_verbs, std::string_view help, Words words,
                          Console& console) {
    if (is_completion(words)) {
        const auto found = std::ranges::find(sub_verbs, words[1], &SubVerb::name);
        if (words.size() == 2 || found == sub_verbs.end())
            return console.print(format_each(sub_verbs, [&](const SubVerb& sub_verb) {
                return words.size() == 2 ? candidate(sub_verb.name, "", words[1]) : std::string();
            }));
        std::vector<std::string> rest(words.begin() + 1, words.end());
        rest[0] = words[0];
        return found->run(rest, console);
    }
    const std::string_view word = words.empty() ? "" : std::string_view(words[0]);
    if (const auto found = std::ranges::find(sub_verbs, word, &SubVerb::name); found != sub_verbs.end())
        return found->run(words.subspan(1), console);
    if (word == "--help" || word == "-h")
        return console.print(fit_help(help));
    std::vector<std::string_view> names;
    std::ranges::transform(sub_verbs, std::back_inserter(names), &SubVerb::name);
    const auto nearest = find_nearest_word(word, names);
    const std::string problem = words.empty()
                                    ? "a sub-verb is missing"
                                    : fmt::format("there is no sub-verb '{}'{}", word,
                                                  nearest ? fmt::format("; did you mean '{}'?", *nearest) : "");
    console.say(
        fmt::format("fardel: {}: {}; use {}; see 'fardel {} --help'", verb, problem, choices_text(sub_verbs), verb));
    return Exit::usage;
}

}  // namespace fardel
