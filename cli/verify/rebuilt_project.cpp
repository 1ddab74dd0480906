#include "verify/rebuilt_project.h"

#include "build/build_command.h"
#include "build/build_explanation.h"
#include "build/resolved_project.h"
#include "bundles/bundle_file.h"
#include "console/figures.h"
#include "console/temporary_folder.h"

#include <fardel/base/folder.h>
#include <fardel/base/little_endian.h>
#include <fardel/base/path_text.h>
#include <fardel/format/hash.h>
#include <fardel/format/printable.h>
#include <fardel/packer/build.h>
#include <fardel/packer/build_log.h>
#include <fardel/packer/project.h>
#include <fardel/packer/project_build.h>
#include <fardel/sources/observed_path.h>
#include <fardel/verifier/bundle_diff.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::size_t kRebuildFindingsMax = 100;  // of one rule
constexpr std::size_t kRebuildHitsMax = 100;      // of one bundle

// ---- Building -------------------------------------------------------------------------------------------------------

struct RebuiltTarget {
    std::string folder;  // of the bundles
    ProvenanceClaim claim;
    std::vector<LoggedJob> jobs;
};

struct RebuiltProject {
    std::vector<RebuiltTarget> targets;
    std::uint64_t jobs_run = 0;
};

// Without a share, no cache, also none of the project's settings: what it has may be what nobody can make again. With
// one, those of the project, to which nothing is written.
Result<CacheRequest> caches_of(const Project& project, const std::string& project_file, bool are_used) {
    CacheRequest caches;
    for (const CacheSetting& one : project.caches)
        caches.layers.push_back(one.name + (are_used ? "=read-only" : "=off"));
    const std::string own = joined_path(joined_path(folder_part(project_file), kBuildFolder), "cache");
    if (are_used && stamp_path(own).kind == StampKind::folder) {
        FARDEL_TRY_ASSIGN(const std::string path, absolute_path(own));
        caches.layers.push_back("earlier-builds=" + path);
        caches.layers.push_back("earlier-builds=read-only");
    }
    return caches;
}

// Which jobs a share runs: others for other bundles.
std::uint32_t seed_of(const ProvenanceClaim& claim) {
    Hasher hasher;
    for (const ClaimedBundle& bundle : claim.bundles)
        hasher.update(std::as_bytes(std::span(bundle.bundle.bytes)));
    const Hash hash = hasher.finish();
    return load_le<std::uint32_t>(std::as_bytes(std::span(hash.bytes)).data());
}

// What is built again is thrown away, and so is the key that signs it in place of the project's.
BuildSigning throwaway_signing() {
    return {.key_path = {},
            .program = {},
            .secret_files = {},
            .created = {},
            .open = [](const std::string&) -> Result<std::unique_ptr<Signer>> {
                return make_key_signer(SecretKey::generate());
            }};
}

// The first bundle of each target that the claim names, in its order, which is that of the build.
std::vector<ClaimedBundle> targets_in(const ProvenanceClaim& claim) {
    std::vector<ClaimedBundle> targets;
    for (const ClaimedBundle& bundle : claim.bundles)
        if (std::ranges::find(targets, bundle.target, &ClaimedBundle::target) == targets.end())
            targets.push_back(bundle);
    return targets;
}

Status build_target_again(RebuiltProject& rebuilt, const BuildRequest& request, Console& console) {
    FARDEL_TRY_ASSIGN(const BuildOutcome outcome, build_project(request));
    if (!outcome.unconfined.empty())
        console.say("fardel: jobs run unconfined: " + outcome.unconfined);
    FARDEL_TRY_ASSIGN(ProvenanceFile made, read_provenance(request.provenance));
    FARDEL_TRY_ASSIGN(BuildLog log, read_build_log(request.log));
    rebuilt.jobs_run += outcome.counts.jobs_run;
    rebuilt.targets.push_back({.folder = std::string(folder_part(request.output)),
                               .claim = std::move(made.claim),
                               .jobs = std::move(log.jobs)});
    return ok();
}

