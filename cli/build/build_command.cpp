#include "build_command.h"

#include "build_findings.h"
#include "build_report.h"
#include "bundles/left_out.h"
#include "console/clock.h"
#include "console/exit.h"
#include "console/figures.h"
#include "console/json.h"
#include "console/passphrase.h"
#include "resolved_project.h"

#include <fardel/base/folder.h>
#include <fardel/base/path_text.h>
#include <fardel/base/text_fields.h>
#include <fardel/packer/project.h>
#include <fardel/packer/project_build.h>
#include <fardel/packer/project_plan.h>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fardel {

void add_output_options(CommandLine& line, OutputOptions& options) {
    line.word("--for", {"load", "balanced", "size"}, options.purpose,
              "What the file is made for: quick loading (LZ4), both, or a small file (zstd's highest level); balanced "
              "when left out. The bundle's id is the same");
    line.number("--level", options.level, 1, 19, "Compression for balanced, 1 (fast) to 19 (small); 9 when left out");
    line.number("-j,--jobs", options.jobs, 0, 256,
                "Threads; one per core when left out. The bundle does not depend on it");
    line.json(options.json, "Report as JSON, with complete lists");
}

std::optional<BundlePurpose> OutputOptions::find_purpose() const {
    if (purpose.empty() && level != 0)
        return BundlePurpose::balanced;  // whatever a project says
    return fardel::find_purpose(purpose);
}

std::optional<std::string> find_mistake(const OutputOptions& options) {
    if (options.level != 0 && !options.purpose.empty() && options.purpose != "balanced")
        return fmt::format("--level is for balanced, not for {}", options.purpose);
    return std::nullopt;
}

void add_source_options(CommandLine& line, SourceOptions& options) {
    line.flag(
        "--strict", options.strict,
        "Fail if a file of the sources is left out that nobody excluded: refused, or hidden by another one of its "
        "source");
    line.texts("--follow-links", "DIR", options.follow_links,
               "Follow symbolic links of the sources into this folder, too; may be repeated. Links that lead to a file "
               "of their own source are always followed");
    line.text("--names", "HOW", options.names,
              "Read names that are refused as they are: utf-8 (takes \\ as /, and composes accents), or the code page "
              "of their author, too, such as cp437, cp1252 or gbk");
}

void set_source_options(BuildRequest& request, const SourceOptions& options, ScanReport& report) {
    request.strict = options.strict;
    // Those of a project are relative to its file.
    for (const std::string& folder : options.follow_links) {
        auto whole = absolute_path(folder);
        request.follow_links.push_back(whole ? *std::move(whole) : folder);
    }
    request.names = options.names;
    request.scanned = [&report](const ScanReport& scanned) { report = scanned; };
}

Status print_left_out(const Error& error, const ScanReport& report, bool json, Console& console) {
    if (error.code() != ErrorCode::unresolved)
        return ok();
    Json lists = json_of(error);
    set_left_out(lists, report);
    FARDEL_TRY(console.write(json ? format_json(lists) + "\n" : format_left_out(report, console)));
    return console.flush();
}

void add_signable_option(CommandLine& line, std::string& policy) {
    line.text("--trust", "POLICY", policy,
              "Refuse to sign what this trust policy does not let the key bring; nothing is written then");
}

Result<BuildSigning> signing_with(const SigningKey& key) {
    FARDEL_TRY_ASSIGN(const UnixTime created, creation_time());
    std::vector<std::string> secret_files;
    if (std::string file = passphrase_file(); !file.empty())
        secret_files.push_back(std::move(file));
    return BuildSigning{.key_path = key.key_path,
                        .program = key.program,
                        .secret_files = std::move(secret_files),
                        .created = created,
                        .open = [program = key.program](const std::string& key_path) {
                            return open_signer({.key_path = key_path, .program = program});
                        }};
}

// ---- Progress -------------------------------------------------------------------------------------------------------

void StageProgress::show(const BuildProgress& progress) {
    if (!bar_ || stage_ != progress.stage) {
        stage_ = progress.stage;
        bar_.emplace(console_, progress.stage);
    }
    const std::string done = format_count(progress.done);
    if (progress.stage == "packing")
        bar_->show(progress.done, progress.total,
                   fmt::format("{} of {}, {}", done, format_count(progress.total, "asset", "assets"),
                               format_size(progress.raw_bytes)),
                   progress.raw_bytes);
    else
        bar_->show(progress.done, progress.total, fmt::format("{} of {}", done, format_count(progress.total)));
}

// ---- fardel build ---------------------------------------------------------------------------------------------------

std::vector<std::string> targets_of(const std::vector<std::string>& lists) {
    std::vector<std::string> names;
    for (std::string_view rest : lists)
        while (!rest.empty())
            if (const std::string_view name = read_until(rest, ','); !name.empty())
                names.emplace_back(name);
    return names;
}

void add_target_option(CommandLine& line, std::string& target) {
    line.text("--target", "NAME", target, "Which target of the project, if it has several");
}

