#include <fardel/packer/job_graph.h>

#include "text/in_quotes.h"

#include <fardel/format/limits.h>
#include <fardel/packer/output_names.h>

#include <algorithm>
#include <cassert>
#include <queue>

namespace fardel {
namespace {

constexpr std::size_t kFilesMax = 10'000'000;

bool any_matches(std::span<const std::string> globs, std::string_view name) {
    return std::ranges::any_of(globs, [&](const std::string& glob) { return glob_matches(glob, name); });
}

std::vector<std::pair<std::string, std::string>> joined(std::vector<std::pair<std::string, std::string>> tags,
                                                        const std::vector<std::pair<std::string, std::string>>& over) {
    for (const auto& tag : over) {
        const auto same = std::ranges::find(tags, tag.first, &std::pair<std::string, std::string>::first);
        if (same != tags.end())
            same->second = tag.second;
        else
            tags.push_back(tag);
    }
    std::ranges::sort(tags);
    return tags;
}

void insert_sorted(std::vector<std::uint32_t>& numbers, std::uint32_t number) {
    const auto at = std::ranges::lower_bound(numbers, number);
    if (at == numbers.end() || *at != number)
        numbers.insert(at, number);
}

}  // namespace

const Processor& JobGraph::processor(const std::string& name) const {
    const auto found = std::ranges::find(project_->processors, name, &Processor::name);
    assert(found != project_->processors.end());  // parse_project has seen to it
    return *found;
}

std::string JobGraph::describe(std::uint32_t job) const {
    const GraphJob& it = jobs_[job];
    const std::string of = it.sources.empty()       ? "nothing"
                           : it.sources.size() == 1 ? in_quotes(files_[it.sources[0]].name.view())
                                                    : std::to_string(it.sources.size()) + " files";
    return printable(project_->file) + ":" + std::to_string(it.line) + ": processor " + in_quotes(it.processor->name) +
           " of " + of;
}

bool JobGraph::came_through(std::uint32_t file, const Processor& processor) const {
    std::vector<std::uint32_t> open{file};
    while (!open.empty()) {
        const GraphFile& it = files_[open.back()];
        open.pop_back();
        if (!it.made_by)
            continue;
        const GraphJob& job = jobs_[*it.made_by];
        if (job.processor == &processor)
            return true;
        open.insert(open.end(), job.sources.begin(), job.sources.end());
    }
    return false;
}

// ---- Files ----------------------------------------------------------------------------------------------------------

Status JobGraph::add_file(AssetName name, std::optional<std::uint32_t> made_by,
                          std::vector<std::pair<std::string, std::string>> tags) {
    if (files_.size() >= kFilesMax)
        return Error(ErrorCode::limit,
                     "more than " + std::to_string(kFilesMax) + " files; do the rules make ever more of them?");
    const auto number = static_cast<std::uint32_t>(files_.size());
    const auto placed = by_name_.emplace(fold_name(name.view()), number);
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
        placed.first->second = number;  // it takes the place of what it was made from
    }
    files_.push_back({.name = std::move(name), .made_by = made_by, .consumed = false, .tags = std::move(tags)});
    return ok();
}

Status JobGraph::add_declared_outputs(std::uint32_t job, const std::vector<std::string>& names) {
    for (const std::string& text : names) {
        FARDEL_TRY_ASSIGN(AssetName name, AssetName::parse(text));
        auto tags = jobs_[job].sources.empty() ? std::vector<std::pair<std::string, std::string>>()
                                               : files_[jobs_[job].sources[0]].tags;
        FARDEL_TRY(add_file(std::move(name), job, joined(std::move(tags), jobs_[job].processor->tags)));
        jobs_[job].outputs.push_back(static_cast<std::uint32_t>(files_.size() - 1));
    }
    return ok();
}

// ---- Jobs -----------------------------------------------------------------------------------------------------------

Status JobGraph::add_rule_job(std::uint32_t file, const Processor& processor, std::uint32_t line) {
    const auto job = static_cast<std::uint32_t>(jobs_.size());
    GraphJob added{
        .processor = &processor, .sources = {file}, .tells_outputs = processor.outputs.empty(), .line = line};
    if (files_[file].made_by)
        added.waits_for.push_back(*files_[file].made_by);
    jobs_.push_back(std::move(added));
    if (!processor.keep_source)
        files_[file].consumed = true;
    Result<std::vector<std::string>> names = output_names(processor, files_[file].name);
    if (!names)
        return std::move(names).error().with_context(describe(job));
    return add_declared_outputs(job, *names);
}

// Gives the files from that one on to the processors of the rules; what they make follows behind.
Status JobGraph::follow_rules(std::uint32_t from) {
    std::vector<const Processor*> given;  // of the file at hand: several rules may name one
    for (std::uint32_t file = from; file < files_.size(); ++file) {
        given.clear();
        for (const ProjectRule& rule : project_->rules) {
            if (rule.process.empty() || !glob_matches(rule.match, files_[file].name.view()))
                continue;
            for (const std::string& name : rule.process) {
                const Processor& it = processor(name);
                if (std::ranges::find(given, &it) != given.end() || came_through(file, it))
                    continue;
                given.push_back(&it);
                FARDEL_TRY(add_rule_job(file, it, rule.line));
            }
        }
    }
    return ok();
}

