// Project: a fardel.toml as plain values. docs/project-file.md is the manual of the file.
//
// parse_project is pure, and knows no other files; any thread; the text is untrusted. The error of a mistake has its
// position, what was found there and what to write instead. Paths are as written, relative to the folder of the file
// (project_path.h). No file is accessed: whether sources exist is checked when they are scanned.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/bundle_version.h>
#include <fardel/format/bundle_writer.h>
#include <fardel/format/ids.h>
#include <fardel/format/name.h>
#include <fardel/format/requirement.h>
#include <fardel/format/tag.h>
#include <fardel/packer/cache_settings.h>
#include <fardel/packer/processor.h>
#include <fardel/packer/project_position.h>
#include <fardel/packer/project_references.h>

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
    std::vector<std::string> targets;  // for which it counts; empty: for all
    ProjectPosition at;
};

struct ProjectConsume : PlannedConsume {
    std::vector<std::string> targets;  // for which it counts; empty: for all
    bool dynamic = false;  // also of names of the bundle itself: references to them are resolved when the game runs
};

struct ProjectDependency {
    std::string file;  // a bundle, or empty: then `bundle` is set
    std::optional<BundleId> bundle;
    std::string name;  // empty with a file: as the file states
    BundleVersion version;
    bool is_static = true;
    std::vector<std::string> targets;  // that have it; empty: all
    ProjectPosition at;
};

// One job with many sources: all files that `sources` match.
struct ProjectJob {
    std::vector<std::string> sources;  // globs over the names in the sources
    std::string processor;             // its name
    std::vector<std::string> outputs;  // names; empty: all files that the job makes
    std::vector<std::string> targets;  // that have it; empty: all
    ProjectPosition at;
};

// [pack]: how the sources are read, and what for they are packed.
struct ProjectPack {
    bool left_out_fails = false;            // a file that nobody meant to leave out fails the build
    std::vector<std::string> follow_links;  // folders into which links of the sources may lead
    std::string names;                      // as ScanOptions::names
    BundlePurpose purpose = BundlePurpose::balanced;
};

// One line of [budget]: how many bytes of assets there may be.
struct ProjectBudget {
    enum class Of : std::uint8_t {
        total,   // of the build
        bundle,  // of each bundle of a build
        names,   // of the names that `glob` matches
        types,   // of the content types that `glob` matches
    };
    Of of = Of::total;
    std::string glob;
    std::uint64_t bytes_max = 0;
    ProjectPosition at;
};

// The values of an axis that the players of a target can choose.
struct TargetAxis {
    std::string axis;
    std::vector<std::string> values;
};

// [target.NAME]: a project with targets has a bundle for each, with the variants that its players can choose.
struct ProjectTarget {
    std::string name;
    std::vector<TargetAxis> axes;
    std::string bundle_name;                // empty: the project's
    std::string output;                     // empty: the project's, see project_for
    std::vector<PlannedMetadata> metadata;  // each in place of the project's
    std::vector<ProjectBudget> budgets;     // if not empty, in place of the project's
    std::vector<std::string> idle_tags;     // values that no rule or processor gives, "fardel.toml:7: …"
    ProjectPosition at;
};

struct Project {
    std::string file;  // for messages
    Hash digest;       // of the texts of its files
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
    CacheLimits own_cache;                        // of the project's own folder
    std::vector<CacheSetting> caches;             // each with a location, and with a name that no other has
    std::optional<ProjectReferences> references;  // absent: no asset is scanned
    std::optional<SplitOptions> split;            // set only if `references` is set
    std::vector<ProjectScanner> scanners;
    JobSandbox sandbox = JobSandbox::where_possible;
    std::vector<ProjectTarget> targets;  // names are unique
    std::vector<ProjectBudget> budgets;
    std::vector<std::string> allowed_licences;  // empty: any
    std::optional<ProjectTarget> target;        // what project_for chose; then the project has what counts for it
};

// `file`: the name of the text in messages. Errors: malformed, limit; the message describes the first mistake and
// counts the others.
Result<Project> parse_project(std::string_view text, std::string_view file);
// With the files that it includes. Errors: missing, denied, io, those of parse_project, conflict (files that include
// each other).
Result<Project> read_project(const std::string& path);
// `files` becomes the paths of the project's file and of those that it includes, also if reading fails.
Result<Project> read_project(const std::string& path, std::vector<std::string>& files);
// The text of a project file, or of another one like it. Errors: missing, denied, io, limit.
Result<std::string> read_project_text(const std::string& path);

// Returns `output`, or the last part of the bundle's name with ".fardel".
std::string output_of(const Project& project);

// Returns the names of those targets, in the order of the project; without any, of all. A project without targets is
// built as one, whose name is empty. Error: malformed (there is no such target).
Result<std::vector<std::string>> find_targets(const Project& project, const std::vector<std::string>& names);
// Returns the project as it is for one of its targets: with the rules, processors, jobs, dependencies and consumed
// names that count there, and with its name, output and metadata. `target`: empty for a project with one target or
// none. Errors: malformed (there is no such target, or several to choose from).
Result<Project> project_for(Project project, const std::string& target);
// Whether the target's players can choose a variant with these tags.
bool has_variant(const ProjectTarget& target, const Tags& tags);

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
// A text as a project file has it, in quotes. `text` has no control characters.
std::string toml_text(std::string_view text);

}  // namespace fardel
