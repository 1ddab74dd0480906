// The common parts of `fardel build`, `fardel watch` and `fardel pack`: options, and one build with its progress.
#pragma once

#include "cache_option.h"
#include "console/command_line.h"
#include "console/console.h"
#include "console/progress_bar.h"
#include "console/signing_key.h"
#include "findings/finding_list.h"

#include <fardel/format/bundle_writer.h>
#include <fardel/packer/build.h>
#include <fardel/sources/observed_path.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace fardel {

// --for, --level, --jobs and --json.
struct OutputOptions {
    std::string purpose;      // empty: not given
    std::uint64_t level = 0;  // 0: not given
    std::uint64_t jobs = 0;
    bool json = false;

    int zstd_level() const { return level != 0 ? static_cast<int>(level) : kLevelDefault; }
    // Nothing if neither option is given.
    std::optional<BundlePurpose> find_purpose() const;
};
void add_output_options(CommandLine& line, OutputOptions& options);
// Of options that contradict each other.
std::optional<std::string> find_mistake(const OutputOptions& options);

// --strict, --follow-links and --names.
struct SourceOptions {
    bool strict = false;
    std::vector<std::string> follow_links;
    std::string names;
};
void add_source_options(CommandLine& line, SourceOptions& options);
// Sets these, and keeps in `report` what the sources have and the bundle will not have; `report` outlives the build.
void set_source_options(BuildRequest& request, const SourceOptions& options, ScanReport& report);
// Prints what is left out if a build failed because of that.
Status print_left_out(const Error& error, const ScanReport& report, bool json, Console& console);

// --trust of verbs that build and sign.
void add_signable_option(CommandLine& line, std::string& policy);

// Errors: those of creation_time().
Result<BuildSigning> signing_with(const SigningKey& key);

// Shows a bar for each stage of a build.
class StageProgress {
public:
    explicit StageProgress(Console& console) : console_(console) {}
    void show(const BuildProgress& progress);

private:
    Console& console_;
    std::string stage_;
    std::optional<ProgressBar> bar_;
};

struct BuildCommand {
    std::string folder;                // of the fardel.toml; may be empty
    std::vector<std::string> targets;  // lists of names; empty: all of the project
    std::string version;
    SigningKey key;
    std::string policy;  // a trust policy: what is signed has to be what it lets the key bring
    SigningKey cache_key;
    OutputOptions output;
    SourceOptions sources;
    bool checksum = false;
    std::uint64_t verify_per_1000 = 0;
    bool from_scratch = false;
    bool explain = false;
    std::string log;
    std::string provenance;
    std::string depfile;
    std::string farm;
    FindingOptions findings;
    std::string order;
    std::optional<std::uint64_t> memory_bytes;
    std::optional<std::uint64_t> cache_bytes_max;
    std::uint64_t cache_unused_days = kUnlimited;
    CacheRequest caches{.reads_configuration = true};

    std::shared_ptr<RunningJobs> running;  // see BuildRequest; not an option

    static constexpr std::uint64_t kUnlimited = UINT64_MAX;
};

// "android,pc" and "web" → the three names.
std::vector<std::string> targets_of(const std::vector<std::string>& lists);
// --target of verbs that are about one bundle of a project.
void add_target_option(CommandLine& line, std::string& target);

// DIR and the options of `fardel build` and `fardel watch`.
void add_build_options(CommandLine& line, BuildCommand& command);

// Builds once and prints the outcome. `observed`: see build_project.
Result<Exit> run_build_command(const BuildCommand& command, std::stop_token stop, std::vector<ObservedPath>& observed,
                               Console& console);

}  // namespace fardel
