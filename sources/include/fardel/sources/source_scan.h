// Scans what is to be packed: folders and legacy archives, listed, judged and laid over one another.
//
// Names and sizes only; an entry's bytes are read through its blob, later. Sources are hostile. Nothing is skipped
// silently: what a source holds becomes an entry or stands in the report. The same sources give the same result in the
// same order. Blobs keep what they read from open; they may be opened from any number of threads, each stream has one
// reader at a time. docs/packing.md says what becomes of which file.
#pragma once

#include <fardel/format/bundle_plan.h>
#include <fardel/format/name.h>
#include <fardel/format/result.h>
#include <fardel/sources/path_stamp.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fardel {

// `origin`, here and below: where it lies, for people: a file's path, or "pak0.pk3: maps/dm01.bsp". Safe to show.
struct SourceEntry {
    AssetName name;
    std::string origin;
    std::uint64_t size_bytes = 0;
    std::shared_ptr<const BlobSource> blob;
    std::optional<Hash> version;  // another one when the bytes may be others; nothing: only reading tells
};

// Something that cannot be packed: its name breaks a rule, or it is no file (a link, a device), or no part of the
// archive that can be read (encrypted, an unknown compression). A refused folder stands for all that is in it.
struct RefusedName {
    std::string printable_name;  // a folder's ends in '/'
    std::string origin;
    Error reason;
};

// A name that a later one hides: equal to it under case folding, or its folder, or inside it.
struct OverriddenName {
    AssetName name;
    std::string origin;
    AssetName by_name;
    std::string by_origin;
};

struct ExcludedName {
    std::string name;  // a folder's ends in '/'; it stands for all that is in it
    std::string origin;
    std::string pattern;
};

// In the order of the sources; in a folder by name, in an archive as the archive has them.
struct ScanReport {
    std::vector<RefusedName> refused;
    std::vector<OverriddenName> overridden;
    std::vector<ExcludedName> excluded;
};

struct ScanResult {
    std::vector<SourceEntry> entries;  // by name; no two equal under case folding, none the folder of another
    ScanReport report;
    std::vector<SeenPlace> seen;  // while none of it changes, another scan gives the same
};

enum class SourceKind : std::uint8_t { folder, archive, bundle, other };
// What stands at `path`, told from its first and last bytes; no more of it is read. Errors: missing, denied, io,
// malformed (neither a folder nor a regular file).
Result<SourceKind> find_source_kind(const std::string& path);

// What nobody means to pack: the folders of version control, and what desktops leave behind.
std::vector<std::string> usual_excludes();

// Each source is a folder or an archive; a later one hides names of earlier ones, as in the games that these archives
// come from. `excludes`: globs (name.h) over names in the bundle; a glob that ends in "/**" excludes whole folders.
// Errors: missing, denied (a folder that may not be listed), conflict (two names of one folder that a bundle cannot
// hold both, a folder that changes meanwhile), malformed (a glob, a source that is neither folder nor archive, an
// archive that contradicts itself), limit, busy (somebody else in this process uses PhysicsFS), io.
Result<ScanResult> scan_sources(std::span<const std::string> sources, std::span<const std::string> excludes);

}  // namespace fardel
