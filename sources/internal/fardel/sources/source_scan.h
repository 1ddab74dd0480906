// Scans folders and legacy archives: lists their files, judges the names, and merges the lists.
//
// A scan reads names and sizes only; the bytes of an entry are read later, through its blob. Sources are hostile.
// Nothing is skipped silently: every file becomes an entry or is in the report. The same sources give the same result
// in the same order. A blob keeps open what it reads from. Blobs may be opened on any number of threads; each stream
// has one reader at a time. docs/packing.md says what becomes of which file.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/name.h>
#include <fardel/sources/archive_reader.h>
#include <fardel/sources/observed_path.h>
#include <fardel/sources/scan_report.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {

// Where an entry is, as in scan_report.h. Entries share the path of their source, and most have their own name here.
class EntryOrigin {
public:
    EntryOrigin(std::string text) : item_(text) {}
    EntryOrigin(SharedText source, SharedText item) : source_(std::move(source)), item_(std::move(item)) {}
    std::string text() const { return source_.text() + item_.text(); }
    std::string_view item() const { return item_; }

private:
    SharedText source_;  // "pak0.pk3: "
    SharedText item_;    // safe to show
};

struct SourceEntry {
    AssetName name;
    EntryOrigin origin;
    std::uint64_t size_bytes = 0;
    std::shared_ptr<const BlobSource> blob;
    // Ascending in the order in which a game lists files that searches the last source first.
    std::uint64_t listed = 0;
};

struct ScanResult {
    std::vector<SourceEntry> entries;  // by name; no two equal under case folding, none the folder of another
    ScanReport report;
    std::vector<ObservedPath> seen;  // while none of them changes, another scan gives the same result
};

enum class SourceKind : std::uint8_t { folder, archive, bundle, other };
// Determines what is at `path` from its first and last bytes; reads no more of it. Errors: missing, denied, io,
// malformed (neither a folder nor a regular file).
Result<SourceKind> find_source_kind(const std::string& path);

// Globs for what is never meant to be packed: the folders of version control, and what desktops leave behind.
std::vector<std::string> usual_excludes();

// Names for files whose own names a bundle cannot have. The key is the name in the source, its bytes or what a report
// shows of them; the value is well formed.
using ScanRenames = std::map<std::string, std::string, std::less<>>;

struct ScanOptions {
    // Globs (name.h) over names in the bundle; a glob that ends in "/**" excludes whole folders.
    std::vector<std::string> excludes;
    // Only for names that break a rule, or that contradict another name of their source.
    ScanRenames renames;
    // Folders into which links may lead from a source that is a folder, besides the source itself.
    std::vector<std::string> link_roots;
    std::string names;  // how names are read (name_reading.h); empty: as they are
    // Whether ScanResult::seen lists the files of folders; of many files, that takes as much memory as their entries.
    bool observes_files = true;
};

// Each source is a folder or an archive; a later one hides names of earlier ones, as in the games that these archives
// come from. A link to a file or folder of its source, or in one of `link_roots`, gives what it leads to; others are
// refused. Of two names that file systems with 8.3 aliases confuse, the short one is refused. `archives` reads the
// archives; it may be null if every source is a folder. Errors: missing, denied (a folder that may not be listed),
// conflict (names of one folder that a bundle cannot both hold, all in one message; a folder that changes during the
// scan), malformed (a glob, a source that is neither folder nor archive, an archive that contradicts itself), limit,
// unsupported (an archive without a reader), io.
Result<ScanResult> scan_sources(std::span<const std::string> sources, const ScanOptions& options,
                                const ArchiveReader* archives);

}  // namespace fardel
