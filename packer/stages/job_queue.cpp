#include "job_queue.h"

#include "jobs/build_key.h"
#include "jobs/found_inputs.h"
#include "jobs/job_code.h"
#include "jobs/job_record.h"

#include <fardel/base/parallel.h>
#include <fardel/base/path_text.h>
#include <fardel/cache/cache_hit.h>
#include <fardel/packer/farm_job.h>
#include <fardel/packer/key_parts.h>
#include <fardel/sources/entry_plan.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>

namespace fardel {
namespace {

constexpr std::size_t kOwnLayer = 0;

// One job that has run, or whose result was in the cache.
struct JobOutcome {
    JobResult result;
    std::vector<std::string> content_types;  // one per output
    std::vector<ObservedPath> seen;
    BuildKey key;                // under which the result is stored
    std::vector<KeyPart> parts;  // of the key
    ResultOrigin origin = ResultOrigin::run;
    bool different = false;
};

bool finds_inputs(const Processor& processor) { return processor.depfile || processor.protocol; }

bool same_outputs(const JobResult& a, const JobResult& b) {
    return std::ranges::equal(a.outputs, b.outputs, [](const JobOutput& x, const JobOutput& y) {
        return x.name == y.name && x.asset == y.asset;
    });
}

class JobQueue {
public:
    JobQueue(JobGraph& graph, FileContents contents, const JobQueueOptions& options)
        : graph_(graph), options_(options) {
        run_.contents = std::move(contents);
    }

