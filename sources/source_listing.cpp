#include "source_listing.h"

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
    if (!name) {
        const auto rename = find_rename(options_.renames, raw_name);
        Error reason = std::move(name).error();
        if (rename)
            name = AssetName::parse(*rename);
        if (!name) {
            refuse(raw_name, origin, std::move(reason));
            return std::nullopt;
        }
        renamed.push_back({.printable_name = printable(raw_name), .origin = origin, .name = *name});
    }
    for (const std::string& pattern : options_.excludes) {
        if (glob_matches(pattern, name->view())) {
            excluded.push_back({.name = name->text(), .origin = origin, .pattern = pattern});
            return std::nullopt;
        }
    }
    return std::move(name).value();
}

bool SourceListing::accept_folder(std::string_view raw_name, const std::string& origin) {
    if (Status good = verify_name(raw_name); !good) {
        // Its files are judged one by one then.
        if (renames_inside(options_.renames, std::string(raw_name) + '/') ||
            renames_inside(options_.renames, printable(raw_name, SIZE_MAX) + '/'))
            return true;
        refuse(std::string(raw_name) + '/', origin, std::move(good).error());
        return false;
    }
    for (const std::string& pattern : options_.excludes) {
        if (excludes_folder(pattern, raw_name)) {
            excluded.push_back({.name = std::string(raw_name) + '/', .origin = origin, .pattern = pattern});
            return false;
        }
    }
    return true;
}

void SourceListing::refuse(std::string_view raw_name, const std::string& origin, Error reason) {
    refused.push_back({.printable_name = printable(raw_name), .origin = origin, .reason = std::move(reason)});
}

}  // namespace fardel
