#include <fardel/cache/cache_queue.h>

#include "added_layers.h"
#include "boot_file.h"

#include <fardel/base/parallel.h>

#include <fardel/cache/cache_hit.h>
#include <fardel/cache/cache_layers.h>
#include <fardel/cache/cache_question.h>
#include <fardel/cache/derived_cache.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace fardel {
namespace {

using QueueClock = std::chrono::steady_clock;

constexpr unsigned kQueueThreadsMax = 64;
constexpr std::chrono::milliseconds kQueueTrimTime{2'000};
constexpr std::chrono::minutes kQueueTrimAgain{10};

Error cancelled_look_up() { return Error(ErrorCode::cancelled, "the request was cancelled"); }
Error closed_queue() { return Error(ErrorCode::cancelled, "the cache is closed"); }

}  // namespace

// One look-up, of a key that no other one is of.
struct CacheWork {
    BuildKey key;
    CachePluginStatistics* plugin = nullptr;
    std::uint64_t number = 0;  // in the order of the first requests
    int priority = 0;          // the highest of its requests
    bool is_waiting = true;
    bool is_announced = false;  // the layers know that it is going to be looked for
    std::vector<std::shared_ptr<CacheLookup::State>> requests = {};  // that have not ended
};

struct SoonerCacheWork {
    bool operator()(const std::shared_ptr<CacheWork>& a, const std::shared_ptr<CacheWork>& b) const {
        return std::tuple(-std::int64_t{a->priority}, a->number) < std::tuple(-std::int64_t{b->priority}, b->number);
    }
};

// What threads, queue and requests share; requests keep it after the queue is closed.
struct CacheQueueShared {
    std::mutex mutex;
    std::condition_variable added;
    std::condition_variable ended;
    bool stopping = false;
    std::map<BuildKey, std::shared_ptr<CacheWork>> works;           // that have not ended
    std::set<std::shared_ptr<CacheWork>, SoonerCacheWork> waiting;  // those of them that have not begun
};

struct CacheLookup::State {
    std::shared_ptr<CacheQueueShared> shared;
    // All below are guarded by the shared mutex.
    CacheWish wish;
    std::shared_ptr<CacheWork> work = {};
    bool is_building = false;   // its function is being called
    bool is_cancelled = false;  // while it was building
    std::optional<Result<CacheBytes>> outcome = {};
};

namespace {

using Requests = std::vector<std::shared_ptr<CacheLookup::State>>;

// ---- Under the mutex ------------------------------------------------------------------------------------------------

void end_request(CacheLookup::State& request, Result<CacheBytes> outcome) {
    if (request.outcome)
        return;
    request.outcome.emplace(request.is_cancelled ? Result<CacheBytes>(cancelled_look_up()) : std::move(outcome));
    request.is_building = false;
    request.work = nullptr;
}

// Puts a look-up that waits to where its requests want it.
void rank_again(CacheQueueShared& shared, const std::shared_ptr<CacheWork>& work) {
    if (!work->is_waiting || work->requests.empty())
        return;
    shared.waiting.erase(work);
    work->priority = (*std::ranges::max_element(work->requests, {}, [](const auto& request) {
                         return request->wish.priority;
                     }))->wish.priority;
    shared.waiting.insert(work);
}

void forget(CacheQueueShared& shared, const std::shared_ptr<CacheWork>& work) {
    if (work->is_waiting)
        shared.waiting.erase(work);
    work->is_waiting = false;
    shared.works.erase(work->key);
}

// ---- Reading --------------------------------------------------------------------------------------------------------

// Returns nothing if the bytes changed after they were found, or if the record is not one of this queue's.
CacheBytes read_value(const CacheHit& hit) {
    if (hit.outputs.size() != 1 || hit.record.outputs.front().size_bytes > std::vector<std::byte>().max_size())
        return nullptr;
    auto stream = hit.outputs.front()->open();
    if (!stream)
        return nullptr;
    std::vector<std::byte> bytes(static_cast<std::size_t>(hit.record.outputs.front().size_bytes));
    const auto size = read_full(**stream, bytes);
    if (!size || *size != bytes.size())
        return nullptr;
    std::byte more{};  // the last bytes are given out when the whole is known to be right
    const auto end = (*stream)->read({&more, 1});
    return end && *end == 0 ? std::make_shared<const std::vector<std::byte>>(std::move(bytes)) : nullptr;
}

CacheRecord record_of_value(const BuildKey& key, std::span<const std::byte> bytes) {
    return {.key = key, .outputs = {{.name = "value", .asset = asset_id_of(bytes), .size_bytes = bytes.size()}}};
}

// ---- Layers ---------------------------------------------------------------------------------------------------------

CacheLayerSlot slot_of(std::unique_ptr<CacheLayer> layer, std::string name, CacheLayerPolicy policy = {}) {
    return {.layer = std::move(layer), .name = std::move(name), .policy = std::move(policy)};
}

// Everything that is opened before there are threads.
struct QueueLayers {
    std::unique_ptr<DerivedCache> cache;
    AddedLayers* added = nullptr;  // a layer of `cache`
    std::shared_ptr<const Bundle> boot;
    CacheLayerStatistics refused_boot;
};

Result<QueueLayers> open_queue_layers(const CacheQueueOptions& options) {
    QueueLayers out;
    std::vector<CacheLayerSlot> slots;
    if (!options.boot_path.empty()) {
        BootStart boot = read_boot_file(options.boot_path, options.boot_bytes_max);
        if (boot.bundle)
            slots.push_back(slot_of(make_bundle_layer(boot.bundle), "boot"));
        out.boot = std::move(boot.bundle);
        if (!boot.problem.empty())
            out.refused_boot = {.layer = "boot", .name = options.boot_path, .broken = 1, .left_out = boot.problem};
    }
    if (options.memory_bytes_max != 0)
        slots.push_back(slot_of(make_memory_layer(options.memory_bytes_max), "memory"));
    if (!options.folder.empty()) {
        FARDEL_TRY_ASSIGN(auto folder, open_folder_layer(options.folder));
        slots.push_back(slot_of(std::move(folder), "folder"));
    }
    auto added = std::make_unique<AddedLayers>();
    out.added = added.get();
    slots.push_back(slot_of(std::move(added), "bundles", {.signers = options.signers}));
    if (!options.url.empty()) {
        FARDEL_TRY_ASSIGN(auto server, open_http_layer(options.url, {.writable = options.writes_to_server,
                                                                     .bearer_token = options.token}));
        slots.push_back(slot_of(std::move(server), "server", {.signers = options.signers}));
    }
    FARDEL_TRY_ASSIGN(out.cache, DerivedCache::open(std::move(slots)));
    return out;
}

}  // namespace

// ---- The queue ------------------------------------------------------------------------------------------------------

class CacheQueue::Impl {
public:
    Impl(CacheQueueOptions options, QueueLayers layers)
        : options_(std::move(options)), layers_(std::move(layers)), boot_(options_.boot_bytes_max) {}
    ~Impl() { static_cast<void>(close()); }

