#include "command_line.h"

#include "figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

namespace fardel {
namespace {

class HelpFormatter final : public CLI::Formatter {
public:
    explicit HelpFormatter(std::string usage) : usage_(std::move(usage)) {
        label("Positionals", "Arguments");
        label("REQUIRED", "");  // the usage line shows it
        column_width(32);
    }
    std::string make_usage(const CLI::App*, std::string) const override { return usage_; }
    std::string make_footer(const CLI::App* app) const override { return app->get_footer() + "\n"; }

private:
    std::string usage_;
};

std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

// Positionals need no value name: they are called like their value.
CLI::Option* name_value(CLI::Option* option, std::string value) {
    return option->get_positional() ? option->type_name("") : option->option_text(std::move(value));
}

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

CommandLine::CommandLine(std::string_view verb, std::string_view usage, std::string_view summary,
                         std::string_view examples)
    : verb_(verb), app_(std::string(summary) + "\n", "fardel " + std::string(verb)) {
    app_.formatter(std::make_shared<HelpFormatter>(fmt::format("Usage: fardel {} {}\n", verb, usage)));
    app_.footer(fmt::format("Examples:\n{}\nMore: man fardel-{}", examples, verb.substr(0, verb.find(' '))));
    app_.set_help_flag("-h,--help", "Show this help and exit");
}

CLI::Option* CommandLine::text(std::string names, std::string value, std::string& target, std::string description) {
    single_.push_back(&target);
    return name_value(app_.add_option(std::move(names), target, std::move(description)), std::move(value));
}

CLI::Option* CommandLine::texts(std::string names, std::string value, std::vector<std::string>& target,
                                std::string description) {
    several_.push_back(&target);
    CLI::Option* const option =
        name_value(app_.add_option(std::move(names), target, std::move(description)), std::move(value));
    return option->allow_extra_args(
        option->get_positional());  // otherwise an option would also take the arguments after its value
}

CLI::Option* CommandLine::number(std::string names, std::uint64_t& target, std::uint64_t least, std::uint64_t most,
                                 std::string description) {
    // CLI11's own parser would read "010" as eight.
    const auto take = [&target, least, most, names](const std::string& text) {
        const auto number = find_number(text);
        if (!number || *number < least || *number > most)
            throw CLI::ValidationError(names, fmt::format("'{}' is not a number from {} to {}", text, least, most));
        target = *number;
    };
    return app_.add_option_function<std::string>(std::move(names), take, std::move(description))->option_text("N");
}

CLI::Option* CommandLine::size(std::string names, std::optional<std::uint64_t>& target, std::string description,
                               std::uint64_t least) {
    const auto take = [&target, least, names](const std::string& text) {
        target = find_size(text);
        if (!target)
            throw CLI::ValidationError(names, fmt::format("'{}' is not a size such as 500M or 20G", text));
        if (*target < least)
            throw CLI::ValidationError(names, fmt::format("'{}' is less than {} bytes", text, least));
    };
    return app_.add_option_function<std::string>(std::move(names), take, std::move(description))->option_text("SIZE");
}

CLI::Option* CommandLine::time(std::string names, std::optional<std::int64_t>& target_s, std::string description) {
    const auto take = [&target_s, names](const std::string& text) {
        target_s = find_duration(text);
        if (!target_s)
            throw CLI::ValidationError(names, fmt::format("'{}' is not a time such as 90d, 12h, 15m or 30s", text));
    };
    return app_.add_option_function<std::string>(std::move(names), take, std::move(description))->option_text("TIME");
}

CLI::Option* CommandLine::flag(std::string names, bool& target, std::string description) {
    return app_.add_flag(std::move(names), target, std::move(description));
}

CLI::Option* CommandLine::json(bool& target, std::string description) {
    return flag("--json", target, std::move(description));
}

Result<Exit> CommandLine::run(Words words, Console& console, const std::function<Result<Exit>()>& work) {
    const auto over = parse(words, console);
    return over ? *over : work();
}

std::optional<Exit> CommandLine::parse(Words words, Console& console) {
    std::vector<std::string> reversed;  // the order that CLI11 expects
    std::transform(words.rbegin(), words.rend(), std::back_inserter(reversed), guarded);
    try {
        app_.parse(std::move(reversed));
        std::ranges::for_each(single_, [](std::string* target) { unguard(*target); });
        for (std::vector<std::string>* const target : several_)
            std::ranges::for_each(*target, unguard);
        return std::nullopt;
    } catch (const CLI::CallForHelp&) {
        const Status written = console.write(app_.help());
        if (written)
            return Exit::fine;
        console.say(written.error());
        return Exit::io;
    } catch (const CLI::ParseError& error) {
        std::string text = first_line(error.what());
        if (error.get_name() == "ExtrasError")
            text = "unexpected argument: " + text.substr(text.find(": ") + 2);
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
    const std::string_view word = words.empty() ? "" : std::string_view(words[0]);
    if (const auto found = std::ranges::find(sub_verbs, word, &SubVerb::name); found != sub_verbs.end())
        return found->run(words.subspan(1), console);
    if (word == "--help" || word == "-h")
        return console.print(help);
    const std::string problem =
        words.empty() ? "a sub-verb is missing" : fmt::format("there is no sub-verb '{}'", word);
    console.say(
        fmt::format("fardel: {}: {}; use {}; see 'fardel {} --help'", verb, problem, choices_text(sub_verbs), verb));
    return Exit::usage;
}

}  // namespace fardel
