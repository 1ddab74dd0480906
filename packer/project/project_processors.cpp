#include "jobs/builtin.h"
#include "jobs/job_variables.h"
#include "jobs/output_names.h"
#include "project_tables.h"

#include <fardel/base/ascii.h>

#include <cmath>
#include <span>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kNameBytesMax = 64;
constexpr std::int64_t kTimeoutSecondsMax = 86'400;
constexpr std::int64_t kAtOnceMax = 256;

// ---- [processor.NAME] -----------------------------------------------------------------------------------------------

void read_builtin(const KeyValue& value, Processor& processor) {
    const std::size_t before = value.mistakes.count();
    value.read(processor.builtin);
    if (value.mistakes.count() != before || find_builtin(processor.builtin))
        return;
    std::vector<std::string_view> names;
    std::ranges::transform(builtins(), std::back_inserter(names), &Builtin::name);
    value.mistake("there is no built-in " + in_short_quotes(processor.builtin) + "; " +
                  suggest_word(processor.builtin, names, "there are: "));
}

std::optional<ParameterValue> find_parameter_value(const TomlValue& value) {
    if (const auto* const text = std::get_if<std::string>(&value.value);
        text && text->size() <= kPathBytesMax && text->find('\0') == std::string::npos)
        return *text;
    if (const auto* const integer = std::get_if<std::int64_t>(&value.value))
        return *integer;
    if (const auto* const number = std::get_if<double>(&value.value); number && std::isfinite(*number))
        return *number;
    if (const auto* const truth = std::get_if<bool>(&value.value))
        return *truth;
    return std::nullopt;
}

// Returns the entries of a table; none, and a mistake, if it is no table or has too many. `has`, `items`: of the
// message, around the number.
std::span<const TomlEntry> entries_of(const KeyValue& value, const char* has, const char* items) {
    const auto* const table = value.expect<TomlTable>();
    if (!table || table->size() <= kProjectItemsMax)
        return table ? std::span<const TomlEntry>(*table) : std::span<const TomlEntry>();
    value.mistakes.add(value.entry.at,
                       has + std::to_string(table->size()) + items + "; at most " + std::to_string(kProjectItemsMax),
                       ErrorCode::limit);
    return {};
}

void read_parameters(const KeyValue& value, Processor& processor) {
    for (const TomlEntry& item : entries_of(value, "'parameters' has ", " keys")) {
        if (item.key.empty() || item.key.size() > kPathBytesMax || item.key.find('\0') != std::string::npos)
            value.mistakes.add(item.at, "the key of a parameter has 1 to " + std::to_string(kPathBytesMax) +
                                            " bytes and no NUL; write " + std::string(value.example));
        else if (auto parameter = find_parameter_value(item.value))
            processor.parameters.emplace_back(item.key, *std::move(parameter));
        else
            value.mistakes.add(item.value.at, in_short_quotes(item.key) + " is " + std::string(kind_of(item.value)) +
                                                  "; write a text of at most " + std::to_string(kPathBytesMax) +
                                                  " bytes without NUL, a finite number, true or false");
    }
}

void read_at_once(const KeyValue& value, Processor& processor) {
    const auto* const jobs = value.expect<std::int64_t>();
    if (!jobs)
        return;
    if (*jobs < 1 || *jobs > kAtOnceMax)
        return value.mistake("'at_once' is from 1 to " + std::to_string(kAtOnceMax) + " jobs; write at_once = 1");
    processor.at_once = static_cast<std::uint32_t>(*jobs);
}

void read_memory_bytes(const KeyValue& value, Processor& processor) {
    const auto* const bytes = value.expect<std::int64_t>();
    if (!bytes)
        return;
    if (*bytes < 1)
        return value.mistake("'memory_bytes' is below 1; write memory_bytes = 8_000_000_000");
    processor.memory_bytes = static_cast<std::uint64_t>(*bytes);
}

