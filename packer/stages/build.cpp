// The stages of a build, in their order: from a project to committed, signed bundles.
#include <fardel/packer/build.h>

#include "build_request.h"
#include "build_state.h"
#include "jobs/depfile.h"
#include "plan/plan_digest.h"
#include "plan/plan_requirements.h"
#include "plan/trace_order.h"

#include <fardel/format/block_codec.h>
#include <fardel/format/hash.h>
#include <fardel/format/name.h>
#include <fardel/format/purpose_encoding.h>
#include <fardel/format/whole_file.h>
#include <fardel/packer/build_log.h>
#include <fardel/packer/bundle_target.h>
#include <fardel/packer/project_build.h>
#include <fardel/packer/running_jobs.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <span>
#include <utility>

namespace fardel {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// A rule is not idle if processors consumed all of its files.
void remove_rules_with_jobs(std::vector<std::string>& idle_rules, const std::set<std::string>& job_positions) {
    std::erase_if(idle_rules, [&](const std::string& rule) {
        return std::ranges::any_of(job_positions, [&](const std::string& at) { return rule.starts_with(at + ": "); });
    });
}

// Returns a hash of everything that determines how the same blocks are encoded.
Hash encoder_digest(const BundleOutput& output, const Project& project) {
    std::string all = encoder_name(encoding_for(output.purpose, output.level));
    for (const ProjectRule& rule : project.rules)
        if (rule.purpose)
            all += '\n' + encoder_name(encoding_for(*rule.purpose, output.level)) + ' ' + rule.match;
    return blake3(std::as_bytes(std::span(all)));
}

std::vector<FinishedBundle> finished_of(const std::vector<BuiltBundle>& bundles) {
    std::vector<FinishedBundle> finished;
    for (const BuiltBundle& built : bundles)
        finished.push_back({.path = built.path, .bundle = built.written.bundle, .layout = built.written.layout});
    return finished;
}

ReferenceSummary summary_of(const ResolveResult& resolved) {
    return {.references = resolved.audit.references,
            .resolved = resolved.audit.resolved,
            .rewritten = resolved.rewritten,
            .missing = resolved.audit.missing,
            .soft = resolved.audit.soft,
            .broken = resolved.audit.broken,
            .respelled = resolved.audit.respelled,
            .idle_patterns = resolved.audit.idle_patterns};
}

BuildSummary summary_of(PackPlan planned, std::vector<BuiltBundle> bundles) {
    BuildSummary summary{
        .bundles = std::move(bundles), .scan = std::move(planned.report), .idle_rules = std::move(planned.idle_rules)};
    summary.names_not_chosen = std::move(planned.names_not_chosen);
    if (planned.resolved)
        summary.references = summary_of(*planned.resolved);
    return summary;
}

}  // namespace

Result<PackPlan> ProjectBuild::plan() {
    State& state = *state_;
    state.seen.clear();
    // Damage is looked for only here: a build that finds nothing changed reads a few rows, each with its own seal.
    FARDEL_TRY(state.database.mend());
    FARDEL_TRY(state.verify_confinement());
    state.observe_inputs();
    FARDEL_TRY_ASSIGN(ScanResult sources, scan_project(state.project, state.folder));
    std::ranges::move(sources.seen, std::back_inserter(state.seen));
    FARDEL_TRY_ASSIGN(FileContents contents, state.read_dirty_sources(sources.entries));
    state.sources.clear();
    if (state.options.all_jobs)
        for (std::size_t i = 0; i < sources.entries.size(); ++i)
            state.sources.push_back(
                {.name = sources.entries[i].name.text(), .asset = contents[static_cast<FileIndex>(i)].asset});
    FARDEL_TRY_ASSIGN(JobGraph graph, state.plan_jobs(sources.entries, contents));
    FARDEL_TRY_ASSIGN(JobsRun run, state.run_processors(graph, std::move(contents)));
    std::vector<ProjectFile> files = state.project_files(graph, std::move(run));
    state.graph = std::move(graph);
    state.keep_origins(std::move(sources.entries));
    FARDEL_TRY_ASSIGN(PackPlan planned, state.plan_bundles(std::move(files), std::move(sources.report)));
    remove_rules_with_jobs(planned.idle_rules, state.job_positions);
    // After the references: the order of a trace is layout, and must not show in what is resolved.
    rank_by_trace(planned.plan, state.options.order);
    for (SplitPart& part : planned.parts)
        rank_by_trace(part.plan, state.options.order);
    state.planned = plan_digest(planned.plan);
    return planned;
}

namespace {

// What the targets of a run have in common: the signer, which may ask for a passphrase and is opened when there is
// something to sign, and what is written for other programs.
class BuildRun {
public:
    // Returns nullptr if the bundles stay unsigned.
    Result<Signer*> open_signer(const BuildSigning& signing, const std::string& key_path) {
        if (!is_open_) {
            FARDEL_TRY_ASSIGN(signer_, fardel::open_signer(signing, key_path));
            is_open_ = true;
        }
        return signer_.get();
    }

