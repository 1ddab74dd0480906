#include "job_variables.h"

#include <fardel/base/path_text.h>
#include <fardel/format/printable.h>
#include <fardel/packer/nearest_word.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace fardel {
namespace {

// ---- Variables ------------------------------------------------------------------------------------------------------

constexpr std::array<std::string_view, 10> kVariables = {"in",      "in:all",  "out",  "out:folder",    "depfile",
                                                         "variant", "project", "name", "parameter:KEY", "code:PATH"};

struct Variable {
    std::string_view name;      // "parameter"
    std::string_view argument;  // "KEY"; empty: none
    std::string_view text;      // "parameter:KEY"
};

// Literal text or a variable.
struct Piece {
    std::string_view text;
    bool variable = false;
};

// A "$" without a following "{" is literal.
Result<std::vector<Piece>> split(std::string_view argument) {
    std::vector<Piece> pieces;
    while (!argument.empty()) {
        const std::size_t begin = argument.find("${");
        if (begin != 0)
            pieces.push_back({argument.substr(0, begin), false});
        if (begin == std::string_view::npos)
            break;
        const std::size_t end = argument.find('}', begin);
        if (end == std::string_view::npos)
            return Error(ErrorCode::malformed, "a ${ without its }");
        pieces.push_back({argument.substr(begin + 2, end - begin - 2), true});
        argument.remove_prefix(end + 1);
    }
    return pieces;
}

Variable variable_of(std::string_view text) {
    const std::size_t colon = text.find(':');
    return {text.substr(0, colon), colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1), text};
}

const ParameterValue* find_value(const Processor& processor, std::string_view key) {
    for (const auto& parameter : processor.parameters)
        if (parameter.first == key)
            return &parameter.second;
    return nullptr;
}

Status verify_variable(const Processor& processor, const Variable& variable) {
    if (variable.name == "parameter") {
        if (find_value(processor, variable.argument))
            return ok();
        std::vector<std::string_view> keys;
        for (const auto& parameter : processor.parameters)
            keys.push_back(parameter.first);
        const auto nearest = find_nearest_word(variable.argument, keys);
        return Error(ErrorCode::malformed, "there is no parameter " + in_short_quotes(variable.argument) + "; " +
                                               (nearest ? "did you mean ${parameter:" + printable(*nearest, 80) + "}?"
                                                        : "write it into parameters = { … }"));
    }
    if (variable.name == "code") {
        if (std::ranges::find(processor.code, variable.argument) != processor.code.end())
            return ok();
        return Error(ErrorCode::malformed, in_short_quotes(variable.argument) +
                                               " is not among the files of 'code'; write code = [\"" +
                                               printable(variable.argument, 80) + "\"]");
    }
    if (variable.text == "depfile" && !processor.depfile)
        return Error(ErrorCode::malformed, "${depfile} is for a processor that has one; write depfile = true");
    if (variable.text == "project" && !processor.depfile)
        return Error(ErrorCode::malformed,
                     "${project} is for a processor that reports what it read; write depfile = true");
    if (std::ranges::find(kVariables, variable.text) != kVariables.end())
        return ok();
    std::string known;
    for (const std::string_view name : kVariables)
        known += (known.empty() ? "${" : ", ${") + std::string(name) + "}";
    const auto nearest = find_nearest_word(variable.text, kVariables);
    return Error(ErrorCode::malformed,
                 "there is no variable ${" + printable(variable.text, 80) + "}; " +
                     (nearest ? "did you mean ${" + std::string(*nearest) + "}?" : "there are: " + known));
}

// ---- Values ---------------------------------------------------------------------------------------------------------

std::string value_of(const Variable& variable, const ProcessorJob& job, const std::string& project_folder) {
    if (variable.text == "out")
        return job.outputs.size() == 1 ? "out/" + job.outputs.front() : "out";
    if (variable.text == "out:folder")
        return "out";
    if (variable.text == "depfile")
        return "depfile";
    if (variable.text == "variant")
        return format_variant(job.processor.tags);
    if (variable.text == "project")
        return project_folder;
    if (variable.text == "name")
        return job.sources.empty() ? std::string() : job.sources.front().name.text();
    if (variable.name == "code")
        return joined_path(project_folder, variable.argument);
    if (const ParameterValue* const value = find_value(job.processor, variable.argument))
        return format_parameter(*value);
    return {};
}

std::vector<std::string> expand_argument(const std::vector<Piece>& pieces, const ProcessorJob& job,
                                         const std::string& project_folder) {
    bool sources = false;
    bool others = false;
    for (const Piece& piece : pieces) {
        others |= piece.variable && piece.text == "in:all";
        sources |= others || (piece.variable && piece.text == "in");
    }
    std::vector<std::string> files;
    if (sources)
        for (const JobInput& input : job.sources)
            files.push_back("in/" + input.name.text());
    if (others)
        for (const JobInput& input : job.others)
            files.push_back("in/" + input.name.text());
    if (!sources)
        files.emplace_back();
    std::vector<std::string> expanded;
    // The whole argument is repeated for each file, so `-I${in}` becomes `-Ia -Ib`. No shell ever reads the result.
    for (const std::string& file : files) {
        std::string text;
        for (const Piece& piece : pieces) {
            if (!piece.variable)
                text += piece.text;
            else if (piece.text == "in" || piece.text == "in:all")
                text += file;
            else
                text += value_of(variable_of(piece.text), job, project_folder);
        }
        expanded.push_back(std::move(text));
    }
    return expanded;
}

}  // namespace

// ---- Commands -------------------------------------------------------------------------------------------------------

Status verify_variables(const Processor& processor, std::string_view argument) {
    FARDEL_TRY_ASSIGN(const std::vector<Piece> pieces, split(argument));
    for (const Piece& piece : pieces)
        if (piece.variable)
            FARDEL_TRY(verify_variable(processor, variable_of(piece.text)));
    return ok();
}

bool has_variable(std::string_view argument, std::string_view name) {
    const auto pieces = split(argument);
    return pieces && std::ranges::any_of(*pieces, [&](const Piece& piece) {
               return piece.variable && variable_of(piece.text).name == name;
           });
}

std::string format_variant(const Tags& tags) {
    auto sorted = tags;
    std::ranges::sort(sorted);
    std::string text;
    for (const auto& tag : sorted)
        text += (text.empty() ? "" : ",") + tag.axis + "=" + tag.value;
    return text;
}

std::string format_parameter(const ParameterValue& value) {
    if (const auto* const text = std::get_if<std::string>(&value))
        return *text;
    if (const auto* const truth = std::get_if<bool>(&value))
        return *truth ? "true" : "false";
    if (const auto* const integer = std::get_if<std::int64_t>(&value))
        return std::to_string(*integer);
    std::array<char, 64> digits;  // the shortest text that parses as the same number, in any locale
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), std::get<double>(value));
    return {digits.data(), written.ptr};
}

Result<std::vector<std::string>> expand_command(const ProcessorJob& job, const std::string& project_folder) {
    std::vector<std::string> arguments;
    for (std::size_t i = 1; i < job.processor.command.size(); ++i) {
        const std::string& argument = job.processor.command[i];
        FARDEL_TRY(verify_variables(job.processor, argument));
        FARDEL_TRY_ASSIGN(const std::vector<Piece> pieces, split(argument));
        for (std::string& expanded : expand_argument(pieces, job, project_folder)) {
            // The system would cut the argument off there.
            if (expanded.find('\0') != std::string::npos)
                return Error(ErrorCode::malformed, "an argument of the command has a NUL character in it");
            arguments.push_back(std::move(expanded));
        }
    }
    return arguments;
}

}  // namespace fardel
