#include "source_listing.h"

#include <fardel/base/ascii.h>
#include <fardel/format/name_form.h>
#include <fardel/sources/name_reading.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

// Whether `pattern` excludes everything that can be in a folder: it is "<a glob that matches the folder>/**".
bool excludes_folder(std::string_view pattern, std::string_view folder) {
    return pattern.ends_with("/**") && glob_matches(pattern.substr(0, pattern.size() - 3), folder);
}

// Whether a rename is for a file below this folder.
bool renames_inside(const ScanRenames& renames, const std::string& folder) {
    const auto at = renames.lower_bound(folder);
    return at != renames.end() && at->first.starts_with(folder);
}

bool is_utf8_or_exact(std::string_view reading) {
    const std::string word = lower_ascii_text(reading);
    return word == "exact" || word == "utf-8" || word == "utf8";
}

// How a name that is refused could be read.
std::string hint_for(std::string_view raw_name, std::string_view reading) {
    if (const std::string read = read_name(raw_name, "utf-8"); read != raw_name && verify_name(read))
        return "; with --names utf-8 it is \"" + printable(read) + '"';
    if (is_well_formed_utf8(raw_name))
        return "";
    const bool has_code_page = !reading.empty() && !is_utf8_or_exact(reading);
    return has_code_page ? "; it cannot be read as " + printable(reading)
                         : "; --names says which code page it is in, such as cp437";
}

}  // namespace

std::optional<std::string> find_rename(const ScanRenames& renames, std::string_view raw_name) {
    if (renames.empty())
        return std::nullopt;
    auto at = renames.find(raw_name);
    if (at == renames.end())
        at = renames.find(printable(raw_name, SIZE_MAX));
    return at == renames.end() ? std::nullopt : std::optional(at->second);
}

std::optional<AssetName> SourceListing::accept(std::string_view raw_name, const std::string& origin) {
    Result<AssetName> name = AssetName::parse(raw_name);
    std::optional<Error> defect;
    if (!name) {
        const auto rename = find_rename(options_.renames, raw_name);
        defect = name.error();
        name = AssetName::parse(rename ? *rename : read_name(raw_name, options_.names));
    }
    // Junk may have bad names, too.
    const std::string_view shown = name ? name->view() : raw_name;
    if (!name || excludes_.matches(shown))  // the set is for well-formed names
        for (const std::string& pattern : options_.excludes)
            if (glob_matches(pattern, shown)) {
                exclude(shown, origin, pattern);
                return std::nullopt;
            }
    if (!name) {
        refuse(raw_name, origin, Error(defect->code(), defect->message() + hint_for(raw_name, options_.names)));
        return std::nullopt;
    }
    if (defect)
        renamed.push_back({.printable_name = printable(raw_name), .origin = origin, .name = *name});
    return std::move(name).value();
}

bool SourceListing::accept_folder(std::string_view raw_name, const std::string& origin) {
    const Status good = verify_name(raw_name);
    const std::string read = good ? std::string(raw_name) : read_name(raw_name, options_.names);
    for (const std::string& pattern : options_.excludes) {
        if (excludes_folder(pattern, read)) {
            exclude(read + '/', origin, pattern);
            return false;
        }
    }
    // The files of a folder that may get another name are judged one by one.
    if (good || verify_name(read) || renames_inside(options_.renames, std::string(raw_name) + '/') ||
        renames_inside(options_.renames, printable(raw_name, SIZE_MAX) + '/'))
        return true;
    refuse(std::string(raw_name) + '/', origin,
           Error(good.error().code(), good.error().message() + hint_for(raw_name, options_.names)));
    return false;
}

void SourceListing::exclude(std::string_view name, const std::string& origin, std::string pattern) {
    excluded.push_back({.name = printable(name, SIZE_MAX), .origin = origin, .pattern = std::move(pattern)});
}

void SourceListing::refuse(std::string_view raw_name, const std::string& origin, Error reason) {
    refused.push_back({.printable_name = printable(raw_name), .origin = origin, .reason = std::move(reason)});
}

}  // namespace fardel
