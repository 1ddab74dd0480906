#include "job_queue.h"

#include "jobs/job_record.h"

#include <fardel/packer/build_key.h>
#include <fardel/packer/job_run.h>
#include <fardel/sources/entry_plan.h>

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

namespace fardel {
namespace {

// How one job ended.
struct Ended {
    JobResult result;
    std::vector<std::string> content_types;  // one an output
    std::vector<SeenPlace> seen;
    bool from_cache = false;
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
    JobQueue(JobGraph& graph, std::vector<FileContent> contents, const JobQueueOptions& options)
        : graph_(graph), options_(options) {
        run_.contents = std::move(contents);
    }

    Result<JobsRun> run();

private:
    // ---- One job, without the lock.
    Result<Hash> code_of(const Processor& processor);
    Result<Ended> perform(const Job& job);
    std::optional<Ended> find_cached(const Job& job, const BuildKey& key, bool& verify);
    std::optional<Ended> find_by_found(const Job& job, const BuildKey& key, bool& verify);
    std::optional<Ended> take_hit(const Job& job, std::optional<CacheHit> hit, bool& verify);
    Status put(const BuildKey& key, Ended& ended, bool found);
    Status see_found(const JobResult& result, std::vector<SeenPlace>& seen) const;

    // ---- The queue, with it.
    Job job_of(std::uint32_t number) const;
    void admit(std::uint32_t first);
    Status take_in(std::uint32_t number, Ended ended);
    void fail(std::uint32_t number, Error error);
    void work();

    JobGraph& graph_;
    const JobQueueOptions& options_;
    std::mutex codes_mutex_;
    std::map<const Processor*, Hash> codes_;  // of those that had a job