constexpr Key<Processor> kProcessorKeys[] = {
    {"builtin", read_builtin, "builtin = \"image\""},
    {"command", read_processor_command, "command = [\"cp\", \"${in}\", \"${out}\"]"},
    {"version", read_member<&Processor::version>, "version = \"1\""},
    {"code", read_member<&Processor::code>, "code = [\"tools/convert.sh\"]"},
    {"parameters", read_parameters, "parameters = { scale = 0.5 }"},
    {"outputs", read_verified<verify_output_template, &Processor::outputs>, "outputs = [\"{folder}{stem}.png\"]"},
    {"inputs", read_verified<verify_glob, &Processor::inputs>, "inputs = [\"palettes/**\"]"},
    {"follow_references", read_member<&Processor::follow_references>},
    {"tags", read_member<&Processor::tags>},
    {"keep_source", read_member<&Processor::keep_source>},
    {"depfile", read_member<&Processor::depfile>},
    {"protocol", read_member<&Processor::protocol>},
    {"timeout", read_processor_timeout, "timeout = 60, in seconds"},
    {"targets", read_item_targets<Processor>},
    {"at_once", read_at_once, "at_once = 1"},
    {"memory_bytes", read_memory_bytes, "memory_bytes = 8_000_000_000"},
};

void check_builtin(const Builtin& builtin, const TomlTable& table, const Processor& processor, TomlPosition at,
                   Mistakes& mistakes) {
    for (const std::string_view key : {"command", "depfile", "protocol", "timeout"})
        if (const auto* const entry = find_entry(table, key))
            mistakes.add(entry->at, "'" + std::string(key) + "' is for programs, and " + in_short_quotes(builtin.name) +
                                        " is built in; remove one of the two");
    const auto* const parameters = find_entry(table, "parameters");
    for (const auto& parameter : processor.parameters) {
        const auto* const entry = find_entry(std::get<TomlTable>(parameters->value.value), parameter.first);
        const TomlPosition position = entry ? entry->at : at;
        if (!builtin.any_parameter &&
            std::ranges::find(builtin.parameters, parameter.first) == builtin.parameters.end()) {
            mistakes.add(position, "the built-in '" + std::string(builtin.name) + "' has no parameter " +
                                       in_short_quotes(parameter.first) + "; " +
                                       (builtin.parameters.empty()
                                            ? "it has none"
                                            : suggest_word(parameter.first, builtin.parameters, "it has: ")));
        } else if (const Status good = builtin.verify_parameter(parameter.first, parameter.second); !good) {
            mistakes.add(position, in_short_quotes(parameter.first), good.error());
        }
    }
}

void check_command(const TomlTable& table, const Processor& processor, TomlPosition at, Mistakes& mistakes) {
    const auto* const command = find_entry(table, "command");
    if (!command || processor.command.empty())
        return mistakes.add(
            at, "this processor does nothing; write command = [\"cp\", \"${in}\", \"${out}\"], or builtin = \"copy\"");
    const auto& items = std::get<std::vector<TomlValue>>(command->value.value);
    if (processor.command.front().find("${") != std::string::npos)
        mistakes.add(items.front().at,
                     "the program's name cannot contain variables; write command = [\"cp\", \"${in}\", \"${out}\"]");
    for (std::size_t i = 1; i < processor.command.size(); ++i)
        if (const Status good = verify_variables(processor, processor.command[i]); !good)
            mistakes.add(items[i].at, good.error().message());
    const auto mentions = [&](std::string_view name) {
        return std::ranges::any_of(processor.command,
                                   [&](const std::string& argument) { return has_variable(argument, name); });
    };
    if (!processor.protocol && !mentions("out"))
        mistakes.add(command->at, "the command does not contain the file to write; add \"${out}\"");
    if (processor.depfile && !processor.protocol && !mentions("depfile"))
        mistakes.add(
            command->at,
            "the command does not contain the file for what it read; add \"${depfile}\", or remove depfile = true");
}

void read_processor(const TomlEntry& entry, Project& project, Mistakes& mistakes) {
    const std::string example =
        "[processor." + (is_word(entry.key) ? entry.key : std::string("small")) + "] above its keys";
    const auto* const table = KeyValue{entry, example, mistakes}.expect<TomlTable>();
    if (!table)
        return;
    if (!is_word(entry.key) || entry.key.size() > kNameBytesMax)
        mistakes.add(entry.at, in_short_quotes(entry.key) + " is not a name for a processor: 1 to " +
                                   std::to_string(kNameBytesMax) +
                                   " letters, digits and - _ . +; write [processor.small]");
    Processor processor{.name = entry.key, .at = mistakes.position(entry.at)};
    const std::size_t before = mistakes.count();
    read_table<Processor>(*table, "in [processor." + printable(entry.key, 80) + "]", kProcessorKeys, processor,
                          mistakes);
    if (mistakes.count() == before) {
        if (const Builtin* const builtin = find_builtin(processor.builtin))
            check_builtin(*builtin, *table, processor, entry.at, mistakes);
        else
            check_command(*table, processor, entry.at, mistakes);
    }
    project.processors.push_back(std::move(processor));
}