void add_build_options(CommandLine& line, BuildCommand& command) {
    line.text("DIR", "DIR", command.folder, "The folder of the fardel.toml; the current folder when left out");
    line.texts("--target", "NAMES", command.targets,
               "Build only these targets of the project, such as android,pc; all when left out");
    line.text("--version", "VERSION", command.version, "The bundle's version; the project's when left out");
    add_signing_options(line, command.key);
    add_signable_option(line, command.policy);
    add_cache_signing_options(line, command.cache_key);
    line.text("--order", "TRACE", command.order,
              "A trace of what a game opens: what it lists lies together in the bundle; the project's when left out");
    add_source_options(line, command.sources);
    add_output_options(line, command.output);
    line.size("--memory", command.memory_bytes,
              "What jobs that run at a time may need together, by what their processors state, such as 8G; the memory "
              "of the machine when left out",
              1);
    line.flag("--checksum", command.checksum, "Read every source, whatever its size and times are");
    line.number("--verify", command.verify_per_1000, 0, 1000,
                "Of 1000 jobs whose results the cache has, run this many anyway, and compare");
    line.size("--cache-size", command.cache_bytes_max,
              "How much of the project's own cache to leave, such as 500M or 20G; the project's when left out");
    line.number("--cache-unused", command.cache_unused_days, 0, 36'500,
                "Remove from the project's own cache what was not used for so many days");
    line.flag("--explain", command.explain,
              "Say why the project is built, and for each job that ran what is different since its last result");
    line.text("--log", "FILE", command.log, "Write the keys of all jobs and what they cover, for 'fardel log diff'");
    line.text("--provenance", "FILE", command.provenance,
              "Write which bundles were built, from which sources and programs: an in-toto Statement with SLSA's "
              "provenance; with a key, signed by it, in an envelope of DSSE");
    line.text("--depfile", "FILE", command.depfile,
              "Write a rule of a Makefile: what the bundles depend on, for Ninja, Make and others");
    line.text("--farm", "PROGRAM", command.farm,
              "A program that has other machines run jobs; it gets a list of tickets, each for 'fardel job run'");
    add_finding_options(line, command.findings);
    add_cache_options(line, command.caches);
    line.flag("--anew", command.from_scratch, "Remove what earlier builds left in .fardel, and build from scratch");
}

Result<Exit> run_build_command(const BuildCommand& command, std::stop_token stop, std::vector<ObservedPath>& observed,
                               Console& console) {
    FARDEL_TRY_ASSIGN(std::string project_file, project_file_of(command.folder));
    BuildRequest request{.project_file = std::move(project_file),
                         .version = command.version,
                         .order = command.order,
                         .purpose = command.output.find_purpose(),
                         .level = command.output.zstd_level(),
                         .jobs = static_cast<unsigned>(command.output.jobs),
                         .memory_bytes = command.memory_bytes,
                         .checksum = command.checksum,
                         .from_scratch = command.from_scratch,
                         .verify_per_1000 = static_cast<std::uint32_t>(command.verify_per_1000),
                         .running = command.running,
                         .stop = std::move(stop)};
    request.farm = command.farm;
    request.log = command.log;
    request.provenance = command.provenance;
    request.depfile = command.depfile;
    request.cache_bytes_max = command.cache_bytes_max;
    if (command.cache_unused_days != BuildCommand::kUnlimited)
        request.cache_unused_days = static_cast<std::uint32_t>(command.cache_unused_days);
    request.caches = command.caches;
    FARDEL_TRY_ASSIGN(request.signing, signing_with(command.key));
    if (!command.policy.empty()) {
        FARDEL_TRY_ASSIGN(TrustPolicy policy, read_trust_policy(command.policy));
        request.policy = std::make_shared<const TrustPolicy>(std::move(policy));
    }
    FARDEL_TRY_ASSIGN(request.cache_signing, signing_with(command.cache_key));
    ScanReport left_out;
    set_source_options(request, command.sources, left_out);
    std::vector<BuildOutcome> outcomes;
    std::optional<StageProgress> bars;
    request.progress = [&](const BuildProgress& progress) { (bars ? *bars : bars.emplace(console)).show(progress); };
    const auto built = [&](const BuildOutcome& outcome) {
        bars.reset();
        outcomes.push_back(outcome);
        return command.output.json ? ok() : console.write(format_report(outcome, console, command.explain));
    };
    const Status status = build_targets(request, targets_of(command.targets), built, observed);
    bars.reset();
    if (!status) {
        FARDEL_TRY(print_left_out(status.error(), left_out, command.output.json, console));
        if (is_missing_file(status.error(), request.project_file))
            return with_advice(status.error(), "'fardel init' begins a project");
        return status.error();
    }
    if (command.findings.wanted()) {
        FARDEL_TRY_ASSIGN(const Project project, read_project(request.project_file));
        const auto sources = sources_of(project, std::string(folder_part(request.project_file)));
        FARDEL_TRY(write_findings(command.findings, findings_of_build(outcomes, sources)));
    }
    if (command.output.json)
        FARDEL_TRY(console.write(format_json(json_of_targets(outcomes)) + "\n"));
    const bool is_same = std::ranges::all_of(outcomes, [](const BuildOutcome& one) { return one.different.empty(); });
    return is_same ? Exit::fine : Exit::refusal;
}

}  // namespace fardel
