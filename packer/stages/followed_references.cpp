// Plans the jobs of a build. For processors that follow references, the sources are scanned, and what a source reaches
// becomes an input of its jobs.
#include "build_state.h"

#include <fardel/packer/plan_scan.h>
#include <fardel/packer/resolve.h>
#include <fardel/packer/scan_memory.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace fardel {
namespace {

bool follows(const Project& project, const std::string& processor) {
    const auto found = std::ranges::find(project.processors, processor, &Processor::name);
    return found != project.processors.end() && found->follow_references;
}

// Globs over the names of sources that processors which follow references may be given.
std::vector<std::string> followed_globs(const Project& project) {
    std::vector<std::string> globs;
    for (const ProjectRule& rule : project.rules)
        if (std::ranges::any_of(rule.process, [&](const std::string& name) { return follows(project, name); }))
            globs.push_back(rule.match);
    for (const ProjectJob& job : project.jobs)
        if (follows(project, job.processor))
            globs.insert(globs.end(), job.sources.begin(), job.sources.end());
    return globs;
}

// The sources as if they were the assets of a bundle: that is what the scan and the look-up of references take.
BundlePlan plan_of_sources(const std::vector<SourceEntry>& entries, const FileContents& contents) {
    BundlePlan plan;
    for (const SourceEntry& entry : entries) {
        const auto number = static_cast<std::uint32_t>(plan.assets.size());
        const FileContent& content = contents[FileIndex{number}];
        plan.assets.push_back({.source = content.blob,
                               .key = entry.name.shared_text(),
                               .content_type = content.content_type,
                               .known = PlannedAsset::Known{.asset = content.asset, .size_bytes = content.size_bytes}});
        plan.names.push_back({.name = entry.name, .variants = {{.asset = number}}});
    }
    return plan;
}

std::vector<AssetScan> sizes_of_sources(const std::vector<SourceEntry>& entries, const FileContents& contents) {
    std::vector<AssetScan> sizes;
    for (const SourceEntry& entry : entries) {
        const FileIndex file{static_cast<std::uint32_t>(sizes.size())};
        sizes.push_back({.size_bytes = contents[file].size_bytes, .listed = entry.listed});
    }
    return sizes;
}

// `plan`: of sources, whose numbers are those of the files.
ReachedSources reached_sources(const BundlePlan& plan, const std::vector<RootClosure>& closures) {
    std::unordered_map<std::string_view, FileIndex> files;
    for (const PlannedName& name : plan.names)
        files.emplace(name.name.view(), FileIndex{static_cast<std::uint32_t>(files.size())});
    ReachedSources reached;
    for (const RootClosure& closure : closures) {
        const FileIndex root = files.at(closure.root);
        std::vector<FileIndex>& others = reached[root];
        for (const std::uint32_t name : closure.names)
            if (FileIndex{name} != root)
                others.push_back(FileIndex{name});
    }
    return reached;
}

}  // namespace

bool ProjectBuild::State::follows_references() const {
    return std::ranges::any_of(project.processors, &Processor::follow_references);
}

Result<JobGraph> ProjectBuild::State::plan_jobs(const std::vector<SourceEntry>& entries, const FileContents& contents) {
    std::vector<AssetName> names;
    std::ranges::transform(entries, std::back_inserter(names), &SourceEntry::name);
    ResolveOptions resolve{.roots = followed_globs(project)};
    if (resolve.roots.empty())
        return JobGraph::plan(project, std::move(names));

    FARDEL_TRY_ASSIGN(resolve.profile, load_profile(project, folder));
    // Scanners that are programs are left out: they run after the jobs, whose outputs they read, too.
    std::vector<ProjectScanner> patterns;
    std::ranges::copy_if(project.scanners, std::back_inserter(patterns),
                         [](const ProjectScanner& scanner) { return !scanner.pattern.empty(); });
    FARDEL_TRY_ASSIGN(auto known, database.read_scans());
    ScanMemory memory(std::move(known));
    const BundlePlan plan = plan_of_sources(entries, contents);
    auto scan = scan_plan(plan, sizes_of_sources(entries, contents),
                          {.jobs = options.jobs,
                           .scanners = patterns,
                           .profile = resolve.profile,
                           .project_file = project.file,
                           .memory = &memory,
                           .stop = options.stop});
    FARDEL_TRY(database.write_scans(memory.take_added()));
    FARDEL_TRY(database.commit());
    if (!scan)
        return std::move(scan).error();
    for (const Hash& key : memory.used())
        scans_used.insert(key);
    count_scans(scan->assets);
    auto resolved = resolve_plan(plan, scan->assets, resolve);
    if (!resolved)
        return std::move(resolved).error().with_context(printable(project.file) + ": follow_references");
    return JobGraph::plan(project, std::move(names), reached_sources(plan, resolved->audit.roots));
}

}  // namespace fardel
