#include "job_queue.h"

#include "due_job.h"
#include "jobs/build_key.h"
#include "jobs/found_inputs.h"
#include "jobs/job_code.h"
#include "jobs/job_record.h"
#include "text/record_fields.h"
#include "waiting_jobs.h"

#include <fardel/base/machine_memory.h>
#include <fardel/base/parallel.h>
#include <fardel/base/path_text.h>
#include <fardel/cache/cache_hit.h>
#include <fardel/packer/farm_job.h>
#include <fardel/packer/key_parts.h>
#include <fardel/sources/entry_plan.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>

namespace fardel {
namespace {

constexpr std::size_t kOwnLayer = 0;

bool finds_inputs(const Processor& processor) { return processor.depfile || processor.protocol; }

bool same_outputs(const JobResult& a, const JobResult& b) {
    return std::ranges::equal(a.outputs, b.outputs, [](const JobOutput& x, const JobOutput& y) {
        return x.name == y.name && x.asset == y.asset;
    });
}

// What a run is a run of, whatever is in the job's files: outputs have one maker, so no two jobs of a graph with
// outputs have the same.
Hash job_digest(const ProcessorJob& job) {
    RecordWriter writer;
    writer.text(job.processor.name);
    writer.list(job.sources, [&](const JobInput& source) { writer.text(source.name.view()); });
    writer.texts(job.outputs);
    return writer.digest();
}

class JobQueue {
public:
    JobQueue(JobGraph& graph, FileContents contents, const JobQueueOptions& options)
        : graph_(graph),
          options_(options),
          runs_(*options.running),
          running_max_(worker_count(options.jobs)),
          waiting_(running_max_,
                   options.memory_bytes ? *options.memory_bytes : find_machine_memory().value_or(UINT64_MAX)),
          planned_end_(graph.jobs().end_index()),
          may_add_(std::ranges::any_of(graph.jobs(), &GraphJob::discovers_outputs)) {
        run_.contents = std::move(contents);
    }

    Result<JobsRun> run() {
        add_jobs(JobIndex{});
        cancel_unplanned();
        expect_ready();
        {
            // The waiting threads notice it at once.
            const std::stop_callback wake(stop(), [this] {
                const std::lock_guard lock(runs_.mutex);
                runs_.changed.notify_all();
            });
            // More threads than jobs are of use only if a job may bring further ones.
            const std::size_t count = may_add_ ? running_max_ : std::min(running_max_, graph_.jobs().size());
            const std::size_t at_farm = options_.run_on_farm ? 1 : 0;  // waits for other machines
            run_on_threads(static_cast<unsigned>(std::max<std::size_t>(count, 1) + at_farm), [this] { work(); });
        }
        if (failure_)
            return std::move(failure_->second);
        if (stop().stop_requested())
            return Error(ErrorCode::cancelled, "asked to stop");
        if (ended_ != graph_.jobs().size()) {
            FARDEL_TRY(graph_.sort());
            return Error(ErrorCode::conflict, "jobs wait for each other");
        }
        // The graph is complete now: what is left belongs to no job of it.
        {
            const std::lock_guard lock(runs_.mutex);
            runs_.cancel_if([](const JobRun&) { return true; });
        }
        for (auto& [index, log] : logs_)
            run_.logs.push_back(graph_.describe(index) + ":\n" + std::move(log));
        for (const JobIndex index : different_)
            run_.different.push_back(graph_.describe(index));
        // Jobs end in any order; nothing of that may show in the bundle or the report.
        std::ranges::stable_sort(run_.references, {}, &FileReference::file);
        std::ranges::sort(run_.found, {}, &FoundPaths::job);
        std::ranges::sort(run_.seen, {}, &ObservedPath::path);
        return std::move(run_);
    }

private:
    const std::stop_token& stop() const { return options_.environment.stop; }

    // ---- One job; called without the lock.

    std::optional<JobOutcome> outcome_of_hit(const ProcessorJob& job, std::optional<CacheHit> hit, bool& verify) {
        if (!hit)
            return std::nullopt;
        auto result = find_result(hit->record, job.outputs);
        if (!result || hit->outputs.size() != result->outputs.size())
            return std::nullopt;
        for (std::size_t i = 0; i < result->outputs.size(); ++i)
            result->outputs[i].blob = hit->outputs[i];
        verify = hit->verify;
        return JobOutcome{.result = *std::move(result), .origin = ResultOrigin::cache};
    }

