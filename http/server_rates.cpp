#include "server_rates.h"

#include <algorithm>
#include <limits>

namespace fardel {
namespace {

constexpr std::chrono::seconds kWindow{5};
constexpr std::chrono::minutes kFailedFor{1};
constexpr unsigned kFailedDoublings = 5;
constexpr std::uint64_t kTellingBytes = 64u << 10;  // fewer say more about the time of an answer than about the rate
constexpr double kWorthwhile = 2;                   // so much quicker
constexpr double kRestartSeconds = 1;

std::string_view server_of(std::string_view url) {
    constexpr std::string_view kScheme = "://";
    const std::size_t host = url.find(kScheme);
    return host == std::string_view::npos ? url : url.substr(0, url.find('/', host + kScheme.size()));
}

double seconds_for(std::uint64_t bytes, double per_second) {
    return per_second > 0 ? static_cast<double>(bytes) / per_second : std::numeric_limits<double>::infinity();
}

}  // namespace

double RecentRate::per_second(SteadyTime now) noexcept {
    while (now - later_.time >= kWindow) {
        earlier_ = later_;
        later_ = {now - later_.time < 2 * kWindow ? later_.time + kWindow : now, bytes_};
    }
    const std::chrono::duration<double> elapsed = now - earlier_.time;
    return elapsed.count() > 0 ? static_cast<double>(bytes_ - earlier_.bytes) / elapsed.count() : 0;
}

ServerRates::Server& ServerRates::entry(std::string_view url) {
    const std::string_view server = server_of(url);
    const auto found = servers_.find(server);
    return found != servers_.end() ? found->second : servers_.try_emplace(std::string(server)).first->second;
}

// A server that hangs costs the time limit of a request each time that it is tried again.
void ServerRates::fail(Server& server, SteadyTime now) {
    server.failed_until = now + kFailedFor * (1 << std::min(server.failures, kFailedDoublings));
    ++server.failures;
}

void ServerRates::begin(std::string_view url) {
    const std::scoped_lock lock(mutex_);
    ++entry(url).transfers;
}

void ServerRates::end(std::string_view url, RecentRate& rate, bool failed, SteadyTime now) {
    const std::scoped_lock lock(mutex_);
    Server& server = entry(url);
    --server.transfers;
    if (failed)
        return fail(server, now);
    if (rate.bytes() != 0) {
        server.failures = 0;
        server.failed_until = {};
    }
    if (rate.bytes() >= kTellingBytes || rate.age(now) >= kRateKnownAfter)
        server.per_second = rate.per_second(now);
}

const ServerRates::Server* ServerRates::find(std::string_view url, SteadyTime now) const {
    static const Server kUnknown;
    const auto found = servers_.find(server_of(url));
    if (found == servers_.end())
        return &kUnknown;
    return now < found->second.failed_until ? nullptr : &found->second;
}

std::optional<std::size_t> ServerRates::find_sooner(const Transfer& transfer, RecentRate& rate,
                                                    const std::vector<std::string>& others, SteadyTime now) {
    const std::scoped_lock lock(mutex_);
    if (rate.age(now) < kRateKnownAfter)
        return std::nullopt;
    const double here = seconds_for(transfer.left_bytes, rate.per_second(now));
    std::optional<std::size_t> best;
    std::optional<std::size_t> untried;
    double best_seconds = here / kWorthwhile;
    for (std::size_t i = 0; i < others.size(); ++i) {
        const Server* const server = find(others[i], now);
        if (server == nullptr || server_of(others[i]) == server_of(transfer.url))
            continue;
        if (!server->per_second) {
            // One transfer at a time finds out: whatever comes of it, no more is lost.
            if (server->transfers == 0 && !untried)
                untried = i;
            continue;
        }
        const double seconds = kRestartSeconds + seconds_for(transfer.again_bytes, *server->per_second);
        if (seconds < best_seconds) {
            best = i;
            best_seconds = seconds;
        }
    }
    const bool is_worth_trial = here > static_cast<double>(kTrialWorth.count());
    return best || !is_worth_trial ? best : untried;
}

std::size_t ServerRates::quickest(const std::vector<std::string>& urls, std::size_t first, SteadyTime now) const {
    const std::scoped_lock lock(mutex_);
    const Server* const own = find(urls[first], now);
    if (own != nullptr && !own->per_second)
        return first;
    double best = own != nullptr ? *own->per_second * kWorthwhile : 0;
    std::size_t chosen = first;
    for (std::size_t i = 0; i < urls.size(); ++i) {
        const Server* const server = find(urls[i], now);
        if (i == first || server == nullptr || server->per_second.value_or(0) <= best)
            continue;
        best = *server->per_second;
        chosen = i;
    }
    return chosen;
}

bool ServerRates::has_failed(std::string_view url, SteadyTime now) const {
    const std::scoped_lock lock(mutex_);
    return find(url, now) == nullptr;
}

void ServerRates::note_failure(std::string_view url, SteadyTime now) {
    const std::scoped_lock lock(mutex_);
    fail(entry(url), now);
}

void ServerRates::note_whole_files(std::string_view url) {
    const std::scoped_lock lock(mutex_);
    entry(url).sends_whole_files = true;
}

bool ServerRates::sends_whole_files(std::string_view url) const {
    const std::scoped_lock lock(mutex_);
    const auto found = servers_.find(server_of(url));
    return found != servers_.end() && found->second.sends_whole_files;
}

}  // namespace fardel
