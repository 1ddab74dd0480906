// Project: what a fardel.toml says, as plain values. docs/project-file.md is the manual of the file.
//
// parse_project is pure, from any thread, and believes nothing: every mistake is an error that tells the place, what
// stands there and what to write instead. Paths are as written; read_project's caller knows the folder that they are
// relative to. Nothing is looked up: whether sources exist shows when they are scanned.
#pragma once

#include <fardel/format/bundle_plan.h>
#include <fardel/format/ids.h>
#include <fardel/format/name.h>
#include <fardel/format/result.h>
#include <fardel/packer/processor.h>
#include <fardel/packer/project_references.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {

inline constexpr std::string_view kProjectFileName = "fardel.toml";
inline constexpr std::size_t kProjectBytesMax = 1u << 20;
inline constexpr std::size_t kProjectItemsMax = 4096;  // in one list, and rules

// Says something about the files that `match` matches. Absent: says nothing about that.
struct ProjectRule {
    std::string match;     // glob over names as the sources have them
    bool exclude = false;  // then nothing else is said
    std::optional<bool> publish;
    std::optional<bool> extends;
    std::string name;   // well formed; `match` is one name then
    std::string strip;  // what is taken out of the name
    std::string content_type;
    std::vector<std::pair<std::string, std::string>> tags;  // axis, value
    std::vector<PlannedMetadata> metadata;
    std::vector<std::string> process;  // names of processors that make something of the file
    std::uint32_t line = 0;
};

struct ProjectDependency {
    std::string file;  // a bundle, or empty: then `bundle` is set
    std::optional<BundleId> bundle;
    std::string name;  // empty with a file: what the file says
    std::string version;
    bool is_static = true;
    std::uint32_t line = 0;
};

// One job of many files: all that `sources` match.
struct ProjectJob {
    std::vector<std::string> sources;  // globs over names as the sources have them
    std::string processor;             // its name
    std::vector<std::string> outputs;  // names; empty: what the job leaves
    std::uint32_t line = 0;
};

// [[cache]]: derived data of others, asked behind the project's own; exactly one of folder, url and bundle.
struct ProjectCache {
    std::string folder;
    bool shared = false;  // over a network
    std::string url;
    std::string token_file;  // its first line goes to the server
    std::string bundle;
    bool read = true;
    bool write = true;  // what jobs gave
    bool fill = true;   // what others behind it had
    std::chrono::milliseconds slow{2'000};
    std::uint32_t line = 0;
};

struct Project {
    std::string file;  // for messages
    std::string name;  // of the bundle
    std::string version;
    std::string output;                 // empty: output_of tells
    std::string key;                    // a secret key file; empty: unsigned
    std::vector<std::string> sources;   // later ones win
    std::vector<std::string> excludes;  // besides the usual ones
    std::vector<ProjectRule> rules;     // later ones win
    std::vector<PlannedConsume> consumes;
    std::vector<ProjectDependency> dependencies;
    std::vector<PlannedMetadata> metadata;  // of the bundle, without name and version
    std::vector<AssetName> tombstones;
    std::vector<Processor> processors;  // each name once
    std::vector<ProjectJob> jobs;
    std::vector<ProjectCache> caches;
    std::optional<ProjectReferences> references;  // absent: nothing is scanned for what it names
    std::optional<SplitOptions> split;            // then `references` is there, too
    std::vector<ProjectScanner> scanners;
};

// `file` is how messages name the text. Errors, of the first mistake, with the number of others: malformed, limit.
Result<Project> parse_project(std::string_view text, std::string_view file);
// Errors: missing, denied, io, those of parse_project.
Result<Project> read_project(const std::string& path);

// `output`, or the last part of the bundle's name with ".fardel".
std::string output_of(const Project& project);

// Checks the version of a bundle. Error: malformed.
Status verify_version(std::string_view version);

// A commented project that parses, for a bundle of that name, which must be well formed.
std::string starter_project(std::string_view name);

}  // namespace fardel