    Result<JobsRun> run() {
        add_jobs(JobIndex{});
        expect_ready();
        FARDEL_TRY(send_to_farm());
        {
            const std::size_t wanted = worker_count(options_.jobs);
            // More threads than jobs are of use only if a job may bring further ones.
            const bool may_add = std::ranges::any_of(graph_.jobs(), &GraphJob::discovers_outputs);
            const std::size_t count = may_add ? wanted : std::min(wanted, graph_.jobs().size());
            run_on_threads(static_cast<unsigned>(std::max<std::size_t>(count, 1)), [this] { work(); });
        }
        if (failure_)
            return std::move(failure_->second);
        if (ended_ != graph_.jobs().size()) {
            FARDEL_TRY(graph_.sort());
            return Error(ErrorCode::conflict, "jobs wait for each other");
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

    // What the layers' notes say about one job; a layer is asked at most once.
    struct FoundNotes {
        std::vector<std::optional<FoundStates>> layers;
        std::set<BuildKey> tried;
    };

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
                FARDEL_TRY(put_found(key, outcome->result.found, above, DerivedCache::NoteOrigin::lower_layer, notes));
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

    Result<JobCode> code_of(ProcessorIndex index, const Processor& processor) {
        const std::lock_guard lock(codes_mutex_);
        if (const auto known = codes_.find(index); known != codes_.end())
            return known->second;
        FARDEL_TRY_ASSIGN(JobCode code, read_job_code(processor, options_.environment.project_folder,
                                                      options_.environment.image_program));
        codes_.emplace(index, code);
        return code;
    }

    Result<JobOutcome> perform(const ProcessorJob& job, ProcessorIndex processor) {
        FARDEL_TRY_ASSIGN(const JobCode code, code_of(processor, job.processor));
        const BuildKey key = build_key(job, code.digest);
        bool verify = false;
        FoundNotes notes;
        FARDEL_TRY_ASSIGN(std::optional<JobOutcome> cached, find_cached(job, key, notes, verify));
        if (!cached || verify) {
            JobOutcome outcome;
            FARDEL_TRY_ASSIGN(outcome.result, run_job(job, options_.environment));
            FARDEL_TRY(verify_found(outcome.result, outcome.seen));
            if (cached) {
                // Verify mode: the job ran although its result was known, and the newer outputs count.
                outcome.origin = ResultOrigin::verified;
                outcome.different = !same_outputs(cached->result, outcome.result);
                options_.cache->report_verified(!outcome.different);
            }
            FARDEL_TRY(put(key, outcome, finds_inputs(job.processor), notes));
            cached = std::move(outcome);
        }
        for (const JobOutput& output : cached->result.outputs) {
            FARDEL_TRY_ASSIGN(const std::string_view type, read_content_type(output.name, *output.blob));
            cached->content_types.emplace_back(type);
        }
        cached->key = finds_inputs(job.processor) ? build_key_with(key, cached->result.found) : key;
        cached->parts = key_parts(job, code.parts, cached->result.found);
        return *std::move(cached);
    }

    // Tells the cache what it will be asked for first. What fails here fails again when the job is due.
    void expect_ready() {
        std::vector<BuildKey> keys;
        for (const JobIndex index : ready_) {
            const ProcessorJob job = processor_job(index);
            if (const auto code = code_of(graph_.jobs()[index].processor, job.processor))
                keys.push_back(build_key(job, code->digest));
        }
        // One question for all jobs that can begin now: at the first build of a version most are misses, and each would
        // be a request. Only "lacking" is believed: a wrong answer costs work or a request, never a wrong result.
        options_.cache->expect(std::move(keys));
    }

    // Sends the jobs that can begin now and have no result to other machines. What does not come back runs here.
    Status send_to_farm() {
        if (!options_.run_on_farm)
            return ok();
        std::vector<BuildKey> tickets;
        for (const JobIndex index : ready_) {
            const ProcessorJob job = processor_job(index);
            if (!is_for_farm(job.processor))
                continue;
            FARDEL_TRY_ASSIGN(const JobCode code, code_of(graph_.jobs()[index].processor, job.processor));
            const BuildKey key = build_key(job, code.digest);
            if (options_.cache->find(key))
                continue;
            FARDEL_TRY_ASSIGN(const FarmTicket ticket, make_farm_ticket(job, options_.environment.project_folder,
                                                                        options_.environment.sandbox, key));
            FARDEL_TRY(options_.cache->put(ticket.record, ticket.blobs));
            tickets.push_back(ticket.record.key);
            sent_.insert(index);
        }
        if (tickets.empty())
            return ok();
        options_.cache->flush();  // the other machines read what the caches have that they share with this one
        FARDEL_TRY(options_.run_on_farm(tickets));
        run_.sent = tickets.size();
        expect_ready();  // what a server lacked it has now
        return ok();
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

    void work() {
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [&] { return failure_ || !ready_.empty() || running_ == 0; });
            // A failure starts no more jobs; the running ones finish, and their results stay in the cache.
            if (failure_ || ready_.empty())
                return;
            // The lowest number first, so that with one thread the order is the same in each build.
            const JobIndex index = *ready_.begin();
            ready_.erase(ready_.begin());
            ++running_;
            const ProcessorJob job = processor_job(index);
            const ProcessorIndex processor = graph_.jobs()[index].processor;
            lock.unlock();
            Result<JobOutcome> outcome = options_.environment.stop.stop_requested()
                                             ? Result<JobOutcome>(Error(ErrorCode::cancelled, "asked to stop"))
                                             : perform(job, processor);
            lock.lock();
            --running_;
            if (!outcome)
                fail(index, std::move(outcome).error());
            else if (Status finished = finish(index, *std::move(outcome)); !finished)
                fail(index, std::move(finished).error());
            ++ended_;
            if (options_.progress)
                options_.progress(ended_, graph_.jobs().size());
            changed_.notify_all();
        }
    }

    JobGraph& graph_;
    const JobQueueOptions& options_;
    std::mutex codes_mutex_;
    std::map<ProcessorIndex, JobCode> codes_;  // of processors that had a job

    JobsRun run_;
    std::mutex mutex_;  // guards the graph and all members below
    std::condition_variable changed_;
    IndexedList<std::size_t, JobIndex> missing_;  // number of other jobs that each job still waits for
    IndexedList<std::vector<JobIndex>, JobIndex> followers_;
    std::set<JobIndex> sent_;  // to other machines
    std::set<JobIndex> done_;
    std::set<JobIndex> ready_;
    std::size_t running_ = 0;
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
