// ContentSelection: which content of bundles is wanted: one map with everything that it refers to, one language, one
// texture format. A value.
#pragma once

#include <fardel/format/tag.h>

#include <string>
#include <vector>

namespace fardel {

struct ContentSelection {
    // Globs over logical names; of all bundles.
    std::vector<std::string> names;
    // Logical names whose content is wanted with everything that it refers to, in its bundle and in the static
    // dependencies.
    std::vector<std::string> closures;
    // Of the variants of a name, only those are wanted that have, on each axis that is listed here, a value that is
    // listed, or no tag; if there is none, the first one. Without names and closures, all names are wanted.
    Tags tags;

    bool is_everything() const noexcept { return names.empty() && closures.empty() && tags.empty(); }
};

}  // namespace fardel
