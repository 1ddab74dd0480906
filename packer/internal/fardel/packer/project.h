// Project: a fardel.toml as plain values. docs/project-file.md is the manual of the file.
//
// parse_project is pure; any thread; the text is untrusted. The error of a mistake has its position, what was found
// there and what to write instead. Paths are as written, relative to the folder of the file (project_path.h). No file
// is accessed: whether sources exist is checked when they are scanned.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/bundle_version.h>
#include <fardel/format/bundle_writer.h>
#include <fardel/format/ids.h>
#include <fardel/format/name.h>
#include <fardel/format/requirement.h>
#include <fardel/format/tag.h>
#include <fardel/packer/processor.h>
#include <fardel/packer/project_references.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

inline constexpr std::string_view kProjectFileName = "fardel.toml";
inline constexpr std::size_t kProjectBytesMax = 1u << 20;
inline constexpr std::size_t kProjectItemsMax = 4096;  // in one list, and rules

// A rule for the files that `match` matches. A member without a value has no effect.
struct ProjectRule {
    std::string match;     // glob over the names in the sources; with `name`, also a name that a bundle cannot have
    bool exclude = false;  // then all other members are unset
    std::optional<bool> publish;
    std::optional<bool> extends;
    std::optional<bool> dynamic;  // references to it are resolved when the game runs: a mount above may replace it
    std::string name;             // well formed; then `match` is one name
    std::string strip;            // the text to remove from the name
    std::string content_type;
    Tags tags;  // axis, value
    std::vector<PlannedMetadata> metadata;
    std::optional<BundlePurpose> purpose;
    std::vector<std::string> process;  // names of processors that take the file as their source
    std::uint32_t line = 0;
};

struct ProjectConsume : PlannedConsume {
    bool dynamic = false;  // also of names of the bundle itself: references to them are resolved when the game runs
};

struct ProjectDependency {
    std::string file;  // a bundle, or empty: then `bundle` is set
    std::optional<BundleId> bundle;
    std::string name;  // empty with a file: as the file states
    BundleVersion version;
    bool is_static = true;
    std::uint32_t line = 0;
};

// One job with many sources: all files that `sources` match.
struct ProjectJob {
    std::vector<std::string> sources;  // globs over the names in the sources
    std::string processor;             // its name
    std::vector<std::string> outputs;  // names; empty: all files that the job makes
    std::uint32_t line = 0;
};

// [[cache]]: a further cache of derived data, used after the project's own. Exactly one of folder, url and bundle is
// set.
// How much of a folder of derived data a build leaves at its end.
struct ProjectCacheLimits {
    std::optional<std::uint64_t> bytes_max;
    std::optional<std::uint32_t> unused_days;

    bool is_empty() const noexcept { return !bytes_max && !unused_days; }
};

struct ProjectCache {
    std::string folder;
    bool shared = false;  // the folder is on a network
    std::string url;
    std::string token_file;  // its first line is sent to the server
    std::string bundle;
    bool read = true;
    bool write = true;                 // stores the results of jobs
    bool fill = true;                  // stores results that were found in later caches
    std::vector<PublicKey> signed_by;  // if not empty, only records that one of these keys has signed are used
    std::chrono::milliseconds slow{2'000};
    ProjectCacheLimits limits;  // of `folder`; empty: builds do not trim it
    std::uint32_t line = 0;
};

// [pack]: how the sources are read, and what for they are packed.
struct ProjectPack {
    bool left_out_fails = false;            // a file that nobody meant to leave out fails the build
    std::vector<std::string> follow_links;  // folders into which links of the sources may lead
    std::string names;                      // as ScanOptions::names
    BundlePurpose purpose = BundlePurpose::balanced;
};

struct Project {
    std::string file;  // for messages
    std::string name;  // of the bundle
    BundleVersion version;
    std::string output;                        // empty: see output_of
    std::string key;                           // a secret key file; empty: unsigned
    std::string order;                         // a trace; empty: none
    std::vector<std::string> sources;          // later ones win
    std::vector<std::string> excludes;         // in addition to usual_excludes()
    std::vector<std::string> allowed_secrets;  // names of files that are packed though they look secret
    ProjectPack pack;
    std::vector<ProjectRule> rules;  // later ones win
    std::vector<ProjectConsume> consumes;
    std::vector<ProjectDependency> dependencies;
    std::vector<PlannedMetadata> metadata;  // of the bundle; without name, version and requirements
    std::vector<Requirement> requirements;  // a name once
    std::vector<AssetName> tombstones;
    std::vector<Processor> processors;  // names are unique
    std::vector<ProjectJob> jobs;
    ProjectCacheLimits own_cache;  // of the project's own folder
    std::vector<ProjectCache> caches;
    std::optional<ProjectReferences> references;  // absent: no asset is scanned
    std::optional<SplitOptions> split;            // set only if `references` is set
    std::vector<ProjectScanner> scanners;
    JobSandbox sandbox = JobSandbox::where_possible;
};

// `file`: the name of the text in messages. Errors: malformed, limit; the message describes the first mistake and
// counts the others.
Result<Project> parse_project(std::string_view text, std::string_view file);
// Errors: missing, denied, io, those of parse_project.
Result<Project> read_project(const std::string& path);

// Returns `output`, or the last part of the bundle's name with ".fardel".
std::string output_of(const Project& project);

// What a first project file says of the content that is there.
struct StarterContent {
    std::vector<std::string> sources{"assets"};
    std::vector<std::string> excludes{"**/*.psd", "**/*.blend"};
    std::string output;   // empty: the default
    std::string profile;  // empty: no [link]
    std::string why;      // of the profile, in one line: what was recognised
};
// Returns a commented project file that parses, for a bundle with that name, which must be well formed.
std::string starter_project(std::string_view name, const StarterContent& content = {});

}  // namespace fardel
