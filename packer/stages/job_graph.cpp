#include <fardel/packer/job_graph.h>

#include "jobs/output_names.h"
#include "resolve/component_order.h"

#include <fardel/format/printable.h>
#include <fardel/packer/project_plan.h>

#include <algorithm>
#include <cassert>
#include <queue>
#include <set>

namespace fardel {
namespace {

constexpr std::size_t kFilesMax = 10'000'000;

bool any_matches(std::span<const std::string> globs, std::string_view name) {
    return std::ranges::any_of(globs, [&](const std::string& glob) { return glob_matches(glob, name); });
}

Tags joined(Tags tags, const Tags& over) {
    for (const Tag& tag : over)
        set_tag(tags, tag);
    return tags;
}

template <class Index>
void insert_sorted(std::vector<Index>& list, Index index) {
    const auto at = std::ranges::lower_bound(list, index);
    if (at == list.end() || *at != index)
        list.insert(at, index);
}

}  // namespace

ProcessorIndex JobGraph::processor_of_name(const std::string& name) const {
    const auto found = std::ranges::find(processors_, name, &Processor::name);
    assert(found != processors_.end());  // parse_project refuses unknown names
    return ProcessorIndex{static_cast<std::uint32_t>(found - processors_.begin())};
}

std::string JobGraph::describe(JobIndex job) const {
    const GraphJob& it = jobs_[job];
    const std::string of = it.sources.empty()       ? "nothing"
                           : it.sources.size() == 1 ? in_quotes(files_[it.sources[0]].name.view())
                                                    : std::to_string(it.sources.size()) + " files";
    return it.at.text() + ": processor " + in_quotes(processor_of(job).name) + " of " + of;
}

std::string JobGraph::name_of(JobIndex job) const {
    const GraphJob& it = jobs_[job];
    // Outputs are unique, and stay when a [[job]] gets a source more. Those that a job reports are not known before.
    const bool by_output = !it.discovers_outputs && !it.outputs.empty();
    const std::vector<FileIndex>& files = by_output ? it.outputs : it.sources;
    const std::string file = files.empty() ? std::string() : files_[files.front()].name.text();
    return processor_of(job).name + (by_output ? " → " : " of ") + file;
}

bool JobGraph::came_through(FileIndex file, ProcessorIndex processor) const {
    const std::optional<JobIndex>& job = files_[file].made_by;
    return job && std::ranges::binary_search(jobs_[*job].came_through, processor);
}

JobIndex JobGraph::add_job(GraphJob job) {
    job.came_through = {job.processor};
    std::optional<JobIndex> before;  // sources of one job often come from the same job
    for (const FileIndex source : job.sources) {
        const std::optional<JobIndex>& made_by = files_[source].made_by;
        if (!made_by || made_by == before)
            continue;
        before = made_by;
        for (const ProcessorIndex processor : jobs_[*made_by].came_through)
            insert_sorted(job.came_through, processor);
    }
    return jobs_.add(std::move(job));
}

// Whether the file still has its name: an output may have taken over the name of its source.
bool JobGraph::has_its_name(FileIndex file) const { return by_name_.at(fold_name(files_[file].name.view())) == file; }

// ---- Files ----------------------------------------------------------------------------------------------------------

Status JobGraph::add_file(AssetName name, std::optional<JobIndex> made_by, Tags tags) {
    if (files_.size() >= kFilesMax)
        return Error(ErrorCode::limit,
                     "more than " + std::to_string(kFilesMax) + " files; do the rules make ever more of them?");
    const FileIndex file = files_.end_index();
    const auto placed = by_name_.emplace(fold_name(name.view()), file);
    if (!placed.second) {
        const GraphFile& other = files_[placed.first->second];
        const bool own_source =
            made_by && other.consumed &&
            std::ranges::find(jobs_[*made_by].sources, placed.first->second) != jobs_[*made_by].sources.end();
        if (!own_source) {
            const std::string by = other.made_by ? "which " + describe(*other.made_by) + " makes as well"
                                                 : "which is a source; give what is made another name, or write "
                                                   "keep_source = false and match it alone";
            return Error(ErrorCode::conflict, (made_by ? describe(*made_by) : std::string("a source")) +
                                                  ": would make " + in_quotes(name.view()) + ", " + by);
        }
        placed.first->second = file;  // the output takes over the name of its own source
    }
    files_.add({.name = std::move(name), .made_by = made_by, .tags = std::move(tags)});
    return ok();
}

Status JobGraph::add_declared_outputs(JobIndex job, const std::vector<std::string>& names) {
    for (const std::string& text : names) {
        FARDEL_TRY_ASSIGN(AssetName name, AssetName::parse(text));
        const FileIndex output = files_.end_index();
        auto tags = jobs_[job].sources.empty() ? Tags() : files_[jobs_[job].sources[0]].tags;
        FARDEL_TRY(add_file(std::move(name), job, joined(std::move(tags), processor_of(job).tags)));
        jobs_[job].outputs.push_back(output);
    }
    return ok();
}

// ---- Jobs -----------------------------------------------------------------------------------------------------------

Status JobGraph::add_rule_job(FileIndex file, ProcessorIndex processor, const ProjectPosition& at) {
    const Processor& it = processors_[processor];
    GraphJob added{.processor = processor, .sources = {file}, .discovers_outputs = it.outputs.empty(), .at = at};
    if (files_[file].made_by)
        added.waits_for.push_back(*files_[file].made_by);
    const JobIndex job = add_job(std::move(added));
    if (!it.keep_source)
        files_[file].consumed = true;
    Result<std::vector<std::string>> names = output_names(it, files_[file].name);
    if (!names)
        return std::move(names).error().with_context(describe(job));
    return add_declared_outputs(job, *names);
}

// Assigns the files from `first` on to the processors of the rules; outputs are appended to the list.
Status JobGraph::follow_rules(FileIndex first) {
    std::vector<ProcessorIndex> given;  // of the current file; several rules may name the same processor
    for (FileIndex file = first; file < files_.end_index(); ++file) {
        given.clear();
        for (const ProjectRule& rule : rules_) {
            if (rule.process.empty() || !glob_matches(rule.match, files_[file].name.view()))
                continue;
            for (const std::string& name : rule.process) {
                const ProcessorIndex processor = processor_of_name(name);
                // Outputs go through the rules again, and a processor whose output its own rule matches would run for
                // ever.
                if (std::ranges::find(given, processor) != given.end() || came_through(file, processor))
                    continue;
                given.push_back(processor);
                FARDEL_TRY(add_rule_job(file, processor, rule.at));
            }
        }
    }
    return ok();
}

Status JobGraph::add_table_job(const ProjectJob& table) {
    const ProcessorIndex processor = processor_of_name(table.processor);
    GraphJob added{.processor = processor, .discovers_outputs = table.outputs.empty(), .at = table.at};
    for (FileIndex file{}; file < files_.end_index(); ++file) {
        if (!any_matches(table.sources, files_[file].name.view()) || !has_its_name(file))
            continue;
        added.sources.push_back(file);
        if (files_[file].made_by)
            insert_sorted(added.waits_for, *files_[file].made_by);
        if (!processors_[processor].keep_source)
            files_[file].consumed = true;
    }
    if (added.sources.empty())
        return Error(ErrorCode::unresolved, table.at.text() + ": 'sources' of this [[job]] match no file");
    std::ranges::sort(added.sources, {}, [&](FileIndex file) { return files_[file].name.view(); });
    return add_declared_outputs(add_job(std::move(added)), table.outputs);
}

// Adds the files that processors declare as 'inputs' to the jobs from `first_job` on: planned files, and files from
// `first_file` on. Outputs that other jobs discovered meanwhile are left out, since the time of their discovery is
// random.
void JobGraph::add_declared_inputs(JobIndex first_job, FileIndex first_file) {
    for (ProcessorIndex processor{}; processor < processors_.end_index(); ++processor) {
        const std::vector<std::string>& globs = processors_[processor].inputs;
        if (globs.empty())
            continue;
        std::vector<FileIndex> matching;
        for (FileIndex file{}; file < files_.end_index(); ++file)
            if ((file < planned_end_ || file >= first_file) && any_matches(globs, files_[file].name.view()) &&
                has_its_name(file))
                matching.push_back(file);
        for (JobIndex index = first_job; index < jobs_.end_index(); ++index) {
            GraphJob& job = jobs_[index];
            if (job.processor != processor)
                continue;
            for (const FileIndex file : matching) {
                if (files_[file].made_by == index || std::ranges::find(job.sources, file) != job.sources.end())
                    continue;
                job.others.push_back(file);
                if (files_[file].made_by)
                    insert_sorted(job.waits_for, *files_[file].made_by);
            }
        }
    }
}

// Adds the sources that the sources of jobs reach by references. They are sources even if an output has taken over the
// name, so no job waits for another because of them, and references in a circle do no harm.
void JobGraph::add_reached_sources(const ReachedSources& reached) {
    for (GraphJob& job : jobs_) {
        if (!processors_[job.processor].follow_references)
            continue;
        std::set<std::string> names;  // in the folder of a job, a name is one file
        for (const auto* const files : {&job.sources, &job.others})
            for (const FileIndex file : *files)
                names.insert(fold_name(files_[file].name.view()));
        std::set<FileIndex> added;
        for (const FileIndex source : job.sources)
            if (const auto at = reached.find(source); at != reached.end())
                added.insert(at->second.begin(), at->second.end());
        for (const FileIndex file : added)
            if (names.insert(fold_name(files_[file].name.view())).second)
                job.others.push_back(file);
    }
}

// ---- Order ----------------------------------------------------------------------------------------------------------

Status JobGraph::sort() {
    IndexedList<std::size_t, JobIndex> missing(jobs_.size());
    IndexedList<std::vector<JobIndex>, JobIndex> followers(jobs_.size());
    // By number, so that the order, and with it the first error, is the same in each build.
    std::priority_queue<JobIndex, std::vector<JobIndex>, std::greater<>> ready;
    for (JobIndex job{}; job < jobs_.end_index(); ++job) {
        missing[job] = jobs_[job].waits_for.size();
        for (const JobIndex before : jobs_[job].waits_for)
            followers[before].push_back(job);
        if (missing[job] == 0)
            ready.push(job);
    }
    order_.clear();
    while (!ready.empty()) {
        const JobIndex job = ready.top();
        ready.pop();
        order_.push_back(job);
        for (const JobIndex follower : followers[job])
            if (--missing[follower] == 0)
                ready.push(follower);
    }
    if (order_.size() == jobs_.size()) {
        std::erase_if(order_, [&](JobIndex job) { return jobs_[job].left_out; });
        return ok();
    }

    // Every remaining job waits for another remaining job, so following them leads into a cycle.
    JobIndex start{};
    while (missing[start] == 0)
        ++start;
    const auto left = [&](JobIndex before) { return missing[before] != 0; };
    std::string text;
    const auto cycle =
        cycle_from(start, [&](JobIndex job) { return *std::ranges::find_if(jobs_[job].waits_for, left); });
    for (const JobIndex job : cycle)
        text += describe(job) + " → ";
    return Error(ErrorCode::conflict, "these wait for each other: " + text + describe(cycle.front()) +
                                          "; make 'inputs' or 'match' narrower");
}

// Leaves out the jobs of which no output is in the target's bundle, and no other job reads any. They consume nothing:
// their sources are what is left for the target.
void JobGraph::leave_out_jobs(const ProjectTarget& target) {
    const bool discovers = std::ranges::any_of(jobs_, &GraphJob::discovers_outputs);
    const auto is_needed = [&](FileIndex file) {
        const std::string_view name = files_[file].name.view();
        if (!files_[file].consumed && has_variant(target, tags_by_rules(rules_, name, files_[file].tags)))
            return true;
        // Jobs that are discovered later may declare it as an input.
        return discovers &&
               std::ranges::any_of(processors_, [&](const Processor& it) { return any_matches(it.inputs, name); });
    };
    std::set<JobIndex> needed;
    const auto need_maker = [&](FileIndex file) {
        if (files_[file].made_by)
            needed.insert(*files_[file].made_by);
    };
    for (GraphFile& file : files_)
        file.consumed = false;
    // Backwards: what reads the outputs of a job is behind it.
    for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
        GraphJob& job = jobs_[*at];
        job.left_out = !needed.contains(*at) && !job.discovers_outputs && std::ranges::none_of(job.outputs, is_needed);
        if (job.left_out)
            continue;
        for (const FileIndex source : job.sources)
            files_[source].consumed |= !processors_[job.processor].keep_source;
        std::ranges::for_each(job.sources, need_maker);
        std::ranges::for_each(job.others, need_maker);
    }
    std::erase_if(order_, [&](JobIndex job) { return jobs_[job].left_out; });
}