    FoundStates& found_states(FoundNotes& notes, std::size_t layer, const BuildKey& key) {
        notes.layers.resize(options_.cache->layer_count());
        auto& states = notes.layers[layer];
        if (!states) {
            const auto note = options_.cache->find_note(layer, key);
            states = note ? find_found_states(*note).value_or(FoundStates{}) : FoundStates{};
        }
        return *states;
    }

    // Returns whether all files are as recorded. Fails if the record names a file that it may not name.
    static Result<bool> applies(const std::vector<FoundInput>& state, RecordedFiles& files,
                                std::vector<ObservedPath>& seen) {
        for (const FoundInput& input : state) {
            // No key is computed from bytes that the record does not state: a cache server that names a local file
            // learns at most whether its guess of the content is right
            // (docs/decisions/0029-found-inputs-with-their-bytes.md).
            FARDEL_TRY_ASSIGN(RecordedFile file, files.look(input.path));
            if (file.input != input)
                return false;
            seen.push_back(std::move(file.seen));
        }
        return true;
    }

    // Returns the outcome of the first recorded state of the found inputs that is the present one and for which the
    // cache has a record.
    std::optional<JobOutcome> find_in_layer(const ProcessorJob& job, const BuildKey& key, std::size_t layer,
                                            FoundNotes& notes, bool& verify) {
        FoundStates& found = found_states(notes, layer, key);
        if (found.states.empty())
            return std::nullopt;
        // Other machines write to foreign layers, so only files that the job itself might read are looked at for them.
        auto files = layer == kOwnLayer ? RecordedFiles::of_own_layer(options_.environment.project_folder)
                                        : RecordedFiles::of_foreign_layer(job.processor, options_.environment);
        if (!files)
            return std::nullopt;
        for (const std::vector<FoundInput>& state : found.states) {
            std::vector<ObservedPath> seen;
            const auto as_recorded = applies(state, *files, seen);
            if (!as_recorded) {
                if (layer == kOwnLayer)
                    continue;
                options_.cache->report_refused(layer, "a record names a file: " + as_recorded.error().message());
                found = {};  // so that what is written later replaces it
                return std::nullopt;
            }
            const BuildKey full = build_key_with(key, state);
            if (!*as_recorded || !notes.tried.insert(full).second)
                continue;
            if (auto outcome = outcome_of_hit(job, options_.cache->find(full), verify)) {
                outcome->result.found = state;
                outcome->seen = std::move(seen);
                return outcome;
            }
        }
        return std::nullopt;
    }

    Result<std::optional<JobOutcome>> find_by_found(const ProcessorJob& job, const BuildKey& key, FoundNotes& notes,
                                                    bool& verify) {
        for (std::size_t layer = 0; layer < options_.cache->layer_count(); ++layer) {
            auto outcome = find_in_layer(job, key, layer, notes, verify);
            if (!outcome)
                continue;
            // Only the state that applied is copied, never the foreign note: what it says besides was not proved by
            // anything.
            for (std::size_t above = 0; above < layer; ++above)
                if (options_.cache->may_copy(layer, above))
                    FARDEL_TRY(
                        put_found(key, outcome->result.found, above, DerivedCache::NoteOrigin::lower_layer, notes));
            return outcome;
        }
        return std::optional<JobOutcome>();
    }

    Result<std::optional<JobOutcome>> find_cached(const ProcessorJob& job, const BuildKey& key, FoundNotes& notes,
                                                  bool& verify) {
        if (finds_inputs(job.processor))
            return find_by_found(job, key, notes, verify);
        return outcome_of_hit(job, options_.cache->find(key), verify);
    }

    // Adds a state to what the layer's note says.
    Status put_found(const BuildKey& key, const std::vector<FoundInput>& state, std::size_t layer,
                     DerivedCache::NoteOrigin origin, FoundNotes& notes) {
        FoundStates found;
        if (options_.cache->may_repeat_note(layer))
            found = found_states(notes, layer, key);
        found.add(state);
        return options_.cache->put_note(layer, key, encode_found_states(found), origin);
    }

