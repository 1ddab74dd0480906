#include <fardel/delivery/channel_follow.h>

#include <fardel/delivery/fetch_bundles.h>
#include <fardel/delivery/update_channel.h>

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>

namespace fardel {

// What both threads use is behind the mutex.
struct ChannelFollow::Impl {
    Impl(BundleStore opened, ChannelWork wanted) : store(std::move(opened)), work(std::move(wanted)) {}
    ~Impl() {
        stop.request_stop();
        if (worker.joinable())
            worker.join();
    }

    void run() {
        auto updated = update_channel(store, work, stop.get_token());
        const std::scoped_lock lock(mutex);
        ended.emplace(std::move(updated));
        changed.notify_all();
    }

    bool poll(std::chrono::milliseconds wait_max) {
        if (outcome)
            return true;
        std::unique_lock lock(mutex);
        if (wait_max.count() > 0)
            changed.wait_for(lock, wait_max, [this] { return ended.has_value(); });
        if (ended)
            outcome.emplace(*std::exchange(ended, std::nullopt));
        return outcome.has_value();
    }

    const BundleStore store;
    const ChannelWork work;
    std::stop_source stop;
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<Result<ChannelOutcome>> ended;
    std::optional<Result<ChannelOutcome>> outcome;  // of the caller's thread
    std::thread worker;
};

ChannelFollow::ChannelFollow(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ChannelFollow::~ChannelFollow() = default;
ChannelFollow::ChannelFollow(ChannelFollow&&) noexcept = default;
ChannelFollow& ChannelFollow::operator=(ChannelFollow&&) noexcept = default;

Result<ChannelFollow> ChannelFollow::start(const BundleStore& store, ChannelWork work) {
    FARDEL_TRY(verify_servers(work.servers));
    FARDEL_TRY_ASSIGN(BundleStore opened, BundleStore::open(store.path(), true));
    auto impl = std::make_unique<Impl>(std::move(opened), std::move(work));
    try {
        impl->worker = std::thread([&follow = *impl] { follow.run(); });
    } catch (const std::system_error&) {
        return Error(ErrorCode::busy, "the system gives no thread for following a channel");
    }
    return ChannelFollow(std::move(impl));
}

bool ChannelFollow::poll(std::chrono::milliseconds wait_max) { return impl_->poll(wait_max); }

const Result<ChannelOutcome>& ChannelFollow::wait() {
    while (!impl_->poll(std::chrono::hours(1))) {
    }
    return *impl_->outcome;
}

const Result<ChannelOutcome>* ChannelFollow::outcome() const noexcept {
    return impl_->outcome ? &*impl_->outcome : nullptr;
}

void ChannelFollow::cancel() noexcept { impl_->stop.request_stop(); }

}  // namespace fardel