    JobsRun run_;
    std::mutex mutex_;  // over the graph and all that follows
    std::condition_variable changed_;
    std::vector<std::uint32_t> missing_;  // per job: how many it still waits for
    std::vector<std::vector<std::uint32_t>> followers_;
    std::vector<bool> done_;
    std::set<std::uint32_t> ready_;
    std::size_t running_ = 0;
    std::size_t ended_ = 0;
    std::map<std::uint32_t, std::string> logs_;
    std::set<std::uint32_t> different_;
    std::optional<std::pair<std::uint32_t, Error>> failure_;  // of the first job of those that failed
};

// ---- One job --------------------------------------------------------------------------------------------------------

std::optional<Ended> JobQueue::take_hit(const Job& job, std::optional<CacheHit> hit, bool& verify) {
    if (!hit)
        return std::nullopt;
    auto result = find_result(hit->record, job.outputs);
    if (!result || hit->outputs.size() != result->outputs.size())
        return std::nullopt;
    for (std::size_t i = 0; i < result->outputs.size(); ++i)
        result->outputs[i].blob = hit->outputs[i];
    verify = hit->verify;
    return Ended{.result = *std::move(result), .content_types = {}, .seen = {}, .from_cache = true, .different = false};
}

// The first set of found inputs under which there is a record now.
std::optional<Ended> JobQueue::find_by_found(const Job& job, const BuildKey& key, bool& verify) {
    const auto index = options_.cache->find(key);
    const auto sets = index ? find_found_sets(index->record.notes) : std::nullopt;
    if (!sets)
        return std::nullopt;
    for (const auto& set : sets->sets) {
        std::vector<FoundInput> found;
        std::vector<SeenPlace> seen;
        for (const std::string& path : set) {
            // Stamped first: whatever happens then shows.
            const std::string place = std::filesystem::path(options_.project_folder) / path;
            seen.push_back(see_path(place));
            auto input = look_for_input(path, options_.project_folder);
            if (!input)
                break;
            found.push_back(*std::move(input));
        }
        if (found.size() != set.size())
            continue;
        if (auto ended = take_hit(job, options_.cache->find(build_key_with(key, found)), verify)) {
            ended->result.found = std::move(found);
            ended->seen = std::move(seen);
            return ended;
        }
    }
    return std::nullopt;
}

std::optional<Ended> JobQueue::find_cached(const Job& job, const BuildKey& key, bool& verify) {
    return finds_inputs(*job.processor) ? find_by_found(job, key, verify)
                                        : take_hit(job, options_.cache->find(key), verify);
}

// The outputs' blobs are the cache's from then on.
Status JobQueue::put(const BuildKey& key, Ended& ended, bool found) {
    std::vector<std::shared_ptr<const BlobSource>> blobs;
    for (const JobOutput& output : ended.result.outputs)
        blobs.push_back(output.blob);
    const BuildKey full = found ? build_key_with(key, ended.result.found) : key;
    FARDEL_TRY_ASSIGN(const auto kept, options_.cache->put(record_of(full, ended.result), blobs));
    for (std::size_t i = 0; i < kept.size(); ++i)
        ended.result.outputs[i].blob = kept[i];
    if (!found)
        return ok();
    const auto index = options_.cache->find(key);
    FoundSets sets = index ? find_found_sets(index->record.notes).value_or(FoundSets{}) : FoundSets{};
    std::vector<std::string> paths;
    for (const FoundInput& input : ended.result.found)
        paths.push_back(input.path);
    sets.add(std::move(paths));
    FARDEL_TRY_ASSIGN([[maybe_unused]] const auto none,
                      options_.cache->put({.key = key, .outputs = {}, .notes = encode_found_sets(sets)}, {}));
    return ok();
}

// Stamped, and then found to be still what the job read.
Status JobQueue::see_found(const JobResult& result, std::vector<SeenPlace>& seen) const {
    for (const FoundInput& input : result.found) {
        const std::string place = std::filesystem::path(options_.project_folder) / input.path;
        seen.push_back(see_path(place));
        FARDEL_TRY_ASSIGN(const FoundInput now, look_for_input(input.path, options_.project_folder));
        if (now != input)
            return Error(ErrorCode::conflict, printable(place) + ": edited while a job read it; build again");
    }
    return ok();
}

Result<Hash> JobQueue::code_of(const Processor& processor) {
    const std::lock_guard lock(codes_mutex_);
    if (const auto known = codes_.find(&processor); known != codes_.end())
        return known->second;
    FARDEL_TRY_ASSIGN(const Hash code, code_digest(processor, options_.project_folder, options_.image_program));
    codes_.emplace(&processor, code);
    return code;
}

Result<Ended> JobQueue::perform(const Job& job) {
    FARDEL_TRY_ASSIGN(const Hash code, code_of(*job.processor));
    const BuildKey key = build_key(job, code);
    bool verify = false;
    std::optional<Ended> cached = find_cached(job, key, verify);
    if (!cached || verify) {
        Ended ended;
        FARDEL_TRY_ASSIGN(ended.result, run_job(job, {.project_folder = options_.project_folder,
                                                      .scratch_folder = options_.scratch_folder,
                                                      .image_program = options_.image_program,
                                                      .stop = options_.stop}));
        FARDEL_TRY(see_found(ended.result, ended.seen));
        if (cached) {
            ended.different = !same_outputs(cached->result, ended.result);
            options_.cache->report_verified(!ended.different);
        }
        FARDEL_TRY(put(key, ended, finds_inputs(*job.processor)));
        cached = std::move(ended);
    }
    for (const JobOutput& output : cached->result.outputs) {
        FARDEL_TRY_ASSIGN(const std::string_view type, read_content_type(output.name, *output.blob));
        cached->content_types.emplace_back(type);
    }
    return *std::move(cached);
}

// ---- The queue ------------------------------------------------------------------------------------------------------

Job JobQueue::job_of(std::uint32_t number) const {
    const GraphJob& planned = graph_.jobs()[number];
    const auto input = [&](std::uint32_t file) {
        const FileContent& content = run_.contents[file];
        return JobInput{.name = graph_.files()[file].name,
                        .asset = content.asset,
                        .size_bytes = content.size_bytes,
                        .blob = content.blob};
    };
    Job job{.processor = planned.processor, .sources = {}, .others = {}, .outputs = {}};
    std::ranges::transform(planned.sources, std::back_inserter(job.sources), input);
    std::ranges::transform(planned.others, std::back_inserter(job.others), input);
    for (const std::uint32_t file : planned.outputs)
        job.outputs.push_back(graph_.files()[file].name.text());
    return job;
}

// Jobs from that one on, which are new.
void JobQueue::admit(std::uint32_t first) {
    const std::size_t count = graph_.jobs().size();
    missing_.resize(count);
    followers_.resize(count);
    done_.resize(count);
    for (auto job = first; job < count; ++job) {
        for (const std::uint32_t before : graph_.jobs()[job].waits_for) {
            if (done_[before])
                continue;
            ++missing_[job];
            followers_[before].push_back(job);
        }
        if (missing_[job] == 0)
            ready_.insert(job);
    }
    run_.contents.resize(graph_.files().size());
}

Status JobQueue::take_in(std::uint32_t number, Ended ended) {
    if (graph_.jobs()[number].tells_outputs) {
        std::vector<AssetName> names;
        for (const JobOutput& output : ended.result.outputs) {
            FARDEL_TRY_ASSIGN(AssetName name, AssetName::parse(output.name));
            names.push_back(std::move(name));
        }
        done_[number] = true;  // what comes of it need not wait
        FARDEL_TRY_ASSIGN(const std::uint32_t first, graph_.add_outputs(number, std::move(names)));
        admit(first);
    }
    done_[number] = true;
    for (std::size_t i = 0; i < ended.result.outputs.size(); ++i) {
        JobOutput& output = ended.result.outputs[i];
        const auto& files = graph_.jobs()[number].outputs;
        const auto file =
            std::ranges::find(files, output.name, [&](std::uint32_t f) { return graph_.files()[f].name.view(); });
        if (file == files.end())
            return Error(ErrorCode::malformed, "it made " + printable(output.name) + ", which it was not to make");
        run_.contents[*file] = {.asset = output.asset,
                                .size_bytes = output.size_bytes,
                                .blob = std::move(output.blob),
                                .content_type = std::move(ended.content_types[i])};
        for (const auto& reference : ended.result.references)
            if (reference.first == output.name)
                run_.references.emplace_back(*file, reference.second);
    }
    if (!ended.result.found.empty()) {
        auto& found = run_.found.emplace_back(number, std::vector<std::string>());
        for (FoundInput& input : ended.result.found)
            found.second.push_back(std::move(input.path));
    }
    std::ranges::move(ended.seen, std::back_inserter(run_.seen));
    ++(ended.from_cache ? run_.from_cache : run_.run);
    if (!ended.result.log.empty() && !ended.from_cache)
        logs_.emplace(number, ended.result.log);
    if (ended.different)
        different_.insert(number);
    for (const std::uint32_t follower : followers_[number])
        if (--missing_[follower] == 0)
            ready_.insert(follower);
    return ok();
}

void JobQueue::fail(std::uint32_t number, Error error) {
    if (!failure_ || number < failure_->first)
        failure_.emplace(number, std::move(error).with_context(graph_.describe(number)));
}

void JobQueue::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return failure_ || !ready_.empty() || running_ == 0; });
        if (failure_ || ready_.empty())
            return;
        const std::uint32_t number = *ready_.begin();
        ready_.erase(ready_.begin());
        ++running_;
        const Job job = job_of(number);
        lock.unlock();
        Result<Ended> ended =
            options_.stop.stop_requested() ? Result<Ended>(Error(ErrorCode::cancelled, "asked to stop")) : perform(job);
        lock.lock();
        --running_;
        ++ended_;
        if (!ended)
            fail(number, std::move(ended).error());
        else if (Status taken = take_in(number, *std::move(ended)); !taken)
            fail(number, std::move(taken).error());
        if (options_.progress)
            options_.progress(ended_, graph_.jobs().size());
        changed_.notify_all();
    }
}

