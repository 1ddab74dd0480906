#include "jobs/output_names.h"

#include <algorithm>
#include <map>

namespace fardel {
namespace {

using Parts = std::map<std::string_view, std::string>;  // placeholder, text

// The whole of ".profile" is its stem.
Parts parts_of(const AssetName& name) {
    const std::string leaf(name.leaf());
    const std::size_t dot = leaf.rfind('.');
    const bool has_extension = dot != std::string::npos && dot != 0;
    return {{"folder", name.parent().empty() ? std::string() : std::string(name.parent()) + "/"},
            {"stem", has_extension ? leaf.substr(0, dot) : leaf},
            {"extension", has_extension ? leaf.substr(dot + 1) : std::string()},
            {"name", leaf}};
}

Result<std::string> expand(std::string_view text, const Parts& parts) {
    std::string name;
    while (!text.empty()) {
        const std::size_t brace = text.find_first_of("{}");
        name += text.substr(0, brace);
        if (brace == std::string_view::npos)
            return name;
        const std::size_t end = text.find('}', brace);
        const std::string_view word = text[brace] == '{' && end != std::string_view::npos
                                          ? text.substr(brace + 1, end - brace - 1)
                                          : std::string_view();
        const auto part = parts.find(word);
        if (part == parts.end())
            return Error(ErrorCode::malformed, "'" + printable(text.substr(brace), 80) +
                                                   "' is none of {folder}, {stem}, {extension} and {name}");
        name += part->second;
        text.remove_prefix(end + 1);
    }
    return name;
}

}  // namespace

Status verify_output_template(std::string_view text) {
    FARDEL_TRY(expand(text, {{"folder", ""}, {"stem", ""}, {"extension", ""}, {"name", ""}}));
    return ok();
}

Result<std::vector<std::string>> output_names(const Processor& processor, const AssetName& source) {
    const Parts parts = parts_of(source);
    std::vector<std::string> names;
    for (const std::string& text : processor.outputs) {
        FARDEL_TRY_ASSIGN(std::string name, expand(text, parts));
        if (Status good = verify_name(name); !good)
            return std::move(good).error().with_context("the output '" + printable(name, 80) + "' of '" +
                                                        printable(source.view(), 80) + "'");
        if (std::ranges::find(names, name) != names.end())
            return Error(ErrorCode::conflict, "two outputs of '" + printable(source.view(), 80) + "' are named '" +
                                                  printable(name, 80) + "'");
        names.push_back(std::move(name));
    }
    return names;
}

}  // namespace fardel
