#include "spdx_license.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace fardel {
namespace {

constexpr std::size_t kExpressionBytesMax = 1000;

// From the SPDX licence list, in its spelling.
constexpr auto kSpdxLicenses = std::to_array<std::string_view>({
    "0BSD",
    "AFL-3.0",
    "AGPL-3.0-only",
    "AGPL-3.0-or-later",
    "Apache-2.0",
    "Artistic-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "Bitstream-Vera",
    "CC-BY-1.0",
    "CC-BY-2.0",
    "CC-BY-2.5",
    "CC-BY-3.0",
    "CC-BY-4.0",
    "CC-BY-NC-3.0",
    "CC-BY-NC-4.0",
    "CC-BY-NC-ND-3.0",
    "CC-BY-NC-ND-4.0",
    "CC-BY-NC-SA-3.0",
    "CC-BY-NC-SA-4.0",
    "CC-BY-ND-3.0",
    "CC-BY-ND-4.0",
    "CC-BY-SA-1.0",
    "CC-BY-SA-2.0",
    "CC-BY-SA-2.5",
    "CC-BY-SA-3.0",
    "CC-BY-SA-4.0",
    "CC-PDDC",
    "CC0-1.0",
    "EUPL-1.2",
    "GFDL-1.3-only",
    "GFDL-1.3-or-later",
    "GPL-1.0-only",
    "GPL-1.0-or-later",
    "GPL-2.0-only",
    "GPL-2.0-or-later",
    "GPL-3.0-only",
    "GPL-3.0-or-later",
    "ISC",
    "LGPL-2.1-only",
    "LGPL-2.1-or-later",
    "LGPL-3.0-only",
    "LGPL-3.0-or-later",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "OFL-1.0",
    "OFL-1.1",
    "OGL-UK-3.0",
    "PDDL-1.0",
    "Unlicense",
    "WTFPL",
    "Zlib",
});
constexpr auto kSpdxExceptions = std::to_array<std::string_view>({
    "Classpath-exception-2.0",
    "Font-exception-2.0",
    "GCC-exception-3.1",
    "LLVM-exception",
});

template <class List>
bool is_listed(const List& list, std::string_view word) {
    return std::ranges::find(list, word) != list.end();
}

// Takes the next word, or a parenthesis, from the front of the text; empty at its end.
std::string_view take_term(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    const bool parenthesis = text.starts_with('(') || text.starts_with(')');
    const std::string_view term = text.substr(0, parenthesis ? 1 : std::min(text.find_first_of(" ()"), text.size()));
    text.remove_prefix(term.size());
    return term;
}

}  // namespace

bool is_spdx_expression(std::string_view text) {
    enum class Before { operand, license, exception } before = Before::operand;
    if (text.size() > kExpressionBytesMax)
        return false;
    int open = 0;
    for (std::string_view term = take_term(text); !term.empty(); term = take_term(text)) {
        if (before == Before::operand) {  // the text begins, or an operator or "(" is before the term
            if (term == "(")
                ++open;
            else if (is_listed(kSpdxLicenses, term))
                before = Before::license;
            else
                return false;
        } else if (term == ")") {
            if (--open < 0)
                return false;
            before = Before::exception;
        } else if (term == "AND" || term == "OR") {
            before = Before::operand;
        } else if (term == "WITH" && before == Before::license) {
            if (!is_listed(kSpdxExceptions, take_term(text)))
                return false;
            before = Before::exception;
        } else {
            return false;
        }
    }
    return before != Before::operand && open == 0;
}

}  // namespace fardel