Result<JobsRun> JobQueue::run() {
    admit(0);
    {
        const std::size_t wanted =
            std::max(1u, options_.jobs != 0 ? options_.jobs : std::thread::hardware_concurrency());
        const bool may_add = std::ranges::any_of(graph_.jobs(), &GraphJob::tells_outputs);
        const std::size_t count = may_add ? wanted : std::min(wanted, graph_.jobs().size());
        std::vector<std::jthread> threads;
        for (std::size_t i = 1; i < count; ++i)
            threads.emplace_back([this] { work(); });
        work();
    }
    if (failure_)
        return std::move(failure_->second);
    if (ended_ != graph_.jobs().size()) {
        FARDEL_TRY(graph_.sort());
        return Error(ErrorCode::conflict, "jobs wait for each other");
    }
    for (auto& [number, log] : logs_)
        run_.logs.push_back(graph_.describe(number) + ":\n" + std::move(log));
    for (const std::uint32_t number : different_)
        run_.different.push_back(graph_.describe(number));
    std::ranges::stable_sort(run_.references, {}, &std::pair<std::uint32_t, FoundReference>::first);
    std::ranges::sort(run_.found, {}, &std::pair<std::uint32_t, std::vector<std::string>>::first);
    std::ranges::sort(run_.seen, {}, &SeenPlace::path);
    return std::move(run_);
}

}  // namespace

Result<JobsRun> run_jobs(JobGraph& graph, std::vector<FileContent> contents, const JobQueueOptions& options) {
    return JobQueue(graph, std::move(contents), options).run();
}

}  // namespace fardel