    bool start_threads() {
        for (unsigned i = 0; i < std::clamp(options_.threads, 1u, kQueueThreadsMax); ++i)
            if (!threads_.try_start([this] { run(); }))
                break;
        return threads_.size() != 0;
    }

    Result<CacheLookup> get(const CacheKeyParts& parts, CacheWish wish);
    Status put(const CacheKeyParts& parts, std::vector<std::byte> bytes);
    Status add_bundle(const std::string& path) {
        FARDEL_TRY_ASSIGN(auto layer, open_bundle_layer(path));
        return layers_.added->add(std::move(layer));
    }
    CacheStatistics layer_statistics() const {
        CacheStatistics statistics = layers_.cache->statistics();
        if (!layers_.refused_boot.left_out.empty())
            statistics.layers.insert(statistics.layers.begin(), layers_.refused_boot);
        return statistics;
    }
    std::vector<CachePluginStatistics> plugin_statistics() const {
        const std::scoped_lock lock(shared_->mutex);
        std::vector<CachePluginStatistics> all;
        for (const auto& [name, plugin] : plugins_)
            all.push_back(plugin);
        return all;
    }
    Status close();

private:
    std::shared_ptr<const Bundle> whole_boot() const;
    Result<CachePluginStatistics*> plugin_of(std::string_view name);  // under the mutex
    void run();
    void announce(const std::shared_ptr<CacheWork>& work);
    void answer(const std::shared_ptr<CacheWork>& work);
    CacheBytes find(const CacheWork& work);
    Status keep(std::uint64_t number, const BuildKey& key, const CacheBytes& bytes);
    std::shared_ptr<CacheLookup::State> begin_build(const std::shared_ptr<CacheWork>& work);
    void build(const std::shared_ptr<CacheWork>& work, const CacheBuild& function);
    void end(const std::shared_ptr<CacheWork>& work, const Result<CacheBytes>& outcome,
             std::uint64_t CachePluginStatistics::*counter);

