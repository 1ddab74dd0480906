#include "near_names.h"

#include <fardel/format/name.h>
#include <fardel/packer/nearest_word.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace fardel {
namespace {

std::string_view file_of(std::string_view name) { return name.substr(name.rfind('/') + 1); }
std::string_view folder_of(std::string_view name) { return name.substr(0, name.size() - file_of(name).size()); }

// What is nearer comes first: only the case differs, the same file in another folder, a misspelt file in the same one.
std::optional<std::string> find_near_name(std::string_view name, std::span<const std::string_view> names) {
    const std::string folded = fold_name(name);
    std::optional<std::string> elsewhere;
    std::vector<std::string> beside;
    for (const std::string_view one : names) {
        const std::string one_folded = fold_name(one);
        if (one_folded == folded)
            return std::string(one);
        if (!elsewhere && file_of(one_folded) == file_of(folded))
            elsewhere = one;
        if (folder_of(one_folded) == folder_of(folded))
            beside.emplace_back(one);
    }
    if (elsewhere)
        return elsewhere;
    std::vector<std::string_view> files;
    for (const std::string& one : beside)
        files.push_back(file_of(one));
    const auto nearest = find_nearest_word(file_of(name), files);
    return nearest ? std::optional(std::string(folder_of(name)) + std::string(*nearest)) : std::nullopt;
}

}  // namespace

std::string suggest_file(std::string_view name, std::span<const std::string_view> names) {
    const auto near = find_near_name(name, names);
    return near ? "; did you mean '" + printable(*near) + "'?" : "";
}

Result<std::string> suggest_name(const Bundle& bundle, std::string_view name) {
    std::vector<std::string_view> names;
    for (std::uint32_t i = 0; i < bundle.name_count(); ++i) {
        FARDEL_TRY_ASSIGN(names.emplace_back(), bundle.name_text(NameIndex{i}));
    }
    const std::string suggestion = suggest_file(name, names);
    return suggestion.empty() ? "; 'fardel ls' lists its names" : suggestion;
}

std::string suggest_bundle(std::string_view text, std::span<const std::string> names) {
    const std::size_t end = text.find_first_of("@=:");
    const std::string_view name = text.substr(0, end);
    std::optional<std::string_view> nearest = name;
    if (std::ranges::find(names, name) == names.end()) {
        // castle for mods/castle, and then what is misspelt
        const auto same_end =
            std::ranges::find_if(names, [&](const std::string& one) { return file_of(one) == file_of(name); });
        nearest = same_end != names.end()
                      ? std::optional(std::string_view(*same_end))
                      : find_nearest_word(name, std::vector<std::string_view>(names.begin(), names.end()));
    }
    if (!nearest || (end == std::string_view::npos && *nearest == text))
        return "";
    std::string_view version = end == std::string_view::npos ? "" : text.substr(end);
    version.remove_prefix(std::min(version.find_first_not_of("@=: "), version.size()));
    return "; did you mean '" + printable(*nearest) + (version.empty() ? "" : " = " + printable(version)) + "'?";
}

}  // namespace fardel
