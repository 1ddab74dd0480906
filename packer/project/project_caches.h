// The tables of a project that name caches of derived data besides its own: [[cache]].
#pragma once

#include "project_reader.h"

namespace fardel {

// One row of the tables that parse_project reads.
void read_caches(const TomlEntry& entry, Project& project, Mistakes& mistakes);

}  // namespace fardel
