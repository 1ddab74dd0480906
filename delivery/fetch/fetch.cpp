#include <fardel/delivery/fetch.h>

#include <fardel/delivery/fetch_bundles.h>
#include <fardel/format/name.h>

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>

namespace fardel {

namespace {

constexpr std::size_t kSourceBytesMax = 2048;  // what the store keeps

}  // namespace

// What both threads use is behind the mutex.
struct Fetch::Impl {
    Impl(BundleStore opened, FetchWork wanted, FetchCallbacks called)
        : store(std::move(opened)), work(std::move(wanted)), callbacks(std::move(called)) {}
    ~Impl() {
        stop.request_stop();
        if (worker.joinable())
            worker.join();
    }

    // ---- The worker ----

    void run() {
        FetchOptions options;
        options.trees = work.servers;
        options.policy = work.policy.get();
        options.time = work.time;
        options.library = work.library.get();
        options.source = work.source;
        options.source_bytes_max = work.source_bytes_max;
        options.connections.connections = work.connections;
        options.connections.servers = work.rule;
        options.selection = work.selection;
        options.connections.bytes_per_second_max = work.bytes_per_second_max;
        options.stop = stop.get_token();
        if (callbacks.planned)
            options.consent = [this](const FetchPlan& plan) { return ask(plan); };
        if (callbacks.progress)
            options.progress = [this](const FetchProgress& now) {
                const std::scoped_lock lock(mutex);
                progress = now;
                changed.notify_all();
            };
        auto fetched = fetch_bundles(store, work.bundles, options);
        const std::scoped_lock lock(mutex);
        ended.emplace(std::move(fetched));
        changed.notify_all();
    }

    Status ask(const FetchPlan& plan) {
        std::unique_lock lock(mutex);
        question = plan;
        answer.reset();
        changed.notify_all();
        if (!changed.wait(lock, stop.get_token(), [this] { return answer.has_value(); }))
            return Error(ErrorCode::cancelled, "the fetch was stopped");
        return *answer;
    }

    // ---- The caller ----

    bool has_news() const { return question || progress || ended; }

    bool poll(std::chrono::milliseconds wait_max) {
        if (outcome)
            return true;
        std::optional<FetchPlan> asked;
        std::optional<FetchProgress> shown;
        {
            std::unique_lock lock(mutex);
            if (wait_max.count() > 0)
                changed.wait_for(lock, wait_max, [this] { return has_news(); });
            asked = std::exchange(question, std::nullopt);
            shown = std::exchange(progress, std::nullopt);
            if (ended)
                outcome.emplace(*std::exchange(ended, std::nullopt));
        }
        if (asked && !outcome)
            callbacks.planned(*asked);
        if (shown)
            callbacks.progress(*shown);
        if (outcome && callbacks.ended)
            callbacks.ended(*outcome);
        return outcome.has_value();
    }

    void reply(Status status) {
        const std::scoped_lock lock(mutex);
        answer = std::move(status);
        changed.notify_all();
    }

    const BundleStore store;
    const FetchWork work;
    const FetchCallbacks callbacks;
    std::stop_source stop;
    std::mutex mutex;
    std::condition_variable_any changed;
    std::optional<FetchPlan> question;  // not yet shown
    std::optional<Status> answer;
    std::optional<FetchProgress> progress;  // not yet shown
    std::optional<Result<FetchSummary>> ended;
    std::optional<Result<FetchSummary>> outcome;  // of the caller's thread
    std::thread worker;
};

Fetch::Fetch(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Fetch::~Fetch() = default;
Fetch::Fetch(Fetch&&) noexcept = default;
Fetch& Fetch::operator=(Fetch&&) noexcept = default;

Result<Fetch> Fetch::start(const BundleStore& store, FetchWork work, FetchCallbacks callbacks) {
    FARDEL_TRY(verify_servers(work.servers, work.rule));
    if (printable(work.source, kSourceBytesMax) != work.source)
        return Error(ErrorCode::malformed,
                     "the source of a fetch is plain text of at most " + std::to_string(kSourceBytesMax) + " bytes");
    FARDEL_TRY_ASSIGN(BundleStore opened, BundleStore::open(store.path(), true));
    auto impl = std::make_unique<Impl>(std::move(opened), std::move(work), std::move(callbacks));
    try {
        impl->worker = std::thread([&fetch = *impl] { fetch.run(); });
    } catch (const std::system_error&) {
        return Error(ErrorCode::busy, "the system gives no thread for fetching");
    }
    return Fetch(std::move(impl));
}

bool Fetch::poll(std::chrono::milliseconds wait_max) { return impl_->poll(wait_max); }

const Result<FetchSummary>& Fetch::wait() {
    while (!impl_->poll(std::chrono::hours(1))) {
    }
    return *impl_->outcome;
}

void Fetch::accept() { impl_->reply(ok()); }
void Fetch::refuse(Error reason) { impl_->reply(std::move(reason)); }
void Fetch::cancel() noexcept { impl_->stop.request_stop(); }

const Result<FetchSummary>* Fetch::outcome() const noexcept { return impl_->outcome ? &*impl_->outcome : nullptr; }

}  // namespace fardel