    // A job that several targets need is logged once, as the first of them got its result.
    void add(const std::vector<LoggedJob>& jobs, const std::string& project) {
        provenance_.log.project = project;
        for (const LoggedJob& job : jobs)
            if (logged_.insert(job.key).second)
                provenance_.log.jobs.push_back(job);
    }
    void add(const std::vector<ProvenanceSource>& sources) {
        provenance_.sources.insert(provenance_.sources.end(), sources.begin(), sources.end());
    }
    void add(const BuildOutcome& outcome) {
        for (const BuiltBundle& built : outcome.summary.bundles)
            provenance_.bundles.push_back({.path = built.path,
                                           .target = outcome.project_target,
                                           .name = built.name,
                                           .version = built.version,
                                           .bundle = built.written.bundle});
    }
    void add_inputs(const std::vector<ObservedPath>& observed) {
        for (const ObservedPath& seen : observed) {
            add_input(seen.path, seen.stamp);
            for (const ObservedFile& file : seen.files)
                add_input(seen.path + '/' + file.name, file.stamp);
        }
    }

    Status write(const BuildRequest& request) {
        if (!request.log.empty())
            FARDEL_TRY(write_build_log(request.log, provenance_.log));
        if (!request.provenance.empty()) {
            FARDEL_TRY_ASSIGN(std::string text, format_provenance(provenance_));
            if (signer_) {
                FARDEL_TRY_ASSIGN(text, sign_provenance(text, *signer_));
            }
            FARDEL_TRY(write_small_file(request.provenance, std::as_bytes(std::span(text))));
        }
        if (request.depfile.empty())
            return ok();
        inputs_.insert(request.project_file);
        std::vector<std::string> bundles;
        std::ranges::transform(provenance_.bundles, std::back_inserter(bundles), &ProvenanceBundle::path);
        const std::string text = format_depfile(bundles, std::vector<std::string>(inputs_.begin(), inputs_.end()));
        return write_small_file(request.depfile, std::as_bytes(std::span(text)));
    }

private:
    // What is absent is left out: other build systems take it for a file that has to be made first.
    void add_input(std::string path, const PathStamp& stamp) {
        if (stamp.kind != StampKind::missing && path.find('\n') == std::string::npos)
            inputs_.insert(std::move(path));
    }

    bool is_open_ = false;
    std::unique_ptr<Signer> signer_;
    Provenance provenance_;
    std::set<BuildKey> logged_;
    std::set<std::string> inputs_;
};

Result<BuildOutcome> build_target(const BuildRequest& request, BuildRun& run, std::vector<ObservedPath>& observed) {
    const auto start = Clock::now();
    FARDEL_TRY_ASSIGN(RequestedProject requested, read_requested_project(request));
    // A bundle that lies in its own sources would be packed into the next one, and change with each build.
    FARDEL_TRY(verify_bundle_target(requested.output.path, requested.output.sources, requested.output.excludes));
    FARDEL_TRY_ASSIGN(ProjectBuild build, open_build(requested, request));
    // Before the signer is opened: a build that has nothing to do asks for no passphrase.
    const bool left_out_fails = requested.project.pack.left_out_fails;
    const std::string target_name = requested.project.target ? requested.project.target->name : std::string();
    std::string why;
    if (auto last = build.find_up_to_date(why)) {
        if (request.running)
            request.running->cancel_all();
        observed = std::move(last->seen);
        FARDEL_TRY(verify_scanned(last->summary.scan, left_out_fails, request));
        return BuildOutcome{.target = requested.output.path,
                            .project_target = target_name,
                            .summary = std::move(last->summary),
                            .up_to_date = true,
                            .seconds = seconds_since(start)};
    }
    FARDEL_TRY_ASSIGN(Signer* const signer, run.open_signer(request.signing, requested.key_path));
    Result<PackPlan> plan = build.plan();
    // Also if the plan failed: `fardel watch` waits for a change of what was looked at.
    observed = build.seen();
    FARDEL_TRY_ASSIGN(PackPlan planned, std::move(plan));
    FARDEL_TRY(verify_scanned(planned.report, left_out_fails, request));
    FARDEL_TRY(verify_planned(requested.project, planned));
    run.add(build.logged(), requested.project.name);
    run.add(build.sources());

    BuildSummary summary;
    const Hash encoder = encoder_digest(requested.output, requested.project);
    // A file was touched, or an edit had no effect: the plan is that of the last build, and so is the bundle.
    auto last = build.find_same(encoder);
    if (last) {
        summary = std::move(last->summary);
        summary.scan = std::move(planned.report);
        summary.idle_rules = std::move(planned.idle_rules);
        summary.names_not_chosen = std::move(planned.names_not_chosen);
        if (planned.resolved)
            summary.references = summary_of(*planned.resolved);
        FARDEL_TRY(build.finish(encoder, std::move(last->bundles), summary));
    } else {
        BundleOutput& output = requested.output;
        output.signer = signer;
        output.policy = request.policy.get();
        output.started = start;
        output.find_donor = [&](const std::string& path) { return build.find_donor(path, encoder); };
        output.progress = request.progress;
        FARDEL_TRY_ASSIGN(std::vector<BuiltBundle> bundles, write_planned(planned, output));
        summary = summary_of(std::move(planned), std::move(bundles));
        FARDEL_TRY(build.finish(encoder, finished_of(summary.bundles), summary));
    }
    // Now that everything is written: caches are written to beside the build.
    BuildOutcome outcome = build.outcome();
    outcome.why = std::move(why);
    outcome.target = requested.output.path;
    outcome.project_target = target_name;
    outcome.summary = std::move(summary);
    outcome.up_to_date = last.has_value();
    outcome.cache.trimmed = build.trim_caches();
    outcome.seconds = seconds_since(start);
    return outcome;
}

Result<BuildOutcome> build_one(const BuildRequest& request, BuildRun& run, std::vector<ObservedPath>& observed) {
    FARDEL_TRY_ASSIGN(BuildOutcome outcome, build_target(request, run, observed));
    run.add(outcome);
    // Of a large project these are many, and a build that finds nothing changed costs little besides.
    if (!request.depfile.empty())
        run.add_inputs(observed);
    FARDEL_TRY(run.write(request));
    return outcome;
}

}  // namespace

