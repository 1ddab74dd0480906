#include "transfer/request_server.h"

#include "transfer/server_faults.h"

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

constexpr std::chrono::milliseconds kFirstWait{100};
constexpr std::chrono::milliseconds kLongestWait{5000};
// So much sooner, a server is asked that has not failed lately: one that hangs costs its time limit.
constexpr std::chrono::seconds kSuspectWait{5};

// Whether the same server may answer differently the next time.
bool may_pass(ErrorCode code) noexcept {
    return code == ErrorCode::unreachable || code == ErrorCode::busy || code == ErrorCode::corrupt;
}
// Whether another server may answer differently.
bool may_differ(ErrorCode code) noexcept {
    return may_pass(code) || code == ErrorCode::missing || code == ErrorCode::denied || code == ErrorCode::malformed ||
           code == ErrorCode::untrusted || code == ErrorCode::io;
}

}  // namespace

void RequestServer::choose(const RangeClient& client, const std::vector<std::string>& urls, std::size_t first,
                           HttpRange& range) {
    servers_.resize(urls.size());
    for (std::size_t i = 0; i < urls.size(); ++i)
        servers_[i].is_suspect = client.has_failed(urls[i]);
    if (sooner_) {
        index_ = *sooner_;
    } else if (next_) {
        index_ = *next_;
    } else {
        index_ = first % urls.size();
        if (first == 0)
            index_ = client.quickest(urls, index_);
        for (std::size_t i = 1; i < urls.size() && servers_[index_].is_suspect; ++i)
            if (const std::size_t other = (first + i) % urls.size(); !servers_[other].is_suspect)
                index_ = other;
    }
    has_progressed_ = false;
    range.url = urls[index_];
    range.others.clear();
    others_.clear();
    // Those before the first one were asked and are of no use, such as one that has left out signatures: that it is
    // quick must not lead back to it.
    for (std::size_t i = 1; i < urls.size() && leaves_ < kLeavesMax * urls.size(); ++i)
        if (const std::size_t other = (index_ + i) % urls.size(); other >= first) {
            range.others.push_back(urls[other]);
            others_.push_back(other);
        }
}

void RequestServer::leave_for(std::size_t other) noexcept {
    sooner_ = others_[other];
    ++leaves_;
}

// A server that ignores ranges sends everything before them each time. If it gave a little more each time, it could
// send the file any number of times.
void RequestServer::note_progress(std::uint64_t useful_bytes, std::uint64_t useless_bytes) noexcept {
    if (useful_bytes < kProgressBytes || useful_bytes < useless_bytes)
        return;
    attempt_ = 0;
    servers_[index_].failures = 0;
    has_progressed_ = true;
}

std::optional<std::chrono::milliseconds> RequestServer::fail(Error error, std::chrono::seconds asked_wait,
                                                             SteadyTime now) {
    const ErrorCode code = error.code();
    Server& server = servers_[index_];
    ++attempt_;
    ++server.failures;
    server.is_final = !may_pass(code);
    server.error = std::move(error);
    const std::chrono::milliseconds wait = kFirstWait * (1 << std::min(server.failures, 10u));
    server.not_before = now + std::max<SteadyClock::duration>(std::min(kLongestWait, wait), asked_wait);
    sooner_.reset();
    next_.reset();
    return may_differ(code) ? choose_next(now) : std::nullopt;
}

// Another server is asked at once, whatever this one wants; the same one again only after a while.
std::optional<std::chrono::milliseconds> RequestServer::choose_next(SteadyTime now) {
    using std::chrono::ceil;
    using std::chrono::milliseconds;
    const auto wait_for = [&](const Server& server) {
        return server.failures == 0 ? milliseconds(0)
                                    : std::max(milliseconds(0), ceil<milliseconds>(server.not_before - now));
    };
    std::optional<milliseconds> best;
    for (std::size_t i = has_progressed_ ? 0 : 1; i <= servers_.size(); ++i) {
        const std::size_t index = (index_ + i) % servers_.size();
        const Server& server = servers_[index];
        if (server.is_final || (server.failures != 0 && attempt_ >= attempts_max_))
            continue;
        const milliseconds cost = wait_for(server) + (server.is_suspect ? kSuspectWait : milliseconds(0));
        if (best && cost >= *best)
            continue;
        best = cost;
        next_ = index;
        if (i == 0)
            break;
    }
    return next_ ? std::optional(wait_for(servers_[*next_])) : std::nullopt;
}

Error RequestServer::failure() const {
    std::vector<Error> faults;
    for (std::size_t i = 0; i < servers_.size(); ++i)
        if (const Server& server = servers_[(index_ + 1 + i) % servers_.size()]; server.error)
            faults.push_back(*server.error);
    return join_faults(faults);
}

}  // namespace fardel
