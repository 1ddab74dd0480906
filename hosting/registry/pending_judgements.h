// PendingJudgements: uploads that a registry judges, each on a thread that may take its time, so that neither the
// request that brought one nor a proxy in front has to last as long. The request waits a while for the decision;
// afterwards its author asks for it, for an hour. Any thread.
#pragma once

#include <fardel/base/parallel.h>
#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/ids.h>
#include <fardel/hosting/registry.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

namespace fardel {

inline constexpr std::chrono::hours kDecisionKept{1};
inline constexpr std::size_t kDecisionsKeptMax = 1024;
inline constexpr std::size_t kAuthorDecisionsKeptMax = 16;

// What the registry decided; an error if it could not decide, after which the same may be tried again.
using RegistryDecision = Result<RegistryAnswer>;

class PendingJudgements {
public:
    // `registry` outlives the object.
    explicit PendingJudgements(Registry& registry) : registry_(registry) {}
    // Ends the judgements that are under way: they are cancelled.
    ~PendingJudgements();

    // `ended` is called once, by any thread, before anybody gets the decision. The caller bounds how many are under
    // way. Error: limit (the system gives no thread).
    struct Upload {
        BundleId bundle;
        PublicKey author;
        std::shared_ptr<const ByteSource> file;
        std::function<void(const RegistryDecision&)> ended;
    };
    // Returns the decision, or nothing if it is not there in time.
    Result<std::optional<RegistryDecision>> judge(Upload upload, std::chrono::milliseconds longest);

    // The newest upload of the bundle by this author: nothing if the registry knows of none, or could not decide.
    struct Found {
        std::optional<RegistryAnswer> decision;  // nothing: not yet
    };
    std::optional<Found> find(const BundleId& bundle, const PublicKey& author);

    // Cancels what is under way, and what comes.
    void stop();

private:
    using Key = std::pair<BundleId, PublicKey>;
    struct Judgement {
        Upload upload;
        std::optional<RegistryDecision> decision;
        SteadyTime decided;
    };

    void work();
    void forget_old(SteadyTime now);

    Registry& registry_;
    std::stop_source stop_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_ending_ = false;
    std::deque<std::shared_ptr<Judgement>> waiting_;
    std::map<Key, std::shared_ptr<Judgement>> newest_;
    WorkerThreads threads_;
};

}  // namespace fardel