    // From then on the cache owns the outputs' blobs.
    Status put(const BuildKey& key, JobOutcome& outcome, bool found, FoundNotes& notes) {
        std::vector<std::shared_ptr<const BlobSource>> blobs;
        std::ranges::transform(outcome.result.outputs, std::back_inserter(blobs), &JobOutput::blob);
        const BuildKey full = found ? build_key_with(key, outcome.result.found) : key;
        FARDEL_TRY_ASSIGN(const auto kept, options_.cache->put(record_of(full, outcome.result), blobs));
        for (std::size_t i = 0; i < kept.size(); ++i)
            outcome.result.outputs[i].blob = kept[i];
        for (std::size_t layer = 0; found && layer < options_.cache->layer_count(); ++layer)
            FARDEL_TRY(put_found(key, outcome.result.found, layer, DerivedCache::NoteOrigin::job, notes));
        return ok();
    }

    // Each found input is stamped first and then compared with what the job read, so that any later change is noticed.
    Status verify_found(const JobResult& result, std::vector<ObservedPath>& seen) const {
        for (const FoundInput& input : result.found) {
            const std::string path = joined_path(options_.environment.project_folder, input.path);
            seen.push_back(observe_path(path));
            FARDEL_TRY_ASSIGN(const FoundInput now, look_for_input(input.path, options_.environment.project_folder));
            if (now != input)
                return Error(ErrorCode::conflict, printable(path) + ": edited while a job read it; build again");
        }
        return ok();
    }

    Result<const ProcessorCode*> code_of(ProcessorIndex index, const Processor& processor) {
        const std::lock_guard lock(codes_mutex_);
        if (const auto known = codes_.find(index); known != codes_.end())
            return &known->second;
        const std::string& folder = options_.environment.project_folder;
        ProcessorCode code{.seen = observe_code(processor, folder)};
        FARDEL_TRY_ASSIGN(code.content, read_job_code(processor, folder, options_.environment.image_program));
        return &codes_.emplace(index, std::move(code)).first->second;
    }

    Status read_content_types(JobOutcome& outcome) const {
        for (const JobOutput& output : outcome.result.outputs) {
            FARDEL_TRY_ASSIGN(const std::string_view type, read_content_type(output.name, *output.blob));
            outcome.content_types.emplace_back(type);
        }
        return ok();
    }

    // Returns the outcome if the cache has it; otherwise, `due` gets what is needed to run the job.
    Result<std::optional<JobOutcome>> look_up(DueJob& due) {
        FARDEL_TRY_ASSIGN(due.code, code_of(due.processor, due.job.processor));
        due.key = build_key(due.job, due.code->content.digest);
        bool verify = false;
        FARDEL_TRY_ASSIGN(std::optional<JobOutcome> cached, find_cached(due.job, due.key, due.notes, verify));
        if (verify)
            due.cached = std::exchange(cached, std::nullopt);
        if (cached)
            FARDEL_TRY(complete(due, *cached));
        else if (finds_inputs(due.job.processor))
            due.found_before = observe_found(found_states(due.notes, kOwnLayer, due.key));
        return cached;
    }

    std::vector<ObservedPath> observe_found(const FoundStates& found) const {
        std::set<std::string> paths;
        for (const std::vector<FoundInput>& state : found.states)
            for (const FoundInput& input : state)
                paths.insert(joined_path(options_.environment.project_folder, input.path));
        std::vector<ObservedPath> seen;
        std::ranges::transform(paths, std::back_inserter(seen), observe_path);
        return seen;
    }

    static bool has_changed_since(const ObservedPath& seen) {
        return !looks_unchanged(seen.stamp, stamp_path(seen.path));
    }

    // Programs are not copied like inputs: one that was edited while it ran, or before it was started, is another one.
    static Status verify_code(const JobRun& run) {
        const auto edited = std::ranges::find_if(run.code, has_changed_since);
        return edited == run.code.end()
                   ? ok()
                   : Status(Error(ErrorCode::conflict,
                                  printable(edited->path) + ": edited while a job ran it; build again"));
    }

    // Whether a run that an earlier build began is likely to count when it ends.
    static bool is_promising(const JobRun& run) {
        return std::ranges::none_of(run.code, has_changed_since) &&
               std::ranges::none_of(run.found_before, has_changed_since);
    }