Result<RebuiltProject> build_again(const ProvenanceClaim& claim, const RebuildOptions& options,
                                   const std::string& scratch, Console& console) {
    FARDEL_TRY_ASSIGN(const std::string file, project_file_of(options.project));
    FARDEL_TRY_ASSIGN(const Project project, read_project(file));
    const bool is_share = options.share < 100;
    const std::uint32_t seed = options.seed != 0 ? static_cast<std::uint32_t>(options.seed) : seed_of(claim);
    FARDEL_TRY_ASSIGN(const CacheRequest caches, caches_of(project, file, is_share));
    StageProgress bars(console);
    RebuiltProject rebuilt;
    for (const ClaimedBundle& first : targets_in(claim)) {
        FARDEL_TRY_ASSIGN(const Project one, project_for(project, first.target));
        const std::string folder = joined_path(scratch, "target-" + first.target);
        FARDEL_TRY(create_folders(folder));
        BuildRequest request{.project_file = file,
                             .target = first.target,
                             .output = joined_path(folder, file_name_of_path(output_of(one))),
                             .version = first.version,
                             .signing = throwaway_signing(),
                             .purpose = BundlePurpose::load,  // the quickest: ids are of content alone
                             .jobs = static_cast<unsigned>(options.jobs),
                             .verify_per_1000 = is_share ? static_cast<std::uint32_t>(options.share * 10) : 0,
                             .verify_seed = seed,
                             .caches = caches,
                             .log = folder + ".log",
                             .provenance = folder + ".json",
                             .build_folder = joined_path(scratch, "build"),
                             .progress = [&](const BuildProgress& progress) { bars.show(progress); },
                             .stop = options.stop};
        FARDEL_TRY(build_target_again(rebuilt, request, console));
    }
    return rebuilt;
}

// ---- Comparing ------------------------------------------------------------------------------------------------------

// A bounded list of findings of one rule.
class RebuildFindings {
public:
    RebuildFindings(VerifySetReport& set, std::string_view rule, std::string where)
        : set_(set), rule_(rule), where_(std::move(where)) {}
    RebuildFindings(const RebuildFindings&) = delete;
    RebuildFindings& operator=(const RebuildFindings&) = delete;
    ~RebuildFindings() {
        if (count_ > kRebuildFindingsMax)
            add_finding(
                set_, rule_, where_,
                Error(ErrorCode::conflict, fmt::format("and {} more", format_count(count_ - kRebuildFindingsMax))));
    }
    void add(std::string text) {
        if (++count_ <= kRebuildFindingsMax)
            add_finding(set_, rule_, where_, Error(ErrorCode::conflict, std::move(text)));
    }

private:
    VerifySetReport& set_;
    std::string_view rule_;
    std::string where_;
    std::size_t count_ = 0;
};

// The jobs of all targets; one that several need once, as in a provenance.
std::vector<LoggedJob> jobs_of(const RebuiltProject& rebuilt) {
    std::vector<LoggedJob> jobs;
    std::set<BuildKey> seen;
    for (const RebuiltTarget& target : rebuilt.targets)
        for (const LoggedJob& job : target.jobs)
            if (seen.insert(job.key).second)
                jobs.push_back(job);
    return jobs;
}

// Jobs of several targets may have one name and differ in their inputs: the second is "name (2)".
std::vector<KeyPart> numbered(std::vector<KeyPart> jobs) {
    std::map<std::string, std::size_t> counts;
    for (KeyPart& job : jobs)
        if (const std::size_t number = ++counts[job.name]; number > 1)
            job.name += fmt::format(" ({})", number);
    return jobs;
}

