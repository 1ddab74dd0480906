// Where something stands in a file of a project.
#pragma once

#include <fardel/format/printable.h>

#include <cstdint>
#include <string>

namespace fardel {

struct ProjectPosition {
    std::string file;        // as it was opened
    std::uint32_t line = 0;  // from 1

    // "fardel.toml:7"
    std::string text() const { return printable(file) + ":" + std::to_string(line); }
};

}  // namespace fardel
