#include "source_listing.h"

#include <utility>

namespace fardel {
namespace {

// Whether `pattern` excludes everything that can be in a folder: it is "<a glob that matches the folder>/**".
bool excludes_folder(std::string_view pattern, std::string_view folder) {
    return pattern.ends_with("/**") && glob_matches(pattern.substr(0, pattern.size() - 3), folder);
}

}  // namespace

std::optional<AssetName> SourceListing::accept(std::string_view raw_name, const std::string& origin) {
    Result<AssetName> name = AssetName::parse(raw_name);
    if (!name) {
        refuse(raw_name, origin, std::move(name).error());
        return std::nullopt;
    }
    for (const std::string& pattern : excludes_) {
        if (glob_matches(pattern, name->view())) {
            excluded.push_back({.name = name->text(), .origin = origin, .pattern = pattern});
            return std::nullopt;
        }
    }
    return std::move(name).value();
}

bool SourceListing::accept_folder(std::string_view raw_name, const std::string& origin) {
    if (Status good = verify_name(raw_name); !good) {
        refuse(std::string(raw_name) + '/', origin, std::move(good).error());
        return false;
    }
    for (const std::string& pattern : excludes_) {
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
