// JobGraph: which jobs make which files out of which, for a project and its sources.
//
// Pure. Files are sources and what jobs make; a job waits for the jobs that make its inputs. A rule gives each file
// that it matches to its processors, and what they make to the rules again; a file is never given to a processor that
// it came through. A [[job]] takes all files that its globs match, also those that earlier ones make. docs/builds.md
// has the rules.
#pragma once

#include <fardel/format/name.h>
#include <fardel/format/result.h>
#include <fardel/packer/project.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fardel {

struct GraphFile {
    AssetName name;
    std::optional<std::uint32_t> made_by;                   // a job; nothing: a source
    bool consumed = false;                                  // something was made of it, and it is not kept itself
    std::vector<std::pair<std::string, std::string>> tags;  // of what it came through
};

struct GraphJob {
    const Processor* processor = nullptr;  // of the project
    std::vector<std::uint32_t> sources;    // files
    std::vector<std::uint32_t> others;     // files that it may read besides
    std::vector<std::uint32_t> outputs;    // files; of a job that tells only when it ran: none until then
    std::vector<std::uint32_t> waits_for;  // jobs, ascending
    bool tells_outputs = false;            // only when it ran
    std::uint32_t line = 0;                // of the rule or [[job]]
};

class JobGraph {
public:
    // The project outlives the graph. Errors: conflict (two make one name, or a file and a folder of it; jobs that wait
    // for each other in a circle, with the way round), limit, malformed or conflict (output names), unresolved (a
    // [[job]] matches nothing).
    static Result<JobGraph> plan(const Project& project, std::vector<AssetName> sources);

    const std::vector<GraphFile>& files() const noexcept { return files_; }
    const std::vector<GraphJob>& jobs() const noexcept { return jobs_; }
    // Each job behind those that it waits for; otherwise as planned. Without those that add_outputs added since sort().
    const std::vector<std::uint32_t>& order() const noexcept { return order_; }

    // What a job that tells_outputs has made; returns the first of the jobs that this adds, which is how many there
    // were. Errors: as plan(), but for circles.
    Result<std::uint32_t> add_outputs(std::uint32_t job, std::vector<AssetName> names);
    // Error: conflict (jobs that wait for each other).
    Status sort();
    // "fardel.toml:7: processor 'sd' of 'a.png'"
    std::string describe(std::uint32_t job) const;

private:
    explicit JobGraph(const Project& project) : project_(&project) {}

    Status add_file(AssetName name, std::optional<std::uint32_t> made_by,
                    std::vector<std::pair<std::string, std::string>> tags);
    Status follow_rules(std::uint32_t from);
    Status add_rule_job(std::uint32_t file, const Processor& processor, std::uint32_t line);
    Status add_table_job(const ProjectJob& table);
    Status add_declared_outputs(std::uint32_t job, const std::vector<std::string>& names);
    void link_others(std::uint32_t from, std::uint32_t first_file);
    bool came_through(std::uint32_t file, const Processor& processor) const;
    const Processor& processor(const std::string& name) const;

    const Project* project_;
    std::vector<GraphFile> files_;
    std::vector<GraphJob> jobs_;
    std::vector<std::uint32_t> order_;
    std::uint32_t planned_files_ = 0;                         // the others come of what jobs told
    std::unordered_map<std::string, std::uint32_t> by_name_;  // folded; the file that has the name now
};

}  // namespace fardel