    // Returns what a run that has ended gave, if that holds for the files of now.
    Result<JobOutcome> judge(const DueJob& due) const {
        JobOutcome outcome;
        FARDEL_TRY_ASSIGN(outcome.result, Result<JobResult>(*due.run->result));
        FARDEL_TRY(verify_code(*due.run));
        FARDEL_TRY(verify_found(outcome.result, outcome.seen));
        return outcome;
    }

    // Whether the job may succeed although a run that an earlier build began has failed.
    static bool is_worth_another(const DueJob& due, const Error& error) {
        const bool depends_on_key_alone = (error.code() == ErrorCode::unresolved || error.code() == ErrorCode::limit) &&
                                          !finds_inputs(due.job.processor) &&
                                          due.run->timeout == due.job.processor.timeout;
        return due.taken_over && !depends_on_key_alone;
    }

    // Puts the outcome of a run into the cache.
    Status store(DueJob& due, JobOutcome& outcome) {
        if (due.cached) {
            // Verify mode: the job ran although its result was known, and the newer outputs count.
            outcome.origin = ResultOrigin::verified;
            outcome.different = !same_outputs(due.cached->result, outcome.result);
            options_.cache->report_verified(!outcome.different);
        }
        FARDEL_TRY(put(due.key, outcome, finds_inputs(due.job.processor), due.notes));
        return complete(due, outcome);
    }

    // What the queue needs of an outcome besides the result.
    Status complete(const DueJob& due, JobOutcome& outcome) const {
        outcome.key = finds_inputs(due.job.processor) ? build_key_with(due.key, outcome.result.found) : due.key;
        outcome.parts = key_parts(due.job, due.code->content.parts, outcome.result.found);
        return read_content_types(outcome);
    }

    // ---- Runs of earlier builds.

    // Ends the runs of jobs that the graph does not have and cannot get.
    void cancel_unplanned() {
        const std::lock_guard lock(runs_.mutex);
        if (runs_.runs.empty())
            return;
        std::set<Hash> planned;
        for (JobIndex job{}; job < graph_.jobs().end_index(); ++job)
            planned.insert(job_digest(processor_job(job)));
        runs_.cancel_if(
            [&](const JobRun& run) { return !planned.contains(run.job) && !(may_add_ && run.was_discovered); });
    }

    // Ends the runs of a job whose key is another one now.
    void cancel_outdated(const ProcessorJob& job, const BuildKey& key) {
        if (!runs_.runs.empty())
            runs_.cancel_if([&, of = job_digest(job)](const JobRun& run) { return run.job == of && run.key != key; });
    }

    // Tells the cache what it will be asked for first. What fails here fails again when the job is due.
    void expect_ready() {
        std::vector<BuildKey> keys;
        const std::lock_guard lock(runs_.mutex);
        for (const JobIndex index : ready_) {
            const ProcessorJob job = processor_job(index);
            const auto code = code_of(graph_.jobs()[index].processor, job.processor);
            if (!code)
                continue;
            keys.push_back(build_key(job, (*code)->content.digest));
            // Before the first job is started: what is in vain takes the place of what is needed.
            cancel_outdated(job, keys.back());
        }
        // One question for all jobs that can begin now: at the first build of a version most are misses, and each would
        // be a request. Only "lacking" is believed: a wrong answer costs work or a request, never a wrong result.
        options_.cache->expect(std::move(keys));
    }

    // Has other machines run these jobs, and waits for them.
    Status run_on_farm(const std::map<JobIndex, DueJob>& jobs) {
        std::vector<BuildKey> tickets;
        for (const auto& [index, due] : jobs) {
            FARDEL_TRY_ASSIGN(const FarmTicket ticket,
                              make_farm_ticket(due.job, due.code->content.parts, options_.environment.project_folder,
                                               options_.environment.sandbox, due.key));
            FARDEL_TRY(options_.cache->put(ticket.record, ticket.blobs));
            tickets.push_back(ticket.record.key);
        }
        options_.cache->flush();  // the other machines read what the caches have that they share with this one
        return options_.run_on_farm(tickets);
    }

    // ---- The queue; called with the lock.

