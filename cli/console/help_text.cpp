#include "help_text.h"

#include <fardel/base/terminal.h>
#include <fardel/base/text_fields.h>

#include <algorithm>

namespace fardel {
namespace {

constexpr std::size_t kColumnsMin = 40;
constexpr std::size_t kColumnsMax = 120;  // longer lines are hard to read
constexpr std::size_t kDescriptionColumnMax = 32;

// The column at which further lines of a line begin.
std::size_t continuation_of(std::string_view line) {
    if (line.starts_with("Usage: ") || line.starts_with("       fardel "))
        return std::string_view("Usage: fardel ").size();
    if (!line.starts_with("  "))
        return 0;
    const std::size_t first = line.find_first_not_of(' ');
    const std::size_t gap = first < kDescriptionColumnMax / 2 ? line.find("  ", first) : std::string_view::npos;
    // The description of a long option has a line of its own, which begins at the column of descriptions.
    return std::min(gap == std::string_view::npos ? first : line.find_first_not_of(' ', gap), line.size());
}

// A word that is longer than a line stays whole.
std::string wrap_line(std::string_view line, std::size_t columns) {
    const std::string indent(continuation_of(line), ' ');
    std::string wrapped;
    std::size_t first_break = indent.size();  // not between an option and its description
    for (std::size_t room = columns; line.size() > room; room = columns - indent.size()) {
        const std::size_t end = line.rfind(' ', room);
        if (end == std::string_view::npos || end <= first_break)
            break;
        wrapped += std::string(line.substr(0, end)) + "\n" + indent;
        line.remove_prefix(end + 1);
        first_break = 0;
    }
    return wrapped.append(line) + "\n";
}

}  // namespace

std::size_t help_columns() noexcept {
    return std::clamp<std::size_t>(columns_of(StandardStream::output), kColumnsMin, kColumnsMax);
}

std::size_t description_column() noexcept { return std::min(kDescriptionColumnMax, help_columns() * 2 / 5); }

std::string fit_help(std::string_view help) {
    const std::size_t columns = help_columns();
    std::string fitted;
    for (bool in_examples = false; !help.empty();) {
        const std::string_view line = read_until(help, '\n');
        in_examples = line.starts_with("Examples:") || (in_examples && (line.empty() || line.starts_with(' ')));
        fitted += in_examples ? std::string(line) + "\n" : wrap_line(line, columns);
    }
    return fitted;
}

}  // namespace fardel
