#include "verify/rebuilt_project.h"

#include "build/build_command.h"
#include "build/build_explanation.h"
#include "build/resolved_project.h"
#include "bundles/bundle_file.h"
#include "console/figures.h"
#include "console/temporary_folder.h"

#include <fardel/base/folder.h>
#include <fardel/base/path_text.h>
#include <fardel/format/printable.h>
#include <fardel/packer/build.h>
#include <fardel/packer/build_log.h>
#include <fardel/packer/project.h>
#include <fardel/verifier/bundle_diff.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::size_t kRebuildFindingsMax = 100;  // of one rule
constexpr std::size_t kRebuildHitsMax = 100;      // of one bundle

// ---- Building -------------------------------------------------------------------------------------------------------

struct RebuiltBundle {
    ClaimedBundle claim;
    std::string path;
};

struct RebuiltProject {
    std::vector<RebuiltBundle> bundles;
    std::vector<KeyPart> read;              // as in ProvenanceClaim
    std::map<std::string, LoggedJob> jobs;  // by name
    std::uint64_t jobs_run = 0;
};

// Of the project's own settings, too: what a cache has may be what nobody can make again.
CacheRequest no_caches(const Project& project) {
    CacheRequest caches;
    for (const CacheSetting& one : project.caches)
        caches.layers.push_back(one.name + "=off");
    return caches;
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

// The targets that the claim names, each with the version of its first bundle.
std::map<std::string, std::string> targets_in(const ProvenanceClaim& claim) {
    std::map<std::string, std::string> targets;
    for (const ClaimedBundle& bundle : claim.bundles)
        targets.emplace(bundle.target, bundle.version);
    return targets;
}

Status add_target(RebuiltProject& rebuilt, const BuildRequest& request, Console& console) {
    FARDEL_TRY_ASSIGN(const BuildOutcome outcome, build_project(request));
    if (!outcome.unconfined.empty())
        console.say("fardel: jobs run unconfined: " + outcome.unconfined);
    rebuilt.jobs_run += outcome.counts.jobs_run;
    FARDEL_TRY_ASSIGN(ProvenanceFile made, read_provenance(request.provenance));
    for (ClaimedBundle& bundle : made.claim.bundles) {
        std::string path = joined_path(folder_part(request.output), bundle.file);
        rebuilt.bundles.push_back({.claim = std::move(bundle), .path = std::move(path)});
    }
    std::ranges::move(made.claim.read, std::back_inserter(rebuilt.read));
    FARDEL_TRY_ASSIGN(BuildLog log, read_build_log(request.log));
    for (LoggedJob& job : log.jobs)
        rebuilt.jobs.emplace(job.job, std::move(job));
    return ok();
}

Result<RebuiltProject> build_again(const ProvenanceClaim& claim, const RebuildOptions& options,
                                   const std::string& scratch, Console& console) {
    FARDEL_TRY_ASSIGN(const std::string file, project_file_of(options.project));
    FARDEL_TRY_ASSIGN(const Project project, read_project(file));
    StageProgress bars(console);
    RebuiltProject rebuilt;
    for (const auto& [target, version] : targets_in(claim)) {
        FARDEL_TRY_ASSIGN(const Project one, project_for(project, target));
        const std::string folder = joined_path(scratch, "target-" + target);
        FARDEL_TRY(create_folders(folder));
        BuildRequest request{.project_file = file,
                             .target = target,
                             .output = joined_path(folder, file_name_of_path(output_of(one))),
                             .version = version,
                             .signing = throwaway_signing(),
                             .purpose = BundlePurpose::load,  // the quickest: ids are of content alone
                             .jobs = static_cast<unsigned>(options.jobs),
                             .caches = no_caches(project),
                             .log = folder + ".log",
                             .provenance = folder + ".json",
                             .build_folder = joined_path(scratch, "build"),
                             .progress = [&](const BuildProgress& progress) { bars.show(progress); },
                             .stop = options.stop};
        FARDEL_TRY(add_target(rebuilt, request, console));
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

std::vector<KeyPart> keys_of(const RebuiltProject& rebuilt) {
    std::vector<KeyPart> keys;
    for (const auto& [name, job] : rebuilt.jobs)
        keys.push_back({.kind = "job", .name = name, .value = job.key.hex()});
    return keys;
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

// Findings about files and jobs that are others than the claim says.
void compare_claims(const ProvenanceClaim& claim, const RebuiltProject& rebuilt, const std::string& where,
                    VerifySetReport& set) {
    std::map<std::pair<std::string, std::string>, KeyChange> changes;
    RebuildFindings files(set, "provenance-input-differs", where);
    for (const KeyChange& change : changes_between(claim.read, rebuilt.read)) {
        files.add("the provenance has another file: " + format_key_change(change));
        changes.emplace(std::pair(change.kind, change.name), change);
    }
    RebuildFindings jobs(set, "provenance-job-differs", where);
    for (const KeyChange& change : changes_between(claim.jobs, keys_of(rebuilt))) {
        if (change.after.empty()) {
            jobs.add(in_quotes(change.name) + " is no job of the project any more");
            continue;
        }
        if (change.before.empty()) {
            jobs.add(in_quotes(change.name) + " is no job of the provenance");
            continue;
        }
        const std::string because = changed_files(rebuilt.jobs.at(change.name), changes);
        jobs.add(in_quotes(change.name) + " has other inputs than in the provenance: " +
                 (because.empty() ? "its command, parameters or version, or what another job made" : because));
    }
}

// The jobs that make a name, by name of the output.
std::map<std::string, const LoggedJob*> makers_of(const RebuiltProject& rebuilt) {
    std::map<std::string, const LoggedJob*> makers;
    for (const auto& [name, job] : rebuilt.jobs)
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
void compare_outputs(const ProvenanceClaim& claim, const RebuiltProject& rebuilt, const BundleDiff& diff,
                     const std::string& file, VerifySetReport& set) {
    const auto makers = makers_of(rebuilt);
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

Status compare_bundle(const ProvenanceClaim& claim, const RebuiltProject& rebuilt, const std::string& file,
                      const RebuiltBundle& again, VerifySetReport& set) {
    FARDEL_TRY_ASSIGN(const auto before, open_bundle(file));
    FARDEL_TRY_ASSIGN(const auto after, open_bundle(again.path));
    FARDEL_TRY_ASSIGN(const BundleDiff diff, diff_bundles(*before, *after));
    std::vector<AffectedAsset> names = names_in(diff);
    add_finding(
        set, "provenance-bundle-differs", file,
        Error(ErrorCode::conflict,
              fmt::format("the project makes another bundle, {}: {}", again.claim.bundle.hex(),
                          names.empty() ? std::string("no name differs, but metadata, dependencies or references")
                                        : format_count(names.size(), "name differs", "names differ"))));
    if (names.size() > kRebuildHitsMax)
        names.resize(kRebuildHitsMax);
    set.findings.back().affected = std::move(names);
    compare_outputs(claim, rebuilt, diff, file, set);
    return ok();
}

const RebuiltBundle* find_again(const RebuiltProject& rebuilt, const ClaimedBundle& subject) {
    const auto found = std::ranges::find_if(rebuilt.bundles, [&](const RebuiltBundle& one) {
        return one.claim.target == subject.target && one.claim.name == subject.name;
    });
    return found == rebuilt.bundles.end() ? nullptr : &*found;
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
    for (std::size_t i = 0; i < outcome.files.size(); ++i) {
        const auto& id = set.bundles[i].bundle.id;
        const auto subject =
            std::ranges::find(claim.bundles, id, [](const ClaimedBundle& one) { return std::optional(one.bundle); });
        if (!id || subject == claim.bundles.end())
            continue;  // what is wrong with it is a finding already
        ++again.compared;
        const RebuiltBundle* const made = find_again(*rebuilt, *subject);
        if (made == nullptr)
            add_finding(set, "provenance-bundle-differs", outcome.files[i],
                        Error(ErrorCode::conflict, "the project makes no bundle of this name"));
        else if (made->claim.bundle == *id)
            ++again.same;
        else
            FARDEL_TRY(compare_bundle(claim, *rebuilt, outcome.files[i], *made, set));
    }
    return ok();
}

}  // namespace fardel
