#include "cache_variables.h"

#include <fardel/base/ascii.h>
#include <fardel/format/printable.h>

#include <algorithm>

namespace fardel {
namespace {

bool is_variable_name(std::string_view name) {
    return !name.empty() && !is_ascii_digit(name.front()) &&
           std::ranges::all_of(name, [](char c) { return is_ascii_letter_or_digit(c) || c == '_'; });
}

bool begins_with_home(std::string_view text) { return text == "~" || text.starts_with("~/"); }

// Calls `found` for each variable, and `plain` for each text between them.
template <class Plain, class Found>
Status walk_variables(std::string_view text, Plain plain, Found found) {
    for (;;) {
        const std::size_t begin = text.find("${");
        plain(text.substr(0, begin));
        if (begin == std::string_view::npos)
            return ok();
        const std::size_t end = text.find('}', begin);
        const std::string_view name = text.substr(begin + 2, end - begin - 2);
        if (end == std::string_view::npos || !is_variable_name(name))
            return Error(ErrorCode::malformed, in_short_quotes(text.substr(begin)) +
                                                   " begins with no variable; write ${NAME}, such as ${HOME}");
        FARDEL_TRY(found(std::string(name)));
        text.remove_prefix(end + 1);
    }
}

}  // namespace

Result<std::vector<std::string>> cache_variables(std::string_view text) {
    std::vector<std::string> names;
    FARDEL_TRY(walk_variables(
        text, [](std::string_view) {},
        [&](std::string name) {
            names.push_back(std::move(name));
            return ok();
        }));
    return names;
}

Result<std::string> expand_cache_text(std::string_view text, const std::string& home, const FindVariable& find) {
    std::string expanded;
    if (begins_with_home(text)) {
        if (home.empty())
            return Error(ErrorCode::missing, "it begins with ~, and nothing says where the user's folder is; set HOME");
        expanded = home;
        text.remove_prefix(1);
    }
    FARDEL_TRY(walk_variables(
        text, [&](std::string_view plain) { expanded += plain; },
        [&](const std::string& name) {
            const std::string value = find(name);
            if (value.empty())
                return Status(
                    Error(ErrorCode::missing, "the variable " + name + " is not set; set it, or switch the layer off"));
            expanded += value;
            return ok();
        }));
    return expanded;
}

}  // namespace fardel
