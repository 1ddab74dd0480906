// JobGraph: the jobs of a project, the files that they read, and the files that they make.
//
// It is a pure value with copies of the project's rules and processors. Files are sources and outputs of jobs; a job
// waits for the jobs that make its inputs. A rule passes each file that it matches to its processors, and their outputs
// are matched against the rules again; a file never goes twice through the same processor. A [[job]] takes all files
// that its globs match, including outputs of earlier jobs. docs/builds.md has the rules.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/name.h>
#include <fardel/format/tag.h>
#include <fardel/packer/index.h>
#include <fardel/packer/project.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace fardel {

struct GraphFile {
    AssetName name;
    std::optional<JobIndex> made_by;  // nothing: a source
    bool consumed = false;            // processors made it into other files, and it is not kept itself
    Tags tags;                        // of the processors that it went through
};

struct GraphJob {
    ProcessorIndex processor{};
    std::vector<FileIndex> sources;
    std::vector<FileIndex> others;             // other files that it may read
    std::vector<FileIndex> outputs;            // empty until they are known
    std::vector<JobIndex> waits_for;           // ascending
    std::vector<ProcessorIndex> came_through;  // ascending: of this job and of all jobs that its sources come from
    bool discovers_outputs = false;            // its outputs are known only after it has run
    bool left_out = false;                     // it does not run: the project's target has none of what it makes
    ProjectPosition at;                        // of the rule or [[job]]
};

// Per source the other sources that it reaches by references, in any number of steps; ascending.
using ReachedSources = std::map<FileIndex, std::vector<FileIndex>>;

class JobGraph {
public:
    // `sources`: the first files of the graph, in this order. `reached`: for processors that follow references.
    // Errors: conflict (two outputs with one name, or a file and a folder with one name; a cycle of jobs that wait for
    // each other, with the jobs in it), limit, malformed or conflict (output names), unresolved (a [[job]] matches
    // nothing).
    static Result<JobGraph> plan(const Project& project, std::vector<AssetName> sources,
                                 const ReachedSources& reached = {});

    const IndexedList<GraphFile, FileIndex>& files() const noexcept { return files_; }
    const IndexedList<GraphJob, JobIndex>& jobs() const noexcept { return jobs_; }
    const Processor& processor_of(JobIndex job) const { return processors_[jobs_[job].processor]; }
    // Returns the jobs that are not left out, each after those that it waits for, otherwise in planned order; jobs that
    // add_outputs added are missing until sort() is called.
    const std::vector<JobIndex>& order() const noexcept { return order_; }

    // Adds the outputs of a job that discovers_outputs, after it has run. Returns the index of the first job that this
    // adds: the former end of jobs(). Errors: those of plan(), except cycles.
    Result<JobIndex> add_outputs(JobIndex job, const std::vector<std::string>& names);
    // Sorts order(). Error: conflict (jobs that wait for each other).
    Status sort();
    // "fardel.toml:7: processor 'sd' of 'a.png'"
    std::string describe(JobIndex job) const;
    // LoggedJob::job: "sd → a.png", the same in each build of the project.
    std::string name_of(JobIndex job) const;

private:
    explicit JobGraph(const Project& project) : rules_(project.rules), processors_(project.processors) {}

    Status add_file(AssetName name, std::optional<JobIndex> made_by, Tags tags);
    Status follow_rules(FileIndex first);
    Status add_rule_job(FileIndex file, ProcessorIndex processor, const ProjectPosition& at);
    Status add_table_job(const ProjectJob& table);
    Status add_declared_outputs(JobIndex job, const std::vector<std::string>& names);
    void add_declared_inputs(JobIndex first_job, FileIndex first_file);
    void add_reached_sources(const ReachedSources& reached);
    void leave_out_jobs(const ProjectTarget& target);
    bool came_through(FileIndex file, ProcessorIndex processor) const;
    JobIndex add_job(GraphJob job);
    bool has_its_name(FileIndex file) const;
    ProcessorIndex processor_of_name(const std::string& name) const;

    std::vector<ProjectRule> rules_;
    IndexedList<Processor, ProcessorIndex> processors_;
    IndexedList<GraphFile, FileIndex> files_;
    IndexedList<GraphJob, JobIndex> jobs_;
    std::vector<JobIndex> order_;
    FileIndex planned_end_{};                             // files from here on are outputs that jobs discovered
    std::unordered_map<std::string, FileIndex> by_name_;  // folded name → the file that has the name now
};

}  // namespace fardel
