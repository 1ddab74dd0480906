#include "registry/pending_judgements.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace fardel {
namespace {

constexpr std::size_t kJudgedAtOnceMax = 2;  // each verifies on all cores

}  // namespace

PendingJudgements::~PendingJudgements() {
    stop();
    {
        const std::scoped_lock lock(mutex_);
        is_ending_ = true;
    }
    changed_.notify_all();
    threads_.stop();
}

void PendingJudgements::stop() { stop_.request_stop(); }

Result<std::optional<RegistryDecision>> PendingJudgements::judge(Upload upload, std::chrono::milliseconds longest) {
    const auto judgement = std::make_shared<Judgement>();
    judgement->upload = std::move(upload);
    std::unique_lock lock(mutex_);
    if (threads_.size() < kJudgedAtOnceMax && !threads_.try_start([this] { work(); }) && threads_.size() == 0)
        return Error(ErrorCode::limit, "the system gives no thread for the judgement of an upload");
    forget_old(SteadyClock::now());
    newest_[{judgement->upload.bundle, judgement->upload.author}] = judgement;
    waiting_.push_back(judgement);
    changed_.notify_all();
    // Two threads of their own, so that two long judgements do not occupy the threads that answer bodies.
    changed_.wait_for(lock, longest, [&] { return judgement->decision.has_value(); });
    return judgement->decision;
}

std::optional<PendingJudgements::Found> PendingJudgements::find(const BundleId& bundle, const PublicKey& author) {
    const std::scoped_lock lock(mutex_);
    forget_old(SteadyClock::now());
    const auto at = newest_.find({bundle, author});
    if (at == newest_.end())
        return std::nullopt;
    const auto& decision = at->second->decision;
    return Found{decision ? std::optional(**decision) : std::nullopt};
}

void PendingJudgements::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
        if (waiting_.empty())
            return;
        const std::shared_ptr<Judgement> judgement = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        Upload& upload = judgement->upload;
        const RegistryDecision decision = stop_.stop_requested()
                                              ? RegistryDecision(Error(ErrorCode::cancelled, "the registry stops"))
                                              : registry_.accept(upload.file, upload.author, stop_.get_token());
        upload.ended(decision);
        upload.file.reset();
        upload.ended = nullptr;
        lock.lock();
        judgement->decision = decision;
        judgement->decided = SteadyClock::now();
        // What could not be decided may be sent again, and is no decision to wait for.
        if (const auto at = newest_.find({upload.bundle, upload.author});
            !decision && at != newest_.end() && at->second == judgement)
            newest_.erase(at);
        changed_.notify_all();
    }
}

// Decisions that are too old, and the oldest ones if there are too many: first those of an author with too many, so
// that no author's uploads make the registry forget what others wait for.
void PendingJudgements::forget_old(SteadyTime now) {
    std::vector<std::pair<SteadyTime, Key>> decided;
    for (const auto& [key, judgement] : newest_)
        if (judgement->decision)
            decided.emplace_back(judgement->decided, key);
    std::ranges::sort(decided, std::ranges::greater());
    std::map<PublicKey, std::size_t> by_author;
    std::size_t kept = 0;
    for (const auto& [time, key] : decided)
        if (now - time > kDecisionKept || ++by_author[key.second] > kAuthorDecisionsKeptMax ||
            ++kept > kDecisionsKeptMax)
            newest_.erase(key);
}

}  // namespace fardel