// The files of a job that the claim has with another hash. What another job made is no file of the claim.
std::string changed_files(const LoggedJob& job,
                          const std::map<std::pair<std::string, std::string>, KeyChange>& changes) {
    std::string text;
    for (const KeyPart& part : job.parts) {
        const auto change = changes.find({part.kind == "input" ? "source" : part.kind, part.name});
        if (change != changes.end())
            text += (text.empty() ? "" : ", ") + format_key_change(change->second);
    }
    return text;
}

// Findings about files that are others than the claim says. Returns the changes by kind and name.
std::map<std::pair<std::string, std::string>, KeyChange> compare_files(const ProvenanceClaim& claim,
                                                                       const RebuiltProject& rebuilt,
                                                                       const std::string& where, VerifySetReport& set) {
    std::vector<KeyPart> read;
    for (const RebuiltTarget& target : rebuilt.targets)
        read.insert(read.end(), target.claim.read.begin(), target.claim.read.end());
    std::map<std::pair<std::string, std::string>, KeyChange> changes;
    RebuildFindings findings(set, "provenance-input-differs", where);
    for (const KeyChange& change : changes_between(claim.read, read)) {
        findings.add("the provenance has another file: " + format_key_change(change));
        changes.emplace(std::pair(change.kind, change.name), change);
    }
    return changes;
}

// Findings about files and jobs that are others than the claim says.
void compare_claims(const ProvenanceClaim& claim, const RebuiltProject& rebuilt, const std::string& where,
                    VerifySetReport& set) {
    const auto changed = compare_files(claim, rebuilt, where, set);
    const std::vector<LoggedJob> jobs = jobs_of(rebuilt);
    std::vector<KeyPart> keys;
    for (const LoggedJob& job : jobs)
        keys.push_back({.kind = "job", .name = job.job, .value = job.key.hex()});
    RebuildFindings findings(set, "provenance-job-differs", where);
    for (const KeyChange& change : changes_between(numbered(claim.jobs), numbered(keys))) {
        if (change.after.empty()) {
            findings.add(in_quotes(change.name) + " is no job of the project any more");
            continue;
        }
        if (change.before.empty()) {
            findings.add(in_quotes(change.name) + " is no job of the provenance");
            continue;
        }
        const auto job = std::ranges::find(jobs, change.after, [](const LoggedJob& one) { return one.key.hex(); });
        const std::string because = changed_files(*job, changed);
        findings.add(in_quotes(change.name) + " has other inputs than in the provenance: " +
                     (because.empty() ? "its command, parameters or version, or what another job made" : because));
    }
}

// The jobs that make a name, by name of the output.
std::map<std::string, const LoggedJob*> makers_of(const RebuiltTarget& target) {
    std::map<std::string, const LoggedJob*> makers;
    for (const LoggedJob& job : target.jobs)
        for (const KeyPart& part : job.parts)
            if (part.kind == "output")
                makers.emplace(part.name, &job);
    return makers;
}

AffectedAsset affected_by(const DiffName& name) {
    return {.id = name.variants.empty() ? AssetId{} : name.variants.front().asset, .name = name.text};
}

// The names that differ, as the rebuilt bundle has them, or else as the first has them.
std::vector<AffectedAsset> names_in(const BundleDiff& diff) {
    std::vector<AffectedAsset> names;
    for (const auto* const changes : {&diff.changed, &diff.renamed})
        for (const DiffChange& change : *changes)
            names.push_back(affected_by(change.after));
    for (const auto* const lists : {&diff.added, &diff.removed})
        for (const DiffName& name : *lists)
            names.push_back(affected_by(name));
    return names;
}

