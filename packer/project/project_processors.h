// The tables of a project that say how files are made out of others: [processor.NAME], [[job]], `process` in [[rule]].
#pragma once

#include "project_reader.h"

namespace fardel {

// One row each of the tables that parse_project reads.
void read_processors(const TomlEntry& entry, Project& project, Mistakes& mistakes);
void read_jobs(const TomlEntry& entry, Project& project, Mistakes& mistakes);
void read_rule_processors(const TomlEntry& entry, ProjectRule& rule, Mistakes& mistakes);

// Of whatever else is a program.
void read_processor_command(const TomlEntry& entry, std::string_view example, Processor& processor, Mistakes& mistakes);
void read_processor_timeout(const TomlEntry& entry, Processor& processor, Mistakes& mistakes);

// Names of processors that no table of the file, which `table` is, explains.
void check_processor_names(const TomlTable& table, const Project& project, Mistakes& mistakes);

}  // namespace fardel