Result<JobGraph> JobGraph::plan(const Project& project, std::vector<AssetName> sources, const ReachedSources& reached) {
    JobGraph graph(project);
    graph.files_.reserve(sources.size());
    for (AssetName& name : sources)
        FARDEL_TRY(graph.add_file(std::move(name), std::nullopt, {}));
    if (project.processors.empty())
        return graph;
    FARDEL_TRY(graph.follow_rules(FileIndex{}));
    for (const ProjectJob& table : project.jobs) {
        const FileIndex first = graph.files_.end_index();
        FARDEL_TRY(graph.add_table_job(table));
        FARDEL_TRY(graph.follow_rules(first));
    }
    graph.planned_end_ = graph.files_.end_index();
    graph.add_declared_inputs(JobIndex{}, FileIndex{});
    graph.add_reached_sources(reached);
    FARDEL_TRY(graph.sort());
    if (project.target)
        graph.leave_out_jobs(*project.target);
    return graph;
}

Result<JobIndex> JobGraph::add_outputs(JobIndex job, const std::vector<std::string>& names) {
    assert(jobs_[job].discovers_outputs && jobs_[job].outputs.empty());
    const JobIndex first_job = jobs_.end_index();
    const FileIndex first_file = files_.end_index();
    FARDEL_TRY(add_declared_outputs(job, names));
    FARDEL_TRY(follow_rules(first_file));
    add_declared_inputs(first_job, first_file);
    return first_job;
}

}  // namespace fardel