// ---- [[job]] --------------------------------------------------------------------------------------------------------

constexpr Key<ProjectJob> kJobKeys[] = {
    {"sources", read_verified<verify_glob, &ProjectJob::sources>, "sources = [\"sprites/*.png\"]"},
    {"process", read_member<&ProjectJob::processor>, "process = \"atlas\""},
    {"outputs", read_verified<verify_name, &ProjectJob::outputs>, "outputs = [\"sprites.png\"]"},
    {"targets", read_item_targets<ProjectJob>},
};

void finish_job(ProjectJob& job, TomlPosition at, Mistakes& mistakes) {
    if (job.sources.empty())
        mistakes.add(at, "this [[job]] has no valid 'sources'; write sources = [\"sprites/*.png\"]");
    if (job.processor.empty())
        mistakes.add(at,
                     "this [[job]] has no valid 'process'; write process = \"atlas\", the name of a [processor.atlas]");
}

// ---- Names that must exist ------------------------------------------------------------------------------------------

void check_name(const TomlValue& value, const std::vector<std::string_view>& names, Mistakes& mistakes) {
    const auto* const name = std::get_if<std::string>(&value.value);
    if (!name || name->empty() || std::ranges::find(names, *name) != names.end())
        return;
    const auto nearest = find_nearest_word(*name, names);
    mistakes.add(value.at, "there is no processor " + in_short_quotes(*name) + "; " +
                               (nearest ? "did you mean '" + printable(*nearest, 80) + "'?"
                                        : "write [processor." +
                                              (is_word(*name) ? printable(*name, 80) : std::string("small")) + "]"));
}

void check_names(const TomlEntry& entry, const std::vector<std::string_view>& names, Mistakes& mistakes) {
    if (const auto* const list = std::get_if<std::vector<TomlValue>>(&entry.value.value))
        for (const TomlValue& item : *list)
            check_name(item, names, mistakes);
    else
        check_name(entry.value, names, mistakes);
}

}  // namespace

void read_processors(const KeyValue& value, Project& project) {
    for (const TomlEntry& item : entries_of(value, "there are ", " processors"))
        read_processor(item, project, value.mistakes);
}

void read_processor_command(const KeyValue& value, Processor& processor) {
    for (const TomlValue& item : value.expect_list())
        if (const auto* const text = value.expect_text(item))
            processor.command.push_back(*text);
}

void read_processor_timeout(const KeyValue& value, Processor& processor) {
    const auto* const seconds = value.expect<std::int64_t>();
    if (!seconds)
        return;
    if (*seconds < 1 || *seconds > kTimeoutSecondsMax)
        return value.mistake("'timeout' is from 1 to " + std::to_string(kTimeoutSecondsMax) +
                             " seconds; write timeout = 60");
    processor.timeout = std::chrono::seconds(*seconds);
}

void read_jobs(const KeyValue& value, Project& project) {
    read_tables<kJobKeys, finish_job, &Project::jobs>(value, project);
}

void read_rule_processors(const KeyValue& value, ProjectRule& rule) {
    if (std::holds_alternative<std::vector<TomlValue>>(value.entry.value.value))
        return KeyValue{value.entry, "process = [\"small\", \"large\"]", value.mistakes}.read(rule.process);
    const KeyValue one{value.entry, "process = \"small\", or a list of such names", value.mistakes};
    if (const auto* const name = one.expect_text())
        rule.process.push_back(*name);
}

void check_processor_names(const TomlTable& table, const Project& project, Mistakes& mistakes) {
    std::vector<std::string_view> names;
    std::ranges::transform(project.processors, std::back_inserter(names), &Processor::name);
    for (const TomlEntry& entry : table) {
        const auto* const items = std::get_if<std::vector<TomlValue>>(&entry.value.value);
        if (!items || (entry.key != "rule" && entry.key != "job"))
            continue;
        for (const TomlValue& item : *items)
            if (const auto* const keys = std::get_if<TomlTable>(&item.value))
                for (const TomlEntry& key : *keys)
                    if (key.key == "process")
                        check_names(key, names, mistakes);
    }
}

}  // namespace fardel