Status build_targets(const BuildRequest& request, const std::vector<std::string>& targets,
                     const std::function<Status(const BuildOutcome&)>& built, std::vector<ObservedPath>& observed) {
    FARDEL_TRY_ASSIGN(const Project project, read_project(request.project_file));
    FARDEL_TRY_ASSIGN(const std::vector<std::string> names, find_targets(project, targets));
    BuildRun run;
    BuildRequest one = request;
    for (const std::string& name : names) {
        one.target = name;
        if (request.running && !name.empty())
            one.running = request.running->of_target(name);
        std::vector<ObservedPath> seen;
        const Result<BuildOutcome> outcome = build_one(one, run, seen);
        std::ranges::move(seen, std::back_inserter(observed));
        if (!outcome)
            return name.empty() ? outcome.error() : Error(outcome.error()).with_context("target " + name);
        FARDEL_TRY(built(*outcome));
        one.from_scratch = false;  // what the targets share was made by the first one
    }
    return ok();
}

Result<BuildOutcome> build_project(const BuildRequest& request) {
    BuildRun run;
    std::vector<ObservedPath> observed;
    return build_one(request, run, observed);
}

Result<BuildSummary> build_sources(std::span<const std::string> sources, const BuildRequest& request) {
    PackOptions options{.name = request.name};
    FARDEL_TRY_ASSIGN(options.version, BundleVersion::parse(request.version));
    FARDEL_TRY(add_requirements(options.requirements, request.requirements));
    options.metadata = request.metadata;
    options.scan.excludes.insert(options.scan.excludes.end(), request.excludes.begin(), request.excludes.end());
    options.scan.link_roots = request.follow_links;
    options.scan.names = request.names;
    options.allowed_secrets = request.allowed_secrets;
    BundleOutput output{.path = request.output,
                        .sources = {sources.begin(), sources.end()},
                        .excludes = options.scan.excludes,
                        .name = request.name,
                        .version = request.version,
                        .purpose = request.purpose.value_or(BundlePurpose::balanced),
                        .level = request.level,
                        .jobs = request.jobs,
                        .created = request.signing.created,
                        .progress = request.progress,
                        .stop = request.stop};
    FARDEL_TRY(verify_bundle_target(output.path, output.sources, output.excludes));
    FARDEL_TRY_ASSIGN(const Trace order, read_order(request.order));
    // Before the sources are read: a wrong passphrase is noticed at once.
    FARDEL_TRY_ASSIGN(const auto signer, open_signer(request.signing, request.signing.key_path));
    FARDEL_TRY_ASSIGN(PackPlan planned, pack_sources(output.sources, options));
    FARDEL_TRY(verify_scanned(planned.report, false, request));
    if (planned.plan.assets.empty())
        return nothing_to_pack(planned.report, "the paths and the --exclude patterns");
    rank_by_trace(planned.plan, order);
    output.signer = signer.get();
    output.policy = request.policy.get();
    FARDEL_TRY_ASSIGN(std::vector<BuiltBundle> bundles, write_planned(planned, output));
    return summary_of(std::move(planned), std::move(bundles));
}

}  // namespace fardel