    ProcessorJob processor_job(JobIndex index) const {
        const GraphJob& planned = graph_.jobs()[index];
        const auto input = [&](FileIndex file) {
            const FileContent& content = run_.contents[file];
            return JobInput{.name = graph_.files()[file].name,
                            .asset = content.asset,
                            .size_bytes = content.size_bytes,
                            .blob = content.blob};
        };
        ProcessorJob job{.processor = graph_.processor_of(index)};
        std::ranges::transform(planned.sources, std::back_inserter(job.sources), input);
        std::ranges::transform(planned.others, std::back_inserter(job.others), input);
        for (const FileIndex file : planned.outputs)
            job.outputs.push_back(graph_.files()[file].name.text());
        return job;
    }

    // Counts the jobs that the new jobs, from `first` on, wait for.
    void add_jobs(JobIndex first) {
        missing_.resize(graph_.jobs().size());
        followers_.resize(graph_.jobs().size());
        for (JobIndex job = first; job < graph_.jobs().end_index(); ++job) {
            if (graph_.jobs()[job].left_out) {
                ++ended_;
                continue;
            }
            for (const JobIndex before : graph_.jobs()[job].waits_for) {
                if (done_.contains(before))
                    continue;
                ++missing_[job];
                followers_[before].push_back(job);
            }
            if (missing_[job] == 0)
                ready_.insert(job);
        }
        run_.contents.resize(graph_.files().size());
    }

    Status add_discovered(JobIndex index, const JobResult& result) {
        std::vector<std::string> names;
        std::ranges::transform(result.outputs, std::back_inserter(names), &JobOutput::name);
        FARDEL_TRY_ASSIGN(const JobIndex first, graph_.add_outputs(index, names));
        add_jobs(first);
        return ok();
    }

    Status add_outputs(JobIndex index, JobOutcome& outcome) {
        const std::vector<FileIndex>& files = graph_.jobs()[index].outputs;
        for (std::size_t i = 0; i < outcome.result.outputs.size(); ++i) {
            JobOutput& output = outcome.result.outputs[i];
            const auto file =
                std::ranges::find(files, output.name, [&](FileIndex f) { return graph_.files()[f].name.view(); });
            if (file == files.end())
                return Error(ErrorCode::malformed,
                             "it made " + printable(output.name) + ", which is not one of its outputs");
            run_.contents[*file] = {.asset = output.asset,
                                    .size_bytes = output.size_bytes,
                                    .blob = std::move(output.blob),
                                    .content_type = std::move(outcome.content_types[i])};
            for (const auto& reference : outcome.result.references)
                if (reference.first == output.name)
                    run_.references.push_back({.file = *file, .reference = reference.second});
        }
        return ok();
    }

    Status finish(JobIndex index, JobOutcome outcome) {
        done_.insert(index);
        if (graph_.jobs()[index].discovers_outputs)
            FARDEL_TRY(add_discovered(index, outcome.result));
        FARDEL_TRY(add_outputs(index, outcome));
        if (!outcome.result.found.empty()) {
            FoundPaths& found = run_.found.emplace_back(FoundPaths{.job = index});
            for (FoundInput& input : outcome.result.found)
                found.paths.push_back(std::move(input.path));
        }
        std::ranges::move(outcome.seen, std::back_inserter(run_.seen));
        const bool from_cache = outcome.origin == ResultOrigin::cache;
        ++(from_cache ? run_.from_cache : run_.run);
        run_.returned += from_cache && sent_.contains(index) ? 1 : 0;
        run_.logged.emplace(index, LoggedJob{.job = graph_.name_of(index),
                                             .key = outcome.key,
                                             .origin = outcome.origin,
                                             .parts = std::move(outcome.parts)});
        // What a job printed was shown when it ran.
        if (!outcome.result.log.empty() && !from_cache)
            logs_.emplace(index, outcome.result.log);
        if (outcome.different)
            different_.insert(index);
        for (const JobIndex follower : followers_[index])
            if (--missing_[follower] == 0)
                ready_.insert(follower);
        return ok();
    }

    void fail(JobIndex index, Error error) {
        // The first in the graph's order, not in time, so that a build reports the same error each time.
        if (!failure_ || index < failure_->first)
            failure_.emplace(index, std::move(error).with_context(graph_.describe(index)));
    }

