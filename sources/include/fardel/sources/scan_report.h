// ScanReport: what a scan found in folders and archives and did not turn into an entry, or into one of
// another name, and why.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/name.h>

#include <cstddef>
#include <string>
#include <vector>

namespace fardel {

// In all of these, `origin` is where the file is, for people: its path, or "pak0.pk3: maps/dm01.bsp". It is safe to
// show.

// A file that cannot be packed: its name breaks a rule, it is not a file (a link, a device), or it is a part of an
// archive that cannot be read (encrypted, an unknown compression). A refused folder stands for everything in it.
struct RefusedName {
    std::string printable_name;  // that of a folder ends in '/'
    std::string origin;
    Error reason;
};

// A name that a later one hides: the two are equal under case folding, or one is the folder of the other.
struct OverriddenName {
    AssetName name;
    std::string origin;
    AssetName by_name;
    std::string by_origin;
    bool same_source = false;  // no later source hides it, but another file of its own
};

struct ExcludedName {
    std::string name;  // that of a folder ends in '/' and stands for everything in it
    std::string origin;
    std::string pattern;
};

// A file under another name than in its source, which a bundle cannot have: a rule of the project names both.
struct RenamedFile {
    std::string printable_name;  // in the source
    std::string origin;
    AssetName name;
};

// In the order of the sources; by name within a folder, in the archive's order within an archive.
struct ScanReport {
    std::vector<RefusedName> refused;
    std::vector<OverriddenName> overridden;
    std::vector<ExcludedName> excluded;
    std::vector<RenamedFile> renamed;  // these have become entries
    std::vector<std::string> remarks;  // on archives that break a rule of their format; safe to show
};

// The number of files that nobody meant to leave out: those that are refused, and those that a file of their own source
// hides. A refused folder counts as one.
std::size_t count_lost(const ScanReport& report);
// The first file of which nobody meant that it is left out, with the reason; empty: none.
std::string first_lost(const ScanReport& report);

}  // namespace fardel
