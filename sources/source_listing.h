// SourceListing: the entries of one source with their names judged, before sources are merged; and the scans that fill
// one. `path` names a source in messages.
#pragma once

#include <fardel/base/path_stamp.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/glob_set.h>
#include <fardel/sources/archive_reader.h>
#include <fardel/sources/source_scan.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {

class SourceListing {
public:
    // The excludes have passed verify_glob.
    explicit SourceListing(ScanOptions options) : options_(std::move(options)), excludes_(options_.excludes) {}

    const ScanOptions& options() const { return options_; }

    // Returns the name, or the one that it is renamed to, if it is well formed and not excluded; otherwise adds it to
    // the report.
    std::optional<AssetName> accept(std::string_view raw_name, const std::string& origin);
    // The same for a folder; returns whether its files are to be listed. `raw_name` does not end in '/'.
    bool accept_folder(std::string_view raw_name, const std::string& origin);
    void refuse(std::string_view raw_name, const std::string& origin, Error reason);
    // `name`: that of a folder ends in '/'. `pattern`: what excludes it, for people.
    void exclude(std::string_view name, const std::string& origin, std::string pattern);

    // In the source's own order. Of two entries whose names contradict each other the later wins, unless
    // `conflicts_refused`: then the source has a conflict.
    std::vector<SourceEntry> entries;
    std::vector<RefusedName> refused;
    std::vector<ExcludedName> excluded;
    std::vector<RenamedFile> renamed;
    std::vector<std::string> remarks;
    std::vector<ObservedPath> seen;
    bool conflicts_refused = false;
    // Of the archive that is listed, if its entries are to have versions.
    std::optional<PathStamp> archive_stamp;

private:
    ScanOptions options_;
    GlobSet excludes_;  // all at once, since most names match none
};

// Returns the text, as that of the name if it is the same.
inline SharedText shared_if_equal(const AssetName& name, std::string_view text) {
    return text == name.view() ? name.shared_text() : SharedText(text);
}

// The name that `raw_name` is to have instead; none if there is no rule for it.
std::optional<std::string> find_rename(const ScanRenames& renames, std::string_view raw_name);

// ---- Folders --------------------------------------------------------------------------------------------------------

// Lists every file below a folder under its path, in byte order. A link gives what it leads to, if that is in the
// folder or in one of the link roots. Other links, devices, FIFOs and sockets are refused; so is a folder whose name is
// refused, with everything in it. `path` itself may be a link. Errors: missing, denied (a folder below may not be
// listed), conflict (the folder changes during the scan), io.
Status list_folder(const std::string& path, SourceListing& listing);

// ---- Archives -------------------------------------------------------------------------------------------------------

// Lists an archive: every entry under its name, in the archive's order. The signature decides on the format; the file's
// extension is ignored. `archives` may be null. Errors: missing, denied, malformed (no archive, or one that contradicts
// itself), limit, unsupported (a bundle, or no reader), io.
Status list_archive(const std::string& path, const ArchiveReader* archives, SourceListing& listing);

// The version of an entry's bytes: they are what they were while nothing happened to the archive. No other
// entry of it has this place and name, whatever the options of the scan.
Hash version_in_archive(const PathStamp& archive, std::uint64_t place, std::string_view name = {});

// Returns what kind of source a file is; never `folder`. Errors: missing, denied, malformed (no regular file), io.
Result<SourceKind> find_archive_kind(const std::string& path);

// Folders that the zip lists become no entries. A link gives the entry or the folder that it leads to. Links to
// anything else, encrypted entries, and methods other than stored and deflated are refused. Errors: those of
// read_zip_directory.
Status list_zip(std::shared_ptr<const ByteSource> bytes, const std::string& path, SourceListing& listing);

// ---- Merging --------------------------------------------------------------------------------------------------------

// A name of a later source hides the names of earlier ones that it contradicts: those that are equal to it under case
// folding, and a folder or file of one name. Of the names that are left, one that may be the 8.3 alias of another is
// refused. Before both, names that contradict another one of their listing, or may be its alias, are renamed by the
// options of the first listing. Error: conflict, for such names of a listing that refuses conflicts; the message has
// all.
Result<ScanResult> merge_listings(std::vector<SourceListing> listings);

}  // namespace fardel