    void end(JobIndex index, Result<JobOutcome> outcome) {
        if (!outcome)
            fail(index, std::move(outcome).error());
        else if (Status finished = finish(index, *std::move(outcome)); !finished)
            fail(index, std::move(finished).error());
        ++ended_;
        if (options_.progress)
            options_.progress(ended_, graph_.jobs().size());
    }

    // ---- The steps of a job: it is looked up; if it has to run, it is started; its outcome is stored.

    void look_up_next(std::unique_lock<std::mutex>& lock) {
        // The lowest number first, so that with one thread the order is the same in each build.
        const JobIndex index = *ready_.begin();
        ready_.erase(ready_.begin());
        DueJob due{.job = processor_job(index), .processor = graph_.jobs()[index].processor};
        ++looking_up_;
        lock.unlock();
        Result<std::optional<JobOutcome>> cached = look_up(due);
        lock.lock();
        --looking_up_;
        if (!cached)
            return end(index, std::move(cached).error());
        cancel_outdated(due.job, due.key);
        if (*cached) {
            runs_.cancel_if([&](const JobRun& run) { return run.key == due.key; });  // the cache was faster
            return end(index, **std::move(cached));
        }
        due.run = find_promising(lock, due.key);
        due.taken_over = due.run != nullptr;
        if (due.run)
            started_.emplace(index, std::move(due));
        else if (is_for_other_machines(index, due))
            for_farm_.emplace(index, std::move(due));
        else
            waiting_.add(index, std::move(due));
    }

    bool is_for_other_machines(JobIndex index, const DueJob& due) const {
        return options_.run_on_farm && !due.cached && !sent_.contains(index) && is_for_farm(due.job.processor);
    }

    // Sends what has collected, and looks it up again: what did not come back runs here.
    void send_to_farm(std::unique_lock<std::mutex>& lock) {
        const std::map<JobIndex, DueJob> jobs = std::exchange(for_farm_, {});
        is_at_farm_ = true;
        if (options_.sending)
            options_.sending(jobs.size());
        lock.unlock();
        Status status = run_on_farm(jobs);
        lock.lock();
        is_at_farm_ = false;
        run_.sent += jobs.size();
        for (const auto& [index, due] : jobs) {
            sent_.insert(index);
            ready_.insert(index);
        }
        if (!status && !stop().stop_requested() && (!failure_ || jobs.begin()->first < failure_->first))
            failure_.emplace(jobs.begin()->first, std::move(status).error());
        lock.unlock();
        expect_ready();  // what a server lacked it has now
        lock.lock();
    }

    // Returns the run with the key, or nullptr; ends it if it would be in vain.
    std::shared_ptr<JobRun> find_promising(std::unique_lock<std::mutex>& lock, const BuildKey& key) {
        const std::shared_ptr<JobRun> run = runs_.find(key);
        if (!run)
            return nullptr;
        lock.unlock();
        const bool promising = is_promising(*run);
        lock.lock();
        if (promising)
            return run;
        runs_.cancel_if([&](const JobRun& it) { return &it == run.get(); });
        return nullptr;
    }

    void start(std::unique_lock<std::mutex>& lock, JobIndex index, DueJob waiting) {
        DueJob& due = started_.emplace(index, std::move(waiting)).first->second;
        const auto run = std::make_shared<JobRun>();
        run->key = due.key;
        run->job = job_digest(due.job);
        run->was_discovered = index >= planned_end_;
        run->processor = due.job.processor.name;
        run->timeout = due.job.processor.timeout;
        run->memory_bytes = due.job.processor.memory_bytes;
        run->code = due.code->seen;
        run->found_before = std::move(due.found_before);
        run->scratch = options_.scratch;
        due.run = run;
        if (runs_.start(run, due.job, options_.environment, options_.cache))
            return;
        const ProcessorJob job = due.job;  // another thread may store the outcome as soon as it is there
        lock.unlock();
        run_here(runs_, *run, job, options_.environment, options_.cache);
        lock.lock();
    }

