#include "project_processors.h"

#include "jobs/builtin.h"
#include "jobs/job_variables.h"

#include <fardel/base/ascii.h>
#include <fardel/packer/output_names.h>

#include <cmath>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kNameBytesMax = 64;
constexpr std::int64_t kTimeoutSecondsMax = 86'400;

Status verify_any(std::string_view) { return ok(); }

// ---- [processor.NAME] -----------------------------------------------------------------------------------------------

void read_builtin(const TomlEntry& entry, Processor& processor, Mistakes& mistakes) {
    const std::size_t before = mistakes.count();
    read_text(entry, "builtin = \"image\"", processor.builtin, mistakes);
    if (mistakes.count() != before || find_builtin(processor.builtin))
        return;
    std::vector<std::string_view> names;
    std::ranges::transform(builtins(), std::back_inserter(names), &Builtin::name);
    std::string known;
    for (const std::string_view name : names)
        known += (known.empty() ? "" : ", ") + std::string(name);
    const auto nearest = find_nearest_word(processor.builtin, names);
    mistakes.add(entry.value.at,
                 "there is no built-in " + in_short_quotes(processor.builtin) + "; " +
                     (nearest ? "did you mean '" + std::string(*nearest) + "'?" : "there are: " + known));
}

void read_command(const TomlEntry& entry, Processor& processor, Mistakes& mistakes) {
    read_processor_command(entry, "command = [\"cp\", \"${in}\", \"${out}\"]", processor, mistakes);
}

void read_parameters(const TomlEntry& entry, Processor& processor, Mistakes& mistakes) {
    const auto* const table = expect<TomlTable>(entry.value, entry.key, "parameters = { scale = 0.5 }", mistakes);
    if (!table)
        return;
    if (table->size() > kProjectItemsMax)
        return mistakes.add(
            entry.at,
            "'parameters' has " + std::to_string(table->size()) + " keys; at most " + std::to_string(kProjectItemsMax),
            ErrorCode::limit);
    for (const TomlEntry& item : *table) {
        const auto& value = item.value.value;
        if (item.key.empty() || item.key.size() > kPathBytesMax || item.key.find('\0') != std::string::npos)
            mistakes.add(item.at, "the key of a parameter has 1 to " + std::to_string(kPathBytesMax) +
                                      " bytes and no NUL; write parameters = { scale = 0.5 }");
        else if (const auto* const text = std::get_if<std::string>(&value);
                 text && text->size() <= kPathBytesMax && text->find('\0') == std::string::npos)
            processor.parameters.emplace_back(item.key, *text);
        else if (const auto* const integer = std::get_if<std::int64_t>(&value))
            processor.parameters.emplace_back(item.key, *integer);
        else if (const auto* const number = std::get_if<double>(&value); number && std::isfinite(*number))
            processor.parameters.emplace_back(item.key, *number);
        else if (const auto* const truth = std::get_if<bool>(&value))
            processor.parameters.emplace_back(item.key, *truth);
        else
            mistakes.add(item.value.at, in_short_quotes(item.key) + " is " + std::string(kind_of(item.value)) +
                                            "; write a text of at most " + std::to_string(kPathBytesMax) +
                                            " bytes without NUL, a finite number, true or false");
    }
}

constexpr Key<Processor> kProcessorKeys[] = {
    {"builtin", read_builtin},
    {"command", read_command},
    {"version", [](const TomlEntry& entry, Processor& processor,
                   Mistakes& mistakes) { read_text(entry, "version = \"1\"", processor.version, mistakes); }},
    {"code",
     [](const TomlEntry& entry, Processor& processor, Mistakes& mistakes) {
         read_texts(entry, "code = [\"tools/convert.sh\"]", processor.code, verify_any, mistakes);
     }},
    {"parameters", read_parameters},
    {"outputs",
     [](const TomlEntry& entry, Processor& processor, Mistakes& mistakes) {
         read_texts(entry, "outputs = [\"{folder}{stem}.png\"]", processor.outputs, verify_output_template, mistakes);
     }},
    {"inputs",
     [](const TomlEntry& entry, Processor& processor, Mistakes& mistakes) {
         read_texts(entry, "inputs = [\"palettes/**\"]", processor.inputs, verify_glob, mistakes);
     }},
    {"tags", [](const TomlEntry& entry, Processor& processor,
                Mistakes& mistakes) { read_tags(entry, processor.tags, mistakes); }},
    {"keep_source", [](const TomlEntry& entry, Processor& processor,
                       Mistakes& mistakes) { read_truth(entry, processor.keep_source, mistakes); }},
    {"depfile", [](const TomlEntry& entry, Processor& processor,
                   Mistakes& mistakes) { read_truth(entry, processor.depfile, mistakes); }},
    {"protocol", [](const TomlEntry& entry, Processor& processor,
                    Mistakes& mistakes) { read_truth(entry, processor.protocol, mistakes); }},
    {"timeout", read_processor_timeout},
};

TomlPosition position_of(const TomlTable& table, std::string_view key, TomlPosition otherwise) {
    const auto entry = std::ranges::find(table, key, &TomlEntry::key);
    return entry == table.end() ? otherwise : entry->at;
}

