#include <fardel/sources/source_scan.h>

#include "source_listing.h"

#include <fardel/base/file.h>
#include <fardel/format/hash.h>
#include <fardel/sources/name_reading.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace fardel {
namespace {

bool is_folder(const std::string& path) {
    const auto status = find_file_status(path, path);
    return status && *status && (*status)->is_folder();
}

// An entry whose bytes are what they were while nothing happened to the archive.
class StampedBlob final : public BlobSource {
public:
    StampedBlob(std::shared_ptr<const BlobSource> blob, const Hash& version)
        : blob_(std::move(blob)), version_(version) {}
    Result<std::unique_ptr<BlobStream>> open() const override { return blob_->open(); }
    Result<std::shared_ptr<const ByteSource>> open_bytes() const override { return blob_->open_bytes(); }
    std::optional<Hash> find_version() const override { return version_; }

private:
    const std::shared_ptr<const BlobSource> blob_;
    const Hash version_;
};

// Versions of the entries of one archive: its stamp, and what the archive calls the entry. Its number would not do:
// which entries come before it depends on the options of the scan.
class EntryVersions {
public:
    // `archive` stays where it is while this object lives.
    EntryVersions(const PathStamp& archive, std::size_t path_bytes) : archive_(archive), path_bytes_(path_bytes) {}

    Hash next(const EntryOrigin& entry) {
        const std::string origin = entry.text();
        const std::string_view name = std::string_view(origin).substr(std::min(path_bytes_, origin.size()));
        const std::uint64_t numbers[] = {archive_.inode, archive_.size_bytes,
                                         static_cast<std::uint64_t>(archive_.modified_ns),
                                         static_cast<std::uint64_t>(archive_.changed_ns), times_[std::string(name)]++};
        Hasher hasher;
        hasher.update(std::as_bytes(std::span(numbers)));
        hasher.update(std::as_bytes(std::span(name)));
        return hasher.finish();
    }

private:
    const PathStamp& archive_;
    std::size_t path_bytes_;                                // an origin begins with the path of the archive
    std::unordered_map<std::string, std::uint64_t> times_;  // that a name was seen
};

Status list_whole_archive(const std::string& path, const ArchiveReader* archives, SourceListing& listing) {
    const PathStamp stamp = stamp_path(path);
    FARDEL_TRY(list_archive(path, archives, listing));
    listing.seen.push_back({.path = path, .stamp = stamp, .files = {}});
    if (stamp.young)
        return ok();
    EntryVersions versions(stamp, printable(path, SIZE_MAX).size());
    for (SourceEntry& entry : listing.entries)
        entry.blob = std::make_shared<const StampedBlob>(std::move(entry.blob), versions.next(entry.origin));
    return ok();
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
        FARDEL_TRY(is_folder(source) ? list_folder(source, listing) : list_whole_archive(source, archives, listing));
    }
    return merge_listings(std::move(listings));
}

}  // namespace fardel