    // Ends a run of an earlier build, so that a waiting job of this one is not delayed by it. All jobs were looked up,
    // so the run's job waits for others, which have to run again: the run is most likely in vain.
    bool try_make_room() {
        if (waiting_.empty() || steps_ != 1 || runs_.is_ending())
            return false;
        const auto is_unclaimed = [&](const std::shared_ptr<JobRun>& run) {
            return !run->result &&
                   std::ranges::none_of(started_, [&](const auto& job) { return job.second.run == run; });
        };
        const auto unclaimed = std::ranges::find_if(runs_.runs, is_unclaimed);
        if (unclaimed == runs_.runs.end())
            return false;
        runs_.cancel_if([run = unclaimed->get()](const JobRun& it) { return &it == run; });
        return true;
    }

    std::map<JobIndex, DueJob>::iterator find_ended() {
        return std::ranges::find_if(started_, [](const auto& it) { return it.second.run->result.has_value(); });
    }

    void store_outcome(std::unique_lock<std::mutex>& lock, JobIndex index) {
        DueJob due = std::move(started_.extract(index).mapped());
        lock.unlock();
        Result<JobOutcome> outcome = judge(due);
        const bool again = !outcome && is_worth_another(due, outcome.error());
        if (outcome)
            if (Status stored = store(due, *outcome); !stored)
                outcome = std::move(stored).error();
        lock.lock();
        runs_.forget(due.run);
        lock.unlock();
        due.run.reset();  // removes its folder, which may take a while
        lock.lock();
        if (!again)
            return end(index, std::move(outcome));
        due.taken_over = false;
        waiting_.add(index, std::move(due));
    }

    // Whether no thread has anything to do any more.
    bool is_over() const {
        // A failure starts no more jobs; the running ones finish, and their results stay in the cache.
        return stop().stop_requested() || (started_.empty() && steps_ == 0 &&
                                           (failure_ || (ready_.empty() && waiting_.empty() && for_farm_.empty())));
    }

    // Does one step, if there is one.
    bool try_step(std::unique_lock<std::mutex>& lock) {
        if (const auto ended = find_ended(); ended != started_.end())
            store_outcome(lock, ended->first);
        else if (failure_)
            return false;
        else if (auto next = waiting_.take_startable(runs_))
            start(lock, next->first, std::move(next->second));
        else if (!ready_.empty())
            look_up_next(lock);
        // One list at a time, so that what can begin meanwhile collects: a scheduler takes its time for each.
        else if (!for_farm_.empty() && !is_at_farm_ && looking_up_ == 0)
            send_to_farm(lock);
        else
            return try_make_room();
        return true;
    }

    void work() {
        std::unique_lock lock(runs_.mutex);
        while (!is_over()) {
            ++steps_;
            const bool did_step = try_step(lock);
            --steps_;
            if (did_step)
                runs_.changed.notify_all();
            else if (!is_over())
                runs_.changed.wait(lock);
        }
        runs_.changed.notify_all();
    }

    JobGraph& graph_;
    const JobQueueOptions& options_;
    RunningJobs::State& runs_;  // its mutex guards the graph and all members below, except the codes
    const std::size_t running_max_;
    WaitingJobs waiting_;         // to be started
    const JobIndex planned_end_;  // jobs from here on come from outputs that other jobs discovered
    const bool may_add_;          // a job may bring further ones
    std::mutex codes_mutex_;
    std::map<ProcessorIndex, ProcessorCode> codes_;  // of processors that had a job

    JobsRun run_;
    IndexedList<std::size_t, JobIndex> missing_;  // number of other jobs that each job still waits for
    IndexedList<std::vector<JobIndex>, JobIndex> followers_;
    std::set<JobIndex> done_;
    std::set<JobIndex> ready_;             // to be looked up
    std::map<JobIndex, DueJob> for_farm_;  // to be sent to other machines
    std::set<JobIndex> sent_;              // to other machines, which are done with them
    std::map<JobIndex, DueJob> started_;   // by this build, or by an earlier one
    bool is_at_farm_ = false;              // a thread waits for other machines
    std::size_t looking_up_ = 0;           // threads that look up a job
    std::size_t steps_ = 0;                // that threads are at
    std::size_t ended_ = 0;
    std::map<JobIndex, std::string> logs_;
    std::set<JobIndex> different_;
    std::optional<std::pair<JobIndex, Error>> failure_;  // of the first job, in the graph's order, that failed
};

}  // namespace

Result<JobsRun> run_jobs(JobGraph& graph, FileContents contents, const JobQueueOptions& options) {
    return JobQueue(graph, std::move(contents), options).run();
}

}  // namespace fardel
