#include "console/classes_option.h"

#include <fardel/format/printable.h>

namespace fardel {

void add_classes_option(CommandLine& line, std::string_view whose, std::string& classes) {
    line.text("--classes", "CLASSES", classes,
              "What " + std::string(whose) + " may bring: data; data,script; or data,script,code (default: all)");
}

Result<ContentClass> parse_classes_option(const std::string& classes) {
    const auto brings = parse_classes(classes);
    if (!brings)
        return Error(ErrorCode::malformed,
                     "--classes is data, data,script or data,script,code, not " + in_quotes(classes));
    return *brings;
}

}  // namespace fardel
