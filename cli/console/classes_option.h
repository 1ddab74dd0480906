// --classes: which classes of content somebody's bundles may bring.
#pragma once

#include "command_line.h"

#include <fardel/base/result.h>
#include <fardel/format/content_class.h>

#include <string>
#include <string_view>

namespace fardel {

// `whose`: the subject of the help, "they" or "bundles of open names".
void add_classes_option(CommandLine& line, std::string_view whose, std::string& classes);

// Error: malformed.
Result<ContentClass> parse_classes_option(const std::string& classes);

}  // namespace fardel
