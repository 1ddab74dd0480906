// Reads the tables of a project about making files from other files: [processor.NAME], [[job]], `process` in [[rule]].
#pragma once

#include "project_reader.h"

namespace fardel {

void read_processors(const TomlEntry& entry, Project& project, Mistakes& mistakes);
void read_jobs(const TomlEntry& entry, Project& project, Mistakes& mistakes);
void read_rule_processors(const TomlEntry& entry, ProjectRule& rule, Mistakes& mistakes);

// Also used for scanners that are programs.
void read_processor_command(const TomlEntry& entry, std::string_view example, Processor& processor, Mistakes& mistakes);
void read_processor_timeout(const TomlEntry& entry, Processor& processor, Mistakes& mistakes);

// Reports names of processors in `table`, which is the whole file, for which there is no [processor.NAME].
void check_processor_names(const TomlTable& table, const Project& project, Mistakes& mistakes);

}  // namespace fardel
