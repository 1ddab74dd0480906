// Reads [link], [split] and [[scanner]] of a project file.
#pragma once

#include "project_reader.h"

#include <fardel/packer/project_references.h>

namespace fardel {

void read_link_table(const TomlEntry& entry, Project& project, Mistakes& mistakes);
void read_split(const TomlEntry& entry, Project& project, Mistakes& mistakes);
void read_scanners(const TomlEntry& entry, Project& project, Mistakes& mistakes);

}  // namespace fardel
