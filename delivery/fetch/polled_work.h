// PolledWork: a thread that asks for consent and reports progress, and the caller who polls it: what Fetch and Install
// have in common. Callbacks run only in poll(), on the caller's thread.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/fetch.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace fardel {

// `Callbacks` has the members planned (with a Plan), progress and ended (with a Result<Summary>). What both threads use
// is behind the mutex.
template <class Plan, class Summary, class Callbacks>
class PolledWork {
public:
    explicit PolledWork(Callbacks callbacks) : callbacks_(std::move(callbacks)) {}
    ~PolledWork() {
        stop_.request_stop();
        if (worker_.joinable())
            worker_.join();
    }
    PolledWork(const PolledWork&) = delete;
    PolledWork& operator=(const PolledWork&) = delete;

    // `purpose`: completes "the system gives no thread for". Error: busy.
    Status start(std::function<Result<Summary>()> work, const char* purpose) {
        try {
            worker_ = std::thread([this, work = std::move(work)] {
                auto done = work();
                const std::scoped_lock lock(mutex_);
                ended_.emplace(std::move(done));
                changed_.notify_all();
            });
        } catch (const std::system_error&) {
            return Error(ErrorCode::busy, std::string("the system gives no thread for ") + purpose);
        }
        return ok();
    }

    // ---- The worker ----

    std::stop_token token() const { return stop_.get_token(); }

    // Empty if the caller gave no callback.
    std::function<Status(const Plan&)> consent() {
        if (!callbacks_.planned)
            return nullptr;
        return [this](const Plan& plan) -> Status {
            std::unique_lock lock(mutex_);
            question_ = plan;
            answer_.reset();
            changed_.notify_all();
            if (!changed_.wait(lock, stop_.get_token(), [this] { return answer_.has_value(); }))
                return Error(ErrorCode::cancelled, "the work was stopped");
            return *answer_;
        };
    }
    std::function<void(const FetchProgress&)> progress() {
        if (!callbacks_.progress)
            return nullptr;
        return [this](const FetchProgress& now) {
            const std::scoped_lock lock(mutex_);
            progress_ = now;
            changed_.notify_all();
        };
    }

    // For callbacks that have `fault`.
    std::function<void(const Error&)> fault() {
        if (!callbacks_.fault)
            return nullptr;
        return [this](const Error& fault) {
            const std::scoped_lock lock(mutex_);
            if (faults_.size() < kFaultsMax)
                faults_.push_back(fault);
            changed_.notify_all();
        };
    }

    // ---- The caller ----

    bool poll(std::chrono::milliseconds wait_max) {
        if (outcome_)
            return true;
        std::optional<Plan> asked;
        std::optional<FetchProgress> shown;
        std::vector<Error> faults;
        {
            std::unique_lock lock(mutex_);
            if (wait_max.count() > 0)
                changed_.wait_for(lock, wait_max,
                                  [this] { return question_ || progress_ || ended_ || !faults_.empty(); });
            asked = std::exchange(question_, std::nullopt);
            shown = std::exchange(progress_, std::nullopt);
            faults.swap(faults_);
            if (ended_)
                outcome_.emplace(*std::exchange(ended_, std::nullopt));
        }
        if constexpr (requires { callbacks_.fault; })
            for (const Error& fault : faults)
                callbacks_.fault(fault);
        if (asked && !outcome_)
            callbacks_.planned(*asked);
        if (shown)
            callbacks_.progress(*shown);
        if (outcome_ && callbacks_.ended)
            callbacks_.ended(*outcome_);
        return outcome_.has_value();
    }
    const Result<Summary>& wait() {
        while (!poll(std::chrono::hours(1))) {
        }
        return *outcome_;
    }
    void reply(Status status) {
        const std::scoped_lock lock(mutex_);
        answer_ = std::move(status);
        changed_.notify_all();
    }
    void cancel() noexcept { stop_.request_stop(); }
    // nullptr as long as poll() has not returned true.
    const Result<Summary>* outcome() const noexcept { return outcome_ ? &*outcome_ : nullptr; }

private:
    static constexpr std::size_t kFaultsMax = 100;  // that wait for poll()

    const Callbacks callbacks_;
    std::stop_source stop_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::optional<Plan> question_;  // not yet shown
    std::optional<Status> answer_;
    std::optional<FetchProgress> progress_;  // not yet shown
    std::vector<Error> faults_;              // not yet shown
    std::optional<Result<Summary>> ended_;
    std::optional<Result<Summary>> outcome_;  // of the caller's thread
    std::thread worker_;
};

}  // namespace fardel
