#include <fardel/packer/key_parts.h>

#include "builtin.h"
#include "job_variables.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace fardel {
namespace {

std::string quoted_word(std::string_view word) {
    std::string text = "\"";
    for (const char c : word)
        text += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    return text + '"';
}

// Each argument stands in quotes if it could be read as two, so that two commands that differ look different.
std::string format_words(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        const bool is_plain = !word.empty() && word.find_first_of(" \"\\") == std::string::npos;
        text += (text.empty() ? "" : " ") + (is_plain ? word : quoted_word(word));
    }
    return text;
}

// As in the project file: 1, 1.0 and "1" are three values.
std::string format_typed(const ParameterValue& value) {
    const std::string text = format_parameter(value);
    if (std::holds_alternative<std::string>(value))
        return quoted_word(text);
    const bool is_whole = std::holds_alternative<double>(value) && text.find_first_not_of("-0123456789") == text.npos;
    return is_whole ? text + ".0" : text;
}

void add_inputs(std::vector<KeyPart>& parts, std::string_view kind, const std::vector<JobInput>& inputs) {
    for (const JobInput& input : inputs)
        parts.push_back({.kind = std::string(kind), .name = input.name.text(), .value = input.asset.hex()});
}

}  // namespace

std::vector<KeyPart> key_parts(const ProcessorJob& job, const std::vector<KeyPart>& code,
                               std::span<const FoundInput> found) {
    const Processor& processor = job.processor;
    std::vector<KeyPart> parts;
    const auto add = [&](std::string_view kind, std::string name, std::string value) {
        parts.push_back({.kind = std::string(kind), .name = std::move(name), .value = std::move(value)});
    };
    add("processor", "", processor.name);
    add_inputs(parts, "source", job.sources);
    add_inputs(parts, "input", job.others);
    for (const FoundInput& input : found)
        add("found", input.path, input.asset ? input.asset->hex() : "absent");
    if (const Builtin* const builtin = find_builtin(processor.builtin))
        add("built-in", processor.builtin, std::string(builtin->version));
    else
        add("command", "", format_words(processor.command));
    if (!processor.version.empty())
        add("version", "", processor.version);
    std::ranges::copy(code, std::back_inserter(parts));
    for (const auto& [key, value] : processor.parameters)
        add("parameter", key, format_typed(value));
    for (const Tag& tag : processor.tags)
        add("tag", tag.axis, tag.value);
    if (processor.depfile)
        add("depfile", "", "true");
    if (processor.protocol)
        add("protocol", "", "true");
    for (std::size_t i = 0; i < job.outputs.size(); ++i)
        add("output", job.outputs[i], std::to_string(i + 1));
    return parts;
}

}  // namespace fardel