// Names a job whose inputs are those of the claim, and which made other bytes than the bundle has.
void compare_outputs(const ProvenanceClaim& claim, const RebuiltTarget& target, const BundleDiff& diff,
                     const std::string& file, VerifySetReport& set) {
    const auto makers = makers_of(target);
    RebuildFindings findings(set, "provenance-job-differs", file);
    for (const DiffChange& change : diff.changed) {
        const auto maker = makers.find(change.after.text);
        if (maker == makers.end() || change.before.variants.empty() || change.after.variants.empty())
            continue;
        const KeyPart same{.kind = "job", .name = maker->second->job, .value = maker->second->key.hex()};
        if (std::ranges::find(claim.jobs, same) != claim.jobs.end())
            findings.add(fmt::format(
                "the same inputs gave other bytes: {} made {} with the asset {}, and the bundle "
                "has {}; the job is not deterministic, or did not make what the bundle has",
                in_quotes(maker->second->job), printable(change.after.text),
                short_id(change.after.variants.front().asset), short_id(change.before.variants.front().asset)));
    }
}

Status compare_bundle(const ProvenanceClaim& claim, const RebuiltTarget& target, const ClaimedBundle& made,
                      const std::string& file, VerifySetReport& set) {
    FARDEL_TRY_ASSIGN(const auto before, open_bundle(file));
    FARDEL_TRY_ASSIGN(const auto after, open_bundle(joined_path(target.folder, made.file)));
    FARDEL_TRY_ASSIGN(const BundleDiff diff, diff_bundles(*before, *after));
    std::vector<AffectedAsset> names = names_in(diff);
    add_finding(
        set, "provenance-bundle-differs", file,
        Error(ErrorCode::conflict,
              fmt::format("the project makes another bundle, {}: {}", made.bundle.hex(),
                          names.empty() ? std::string("no name differs, but metadata, dependencies or references")
                                        : format_count(names.size(), "name differs", "names differ"))));
    if (names.size() > kRebuildHitsMax)
        names.resize(kRebuildHitsMax);
    set.findings.back().affected = std::move(names);
    compare_outputs(claim, target, diff, file, set);
    return ok();
}

// Compares a bundle with what the project made of its target.
Status check_again(const ProvenanceClaim& claim, const RebuiltProject& rebuilt, const ClaimedBundle& subject,
                   const std::string& file, VerifyOutcome& outcome) {
    for (const RebuiltTarget& target : rebuilt.targets)
        for (const ClaimedBundle& made : target.claim.bundles) {
            if (made.target != subject.target || made.name != subject.name)
                continue;
            if (made.bundle != subject.bundle)
                return compare_bundle(claim, target, made, file, outcome.set);
            ++outcome.provenance->rebuilt->same;
            return ok();
        }
    add_finding(outcome.set, "provenance-bundle-differs", file,
                Error(ErrorCode::conflict, "the project makes no bundle of this name"));
    return ok();
}

}  // namespace

Status add_rebuild(VerifyOutcome& outcome, const ProvenanceClaim& claim, const RebuildOptions& options,
                   Console& console) {
    FARDEL_TRY_ASSIGN(const TemporaryFolder scratch, TemporaryFolder::make());
    Result<RebuiltProject> rebuilt = build_again(claim, options, scratch.path(), console);
    if (!rebuilt)
        return std::move(rebuilt).error().with_context("building " + printable(options.project) + " again");
    VerifySetReport& set = outcome.set;
    compare_claims(claim, *rebuilt, outcome.provenance->file, set);
    RebuildOutcome& again = outcome.provenance->rebuilt.emplace();
    again.project = options.project;
    again.jobs_run = rebuilt->jobs_run;
    again.jobs = jobs_of(*rebuilt).size();
    for (std::size_t i = 0; i < outcome.files.size(); ++i) {
        const auto& id = set.bundles[i].bundle.id;
        const auto subject =
            std::ranges::find(claim.bundles, id, [](const ClaimedBundle& one) { return std::optional(one.bundle); });
        if (!id || subject == claim.bundles.end())
            continue;  // what is wrong with it is a finding already
        ++again.compared;
        FARDEL_TRY(check_again(claim, *rebuilt, *subject, outcome.files[i], outcome));
    }
    return ok();
}

}  // namespace fardel
