#include <fardel/sources/source_scan.h>

#include "source_listing.h"

#include <fardel/base/file.h>
#include <fardel/sources/name_reading.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

bool is_folder(const std::string& path) {
    const auto status = find_file_status(path, path);
    return status && *status && (*status)->is_folder();
}

Status list_stamped_archive(const std::string& path, const ArchiveReader* archives, SourceListing& listing) {
    const PathStamp stamp = stamp_path(path);  // before it is opened
    if (!stamp.young)
        listing.archive_stamp = stamp;
    listing.seen.push_back({.path = path, .stamp = stamp, .files = {}});
    return list_archive(path, archives, listing);
}

Status verify_options(const ScanOptions& options) {
    for (const std::string& pattern : options.excludes)
        if (Status good = verify_glob(pattern); !good)
            return std::move(good).error().with_context("exclude \"" + printable(pattern) + '"');
    if (!options.names.empty())
        FARDEL_TRY(verify_name_reading(options.names));
    return ok();
}

}  // namespace

std::size_t count_lost(const ScanReport& report) {
    return report.refused.size() +
           static_cast<std::size_t>(std::ranges::count_if(report.overridden, &OverriddenName::same_source));
}

std::string first_lost(const ScanReport& report) {
    if (!report.refused.empty())
        return report.refused.front().origin + ": " + report.refused.front().reason.message();
    const auto hidden = std::ranges::find_if(report.overridden, &OverriddenName::same_source);
    return hidden == report.overridden.end() ? std::string() : hidden->origin + ": hidden by " + hidden->by_origin;
}

std::vector<std::string> usual_excludes() {
    // Of version control and desktops; then of Finder (AppleDouble), and what editors leave beside what they edit.
    return {"**/.git/**",   "**/.git",        "**/.hg/**",      "**/.svn/**", "**/.DS_Store",
            "**/Thumbs.db", "**/desktop.ini", "**/__MACOSX/**", "**/._*",     "**/*~",
            "**/.*.swp",    "**/#*#",         "**/.#*",         "**/4913",    "**/*.orig"};
}

Result<SourceKind> find_source_kind(const std::string& path) {
    return is_folder(path) ? Result<SourceKind>(SourceKind::folder) : find_archive_kind(path);
}

Result<ScanResult> scan_sources(std::span<const std::string> sources, const ScanOptions& options,
                                const ArchiveReader* archives) {
    FARDEL_TRY(verify_options(options));
    std::vector<SourceListing> listings;
    for (const std::string& source : sources) {
        SourceListing& listing = listings.emplace_back(options);
        FARDEL_TRY(is_folder(source) ? list_folder(source, listing) : list_stamped_archive(source, archives, listing));
    }
    return merge_listings(std::move(listings));
}

}  // namespace fardel