void check_builtin(const Builtin& builtin, const TomlTable& table, const Processor& processor, TomlPosition at,
                   Mistakes& mistakes) {
    for (const std::string_view key : {"command", "depfile", "protocol", "timeout"})
        if (const auto entry = std::ranges::find(table, key, &TomlEntry::key); entry != table.end())
            mistakes.add(entry->at, "'" + std::string(key) + "' is for programs, and " + in_short_quotes(builtin.name) +
                                        " is built in; remove one of the two");
    const auto parameters = std::ranges::find(table, std::string_view("parameters"), &TomlEntry::key);
    for (const auto& parameter : processor.parameters) {
        const TomlPosition position = position_of(std::get<TomlTable>(parameters->value.value), parameter.first, at);
        if (!builtin.any_parameter &&
            std::ranges::find(builtin.parameters, parameter.first) == builtin.parameters.end()) {
            std::string known;
            for (const std::string_view name : builtin.parameters)
                known += (known.empty() ? "" : ", ") + std::string(name);
            const auto nearest = find_nearest_word(parameter.first, builtin.parameters);
            mistakes.add(position, "the built-in '" + std::string(builtin.name) + "' has no parameter " +
                                       in_short_quotes(parameter.first) + "; " +
                                       (nearest         ? "did you mean '" + std::string(*nearest) + "'?"
                                        : known.empty() ? "it has none"
                                                        : "it has: " + known));
        } else if (const Status good = builtin.verify_parameter(parameter.first, parameter.second); !good) {
            mistakes.add(position, in_short_quotes(parameter.first), good.error());
        }
    }
}

void check_command(const TomlTable& table, const Processor& processor, TomlPosition at, Mistakes& mistakes) {
    const auto command = std::ranges::find(table, std::string_view("command"), &TomlEntry::key);
    if (command == table.end() || processor.command.empty())
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
    const auto* const table = expect<TomlTable>(
        entry.value, entry.key,
        "[processor." + (is_word(entry.key) ? entry.key : std::string("small")) + "] above its keys", mistakes);
    if (!table)
        return;
    if (!is_word(entry.key) || entry.key.size() > kNameBytesMax)
        mistakes.add(entry.at, in_short_quotes(entry.key) + " is not a name for a processor: 1 to " +
                                   std::to_string(kNameBytesMax) +
                                   " letters, digits and - _ . +; write [processor.small]");
    Processor processor{.name = entry.key, .line = entry.at.line};
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
    {"sources",
     [](const TomlEntry& entry, ProjectJob& job, Mistakes& mistakes) {
         read_texts(entry, "sources = [\"sprites/*.png\"]", job.sources, verify_glob, mistakes);
     }},
    {"process", [](const TomlEntry& entry, ProjectJob& job,
                   Mistakes& mistakes) { read_text(entry, "process = \"atlas\"", job.processor, mistakes); }},
    {"outputs",
     [](const TomlEntry& entry, ProjectJob& job, Mistakes& mistakes) {
         read_texts(entry, "outputs = [\"sprites.png\"]", job.outputs, verify_name, mistakes);
     }},
};

void finish_job(ProjectJob& job, TomlPosition at, Mistakes& mistakes) {
    job.line = at.line;
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

void read_processors(const TomlEntry& entry, Project& project, Mistakes& mistakes) {
    const auto* const table =
        expect<TomlTable>(entry.value, entry.key, "[processor.small] above the keys of each", mistakes);
    if (!table)
        return;
    if (table->size() > kProjectItemsMax)
        return mistakes.add(
            entry.at,
            "there are " + std::to_string(table->size()) + " processors; at most " + std::to_string(kProjectItemsMax),
            ErrorCode::limit);
    for (const TomlEntry& item : *table)
        read_processor(item, project, mistakes);
}

void read_processor_command(const TomlEntry& entry, std::string_view example, Processor& processor,
                            Mistakes& mistakes) {
    for (const TomlValue& item : expect_list(entry, example, mistakes))
        if (const auto* const text = expect_text(item, entry.key, example, mistakes))
            processor.command.push_back(*text);
}

void read_processor_timeout(const TomlEntry& entry, Processor& processor, Mistakes& mistakes) {
    const auto* const seconds = expect<std::int64_t>(entry.value, entry.key, "timeout = 60, in seconds", mistakes);
    if (!seconds)
        return;
    if (*seconds < 1 || *seconds > kTimeoutSecondsMax)
        return mistakes.add(entry.value.at, "'timeout' is from 1 to " + std::to_string(kTimeoutSecondsMax) +
                                                " seconds; write timeout = 60");
    processor.timeout = std::chrono::seconds(*seconds);
}

void read_jobs(const TomlEntry& entry, Project& project, Mistakes& mistakes) {
    read_tables<ProjectJob>(entry, kJobKeys, project.jobs, finish_job, mistakes);
}

void read_rule_processors(const TomlEntry& entry, ProjectRule& rule, Mistakes& mistakes) {
    if (std::holds_alternative<std::vector<TomlValue>>(entry.value.value))
        return read_texts(entry, "process = [\"small\", \"large\"]", rule.process, verify_any, mistakes);
    std::string name;
    read_text(entry, "process = \"small\", or a list of such names", name, mistakes);
    if (!name.empty())
        rule.process.push_back(std::move(name));
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