Status JobGraph::add_table_job(const ProjectJob& table) {
    const Processor& it = processor(table.processor);
    GraphJob added{.processor = &it, .tells_outputs = table.outputs.empty(), .line = table.line};
    for (std::uint32_t file = 0; file < files_.size(); ++file) {
        if (!any_matches(table.sources, files_[file].name.view()) ||
            by_name_.at(fold_name(files_[file].name.view())) != file)
            continue;
        added.sources.push_back(file);
        if (files_[file].made_by)
            insert_sorted(added.waits_for, *files_[file].made_by);
        if (!it.keep_source)
            files_[file].consumed = true;
    }
    if (added.sources.empty())
        return Error(ErrorCode::unresolved, printable(project_->file) + ":" + std::to_string(table.line) +
                                                ": 'sources' of this [[job]] match no file");
    std::ranges::sort(added.sources, {}, [&](std::uint32_t file) { return files_[file].name.view(); });
    jobs_.push_back(std::move(added));
    return add_declared_outputs(static_cast<std::uint32_t>(jobs_.size() - 1), table.outputs);
}

// What processors declare to read besides, for the jobs from that one on: of the files that are planned and those from
// `first_file` on. What other jobs have told meanwhile is left out: when they did is chance.
void JobGraph::link_others(std::uint32_t from, std::uint32_t first_file) {
    for (const Processor& it : project_->processors) {
        if (it.inputs.empty())
            continue;
        std::vector<std::uint32_t> matching;
        for (std::uint32_t file = 0; file < files_.size(); ++file)
            if ((file < planned_files_ || file >= first_file) && any_matches(it.inputs, files_[file].name.view()) &&
                by_name_.at(fold_name(files_[file].name.view())) == file)
                matching.push_back(file);
        for (std::uint32_t number = from; number < jobs_.size(); ++number) {
            GraphJob& job = jobs_[number];
            if (job.processor != &it)
                continue;
            for (const std::uint32_t file : matching) {
                if (files_[file].made_by == number || std::ranges::find(job.sources, file) != job.sources.end())
                    continue;
                job.others.push_back(file);
                if (files_[file].made_by)
                    insert_sorted(job.waits_for, *files_[file].made_by);
            }
        }
    }
}

// ---- Order ----------------------------------------------------------------------------------------------------------

Status JobGraph::sort() {
    std::vector<std::uint32_t> missing(jobs_.size());
    std::vector<std::vector<std::uint32_t>> followers(jobs_.size());
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    for (std::uint32_t job = 0; job < jobs_.size(); ++job) {
        missing[job] = static_cast<std::uint32_t>(jobs_[job].waits_for.size());
        for (const std::uint32_t before : jobs_[job].waits_for)
            followers[before].push_back(job);
        if (missing[job] == 0)
            ready.push(job);
    }
    order_.clear();
    while (!ready.empty()) {
        const std::uint32_t job = ready.top();
        ready.pop();
        order_.push_back(job);
        for (const std::uint32_t follower : followers[job])
            if (--missing[follower] == 0)
                ready.push(follower);
    }
    if (order_.size() == jobs_.size())
        return ok();

    // Whoever still waits waits for somebody who does: going on like that comes round.
    std::uint32_t at = static_cast<std::uint32_t>(
        std::ranges::find_if(missing, [](std::uint32_t count) { return count != 0; }) - missing.begin());
    std::vector<std::uint32_t> way;
    while (std::ranges::find(way, at) == way.end()) {
        way.push_back(at);
        at = *std::ranges::find_if(jobs_[at].waits_for, [&](std::uint32_t before) { return missing[before] != 0; });
    }
    way.erase(way.begin(), std::ranges::find(way, at));
    std::string text = describe(at);
    for (std::size_t i = 1; i < way.size(); ++i)
        text += " → " + describe(way[i]);
    return Error(ErrorCode::conflict,
                 "these wait for each other: " + text + " → " + describe(at) + "; make 'inputs' or 'match' narrower");
}

Result<JobGraph> JobGraph::plan(const Project& project, std::vector<AssetName> sources) {
    JobGraph graph(project);
    graph.files_.reserve(sources.size());
    for (AssetName& name : sources)
        FARDEL_TRY(graph.add_file(std::move(name), std::nullopt, {}));
    if (project.processors.empty())
        return graph;
    FARDEL_TRY(graph.follow_rules(0));
    for (const ProjectJob& table : project.jobs) {
        const auto before = static_cast<std::uint32_t>(graph.files_.size());
        FARDEL_TRY(graph.add_table_job(table));
        FARDEL_TRY(graph.follow_rules(before));
    }
    graph.planned_files_ = static_cast<std::uint32_t>(graph.files_.size());
    graph.link_others(0, 0);
    FARDEL_TRY(graph.sort());
    return graph;
}

Result<std::uint32_t> JobGraph::add_outputs(std::uint32_t job, std::vector<AssetName> names) {
    assert(jobs_[job].tells_outputs && jobs_[job].outputs.empty());
    const auto first_job = static_cast<std::uint32_t>(jobs_.size());
    const auto first_file = static_cast<std::uint32_t>(files_.size());
    std::vector<std::string> texts;
    for (const AssetName& name : names)
        texts.push_back(name.text());
    FARDEL_TRY(add_declared_outputs(job, texts));
    FARDEL_TRY(follow_rules(first_file));
    link_others(first_job, first_file);
    return first_job;
}

}  // namespace fardel
