// CacheStatistics: how the layers of a cache of derived data were used. docs/derived-cache.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace fardel {

struct CacheLayerStatistics {
    std::string layer;  // its name, "farm"
    std::string name;   // what it is: "folder /home/ann/.cache/fardel"
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t broken = 0;   // records and objects that do not have the bytes that were written
    std::uint64_t refused = 0;  // intact records that were not used: without a required signature, or against a rule
    std::string refusal;        // why the first of these was refused
    std::uint64_t errors = 0;
    std::string error;  // the last of these
    std::uint64_t records_written = 0;
    std::uint64_t objects_written = 0;
    std::uint64_t bytes_read = 0;
    std::uint64_t bytes_written = 0;
    std::uint64_t filled = 0;  // records copied from lower layers
    std::chrono::microseconds waited{0};
    std::string left_out;  // why the layer is no longer used; empty if it is
};

// What the end of a build removed from one folder.
struct CacheTrimmed {
    std::string folder;
    std::uint64_t files_removed = 0;
    std::uint64_t bytes_removed = 0;
    std::uint64_t bytes_left = 0;
    std::string problem;  // why the folder was not trimmed; empty if it was
};

struct CacheStatistics {
    std::vector<CacheLayerStatistics> layers;
    std::vector<CacheTrimmed> trimmed;  // folders from which something was removed, and those with problems
    std::uint64_t verified = 0;
    std::uint64_t verified_differently = 0;  // the job produced other bytes than the record: it is not deterministic
};

}  // namespace fardel