    const CacheQueueOptions options_;
    const QueueLayers layers_;
    const std::shared_ptr<CacheQueueShared> shared_ = std::make_shared<CacheQueueShared>();
    std::map<std::string, CachePluginStatistics, std::less<>> plugins_;  // guarded by the shared mutex
    std::uint64_t next_number_ = 0;                                      // guarded by the shared mutex
    std::mutex boot_mutex_;
    BootContents boot_;
    std::once_flag closed_;
    WorkerThreads threads_;  // last, because it uses the other members
};

Result<CachePluginStatistics*> CacheQueue::Impl::plugin_of(std::string_view name) {
    if (shared_->stopping)
        return closed_queue();
    const auto known = plugins_.find(name);
    if (known != plugins_.end())
        return &known->second;
    if (plugins_.size() >= kCachePluginsMax)
        return Error(ErrorCode::limit, "at most " + std::to_string(kCachePluginsMax) +
                                           " plug-ins use one cache; what varies belongs into the parameters");
    CachePluginStatistics& plugin = plugins_[std::string(name)];
    plugin.plugin = name;
    return &plugin;
}

// ---- Requests -------------------------------------------------------------------------------------------------------

Result<CacheLookup> CacheQueue::Impl::get(const CacheKeyParts& parts, CacheWish wish) {
    FARDEL_TRY_ASSIGN(const BuildKey key, cache_key_of(parts));
    auto request = std::make_shared<CacheLookup::State>(CacheLookup::State{.shared = shared_, .wish = std::move(wish)});
    {
        const std::scoped_lock lock(shared_->mutex);
        FARDEL_TRY_ASSIGN(CachePluginStatistics* const plugin, plugin_of(parts.plugin));
        std::shared_ptr<CacheWork>& work = shared_->works[key];
        if (!work) {
            work = std::make_shared<CacheWork>(CacheWork{.key = key, .plugin = plugin, .number = next_number_++});
            work->priority = request->wish.priority;
        }
        request->work = work;
        work->requests.push_back(request);
        rank_again(*shared_, work);
    }
    shared_->added.notify_one();
    return CacheLookup(std::move(request));
}

Status CacheQueue::Impl::put(const CacheKeyParts& parts, std::vector<std::byte> bytes) {
    FARDEL_TRY_ASSIGN(const BuildKey key, cache_key_of(parts));
    std::uint64_t number = 0;
    {
        const std::scoped_lock lock(shared_->mutex);
        FARDEL_TRY_ASSIGN(CachePluginStatistics* const plugin, plugin_of(parts.plugin));
        plugin->built_bytes += bytes.size();
        number = next_number_++;
    }
    return keep(number, key, std::make_shared<const std::vector<std::byte>>(std::move(bytes)));
}

Status CacheQueue::Impl::keep(std::uint64_t number, const BuildKey& key, const CacheBytes& bytes) {
    CacheRecord record = record_of_value(key, *bytes);
    const std::shared_ptr<const BlobSource> blob = make_memory_blob(*bytes);
    FARDEL_TRY_ASSIGN(auto kept, layers_.cache->put(record, std::span(&blob, 1)));
    if (!options_.boot_path.empty()) {
        const std::scoped_lock lock(boot_mutex_);
        boot_.add(number, std::move(record), std::move(kept));
    }
    return ok();
}

// ---- On the threads -------------------------------------------------------------------------------------------------

void CacheQueue::Impl::run() {
    std::unique_lock lock(shared_->mutex);
    for (;;) {
        shared_->added.wait(lock, [this] { return shared_->stopping || !shared_->waiting.empty(); });
        if (shared_->stopping)
            return;
        const std::shared_ptr<CacheWork> next = *shared_->waiting.begin();
        shared_->waiting.erase(shared_->waiting.begin());
        next->is_waiting = false;
        lock.unlock();
        answer(next);
        lock.lock();
    }
}

// A server is asked once for all that wait, and not once for each of a thousand keys that it lacks.
void CacheQueue::Impl::announce(const std::shared_ptr<CacheWork>& work) {
    std::vector<BuildKey> keys;
    {
        const std::scoped_lock lock(shared_->mutex);
        if (options_.url.empty() || work->is_announced)
            return;
        keys.push_back(work->key);
        for (const auto& other : shared_->waiting) {
            if (keys.size() >= kCacheQuestionIdsMax)
                break;
            if (!std::exchange(other->is_announced, true))
                keys.push_back(other->key);
        }
    }
    layers_.cache->expect(std::move(keys));
}

void CacheQueue::Impl::answer(const std::shared_ptr<CacheWork>& work) {
    announce(work);
    if (CacheBytes found = find(*work)) {
        {
            const std::scoped_lock lock(shared_->mutex);
            work->plugin->found_bytes += found->size();
        }
        return end(work, found, &CachePluginStatistics::hits);
    }
    if (const auto builder = begin_build(work))
        build(work, builder->wish.build);
}

CacheBytes CacheQueue::Impl::find(const CacheWork& work) {
    auto hit = layers_.cache->find(work.key);
    if (!hit)
        return nullptr;
    CacheBytes bytes = read_value(*hit);
    if (bytes && !options_.boot_path.empty()) {
        const std::scoped_lock lock(boot_mutex_);
        boot_.add(work.number, std::move(hit->record), std::move(hit->outputs));
    }
    return bytes;
}

// Returns the first request that has a function to call. If there is none, all end with missing.
std::shared_ptr<CacheLookup::State> CacheQueue::Impl::begin_build(const std::shared_ptr<CacheWork>& work) {
    {
        const std::scoped_lock lock(shared_->mutex);
        const auto builder =
            std::ranges::find_if(work->requests, [](const auto& request) { return bool(request->wish.build); });
        if (builder != work->requests.end() && !shared_->stopping) {
            (*builder)->is_building = true;
            ++work->plugin->builds;
            return *builder;
        }
        forget(*shared_, work);  // a request that comes now is a look-up of its own
    }
    end(work, Error(ErrorCode::missing, "no layer of the cache has " + work->key.hex()),
        &CachePluginStatistics::misses);
    return nullptr;
}

void CacheQueue::Impl::build(const std::shared_ptr<CacheWork>& work, const CacheBuild& function) {
    const auto since = QueueClock::now();
    Result<std::vector<std::byte>> built = function();
    const auto took = std::chrono::duration_cast<std::chrono::microseconds>(QueueClock::now() - since);
    const bool is_built = built.has_value();
    Result<CacheBytes> outcome =
        is_built ? Result<CacheBytes>(std::make_shared<const std::vector<std::byte>>(*std::move(built)))
                 : Result<CacheBytes>(std::move(built).error());
    {
        const std::scoped_lock lock(shared_->mutex);
        work->plugin->building += took;
        work->plugin->built_bytes += is_built ? (*outcome)->size() : 0;
        work->plugin->failed_builds += is_built ? 0 : 1;
    }
    // A cache that cannot be written makes programs slower, and not wrong: its statistics have the error.
    if (is_built)
        static_cast<void>(keep(work->number, work->key, *outcome));
    end(work, outcome, &CachePluginStatistics::misses);
}

void CacheQueue::Impl::end(const std::shared_ptr<CacheWork>& work, const Result<CacheBytes>& outcome,
                           std::uint64_t CachePluginStatistics::*counter) {
    Requests ended;  // released without the mutex: what a function of the caller owns may be released with it
    {
        const std::scoped_lock lock(shared_->mutex);
        if (const auto known = shared_->works.find(work->key); known != shared_->works.end() && known->second == work)
            forget(*shared_, work);
        ended.swap(work->requests);
        work->plugin->*counter += ended.size();
        for (const auto& request : ended)
            end_request(*request, outcome);
    }
    shared_->ended.notify_all();
}

// ---- Closing --------------------------------------------------------------------------------------------------------

// Returns the bundle of the boot file, unless something in it is damaged: then it has to be written again.
std::shared_ptr<const Bundle> CacheQueue::Impl::whole_boot() const {
    const CacheLayerStatistics first = layers_.cache->statistics().layers.front();
    return first.broken == 0 && first.errors == 0 ? layers_.boot : nullptr;
}

Status CacheQueue::Impl::close() {
    Status written;
    std::call_once(closed_, [&] {
        Requests cancelled;
        {
            const std::scoped_lock lock(shared_->mutex);
            shared_->stopping = true;
            for (const auto& [key, work] : shared_->works)
                for (const auto& request : work->requests)
                    if (!request->is_building)
                        cancelled.push_back(request);
            for (const auto& request : cancelled) {
                std::erase(request->work->requests, request);
                end_request(*request, closed_queue());
            }
            shared_->waiting.clear();
            std::erase_if(shared_->works, [](const auto& entry) { return entry.second->is_waiting; });
        }
        shared_->added.notify_all();
        shared_->ended.notify_all();
        threads_.stop();
        layers_.cache->flush();
        if (!options_.boot_path.empty()) {
            const std::scoped_lock lock(boot_mutex_);
            written = boot_.write(options_.boot_path, whole_boot());
        }
        // What cannot be trimmed now, a later close() does.
        if (!options_.folder.empty())
            static_cast<void>(trim_cache_folder(options_.folder, {.bytes_max = options_.folder_bytes_max,
                                                                  .time_max = kQueueTrimTime,
                                                                  .again_after = kQueueTrimAgain,
                                                                  .packs = true}));
    });
    return written;
}

// ---- Interface ------------------------------------------------------------------------------------------------------

CacheLookup::CacheLookup(std::shared_ptr<State> state) noexcept : state_(std::move(state)) {}
CacheLookup::CacheLookup(CacheLookup&&) noexcept = default;

CacheLookup& CacheLookup::operator=(CacheLookup&& other) noexcept {
    std::swap(state_, other.state_);
    return *this;
}

CacheLookup::~CacheLookup() {
    if (!state_)
        return;
    cancel();
    static_cast<void>(poll(std::chrono::milliseconds::max()));
}

bool CacheLookup::poll(std::chrono::milliseconds wait_max) const {
    std::unique_lock lock(state_->shared->mutex);
    const auto has_ended = [this] { return state_->outcome.has_value(); };
    if (wait_max == std::chrono::milliseconds::max())
        state_->shared->ended.wait(lock, has_ended);
    else if (wait_max > std::chrono::milliseconds(0))
        state_->shared->ended.wait_for(lock, wait_max, has_ended);
    return has_ended();
}

Result<CacheBytes> CacheLookup::result() const {
    const std::scoped_lock lock(state_->shared->mutex);
    if (!state_->outcome)
        return Error(ErrorCode::busy, "the request has not ended yet");
    return *state_->outcome;
}

void CacheLookup::cancel() {
    const std::scoped_lock lock(state_->shared->mutex);
    if (state_->outcome)
        return;
    if (state_->is_building) {
        state_->is_cancelled = true;
        return;
    }
    const std::shared_ptr<CacheWork> work = state_->work;
    std::erase(work->requests, state_);
    if (work->requests.empty() && work->is_waiting)
        forget(*state_->shared, work);
    else
        rank_again(*state_->shared, work);
    end_request(*state_, cancelled_look_up());
    state_->shared->ended.notify_all();
}

void CacheLookup::set_priority(int priority) {
    const std::scoped_lock lock(state_->shared->mutex);
    state_->wish.priority = priority;
    if (state_->work)
        rank_again(*state_->shared, state_->work);
}

Result<std::unique_ptr<CacheQueue>> CacheQueue::open(CacheQueueOptions options) {
    FARDEL_TRY_ASSIGN(QueueLayers layers, open_queue_layers(options));
    auto impl = std::make_unique<Impl>(std::move(options), std::move(layers));
    if (!impl->start_threads())
        return Error(ErrorCode::busy, "the system gives no thread for the cache");
    return std::unique_ptr<CacheQueue>(new CacheQueue(std::move(impl)));
}

CacheQueue::CacheQueue(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
CacheQueue::~CacheQueue() = default;

Result<CacheLookup> CacheQueue::get(const CacheKeyParts& parts, CacheWish wish) {
    return impl_->get(parts, std::move(wish));
}
Status CacheQueue::put(const CacheKeyParts& parts, std::vector<std::byte> bytes) {
    return impl_->put(parts, std::move(bytes));
}
Status CacheQueue::add_bundle(const std::string& path) { return impl_->add_bundle(path); }
CacheStatistics CacheQueue::layer_statistics() const { return impl_->layer_statistics(); }
std::vector<CachePluginStatistics> CacheQueue::plugin_statistics() const { return impl_->plugin_statistics(); }
Status CacheQueue::close() { return impl_->close(); }

}  // namespace fardel
