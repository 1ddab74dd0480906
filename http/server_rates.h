// ServerRates: what is known of servers: how quickly they send, whether another one would send the rest of a transfer
// sooner, which have failed, and which ignore ranges. What a server may take is compared with what the others give, not
// with a constant: any constant leaves a rate just above it. Time is an argument. Any thread.
#pragma once

#include <fardel/base/clock.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// A rate is believed, and a server tried that was not tried before, only when a transfer is that old.
inline constexpr std::chrono::seconds kRateKnownAfter{5};
// A server that was not tried before is tried only if the rest takes longer than that here.
inline constexpr std::chrono::seconds kTrialWorth{10};

// The bytes of one transfer, of which the latest show how quickly it goes on.
class RecentRate {
public:
    explicit RecentRate(SteadyTime now) : begun_(now), earlier_{now, 0}, later_{now, 0} {}
    void add(std::uint64_t bytes) noexcept { bytes_ += bytes; }
    std::uint64_t bytes() const noexcept { return bytes_; }
    SteadyClock::duration age(SteadyTime now) const noexcept { return now - begun_; }
    // Bytes per second in the last 5 to 10 seconds, or since the beginning.
    double per_second(SteadyTime now) noexcept;

private:
    struct Sample {
        SteadyTime time;
        std::uint64_t bytes = 0;
    };
    const SteadyTime begun_;
    std::uint64_t bytes_ = 0;
    Sample earlier_;
    Sample later_;
};

class ServerRates {
public:
    // A server is what stands before the path of a URL.
    void begin(std::string_view url);
    // The transfer is over, or its rate is known now. `failed`: the server is asked last, for a minute; if it fails
    // again without having sent anything, for twice as long each time, at most half an hour.
    void end(std::string_view url, RecentRate& rate, bool failed, SteadyTime now);

    struct Transfer {
        std::string_view url;
        std::uint64_t left_bytes = 0;
        std::uint64_t again_bytes = 0;  // that another server would have to send
    };
    // Returns which of the others should go on with the transfer: one that would need less than half of the time, or,
    // if the rest takes long, one of which nothing is known and that sends nothing now. Nothing: none.
    std::optional<std::size_t> find_sooner(const Transfer& transfer, RecentRate& rate,
                                           const std::vector<std::string>& others, SteadyTime now);
    // Returns which of the URLs to ask: the first one, or the quickest if it is known to be more than twice as quick.
    std::size_t quickest(const std::vector<std::string>& urls, std::size_t first, SteadyTime now) const;
    bool has_failed(std::string_view url, SteadyTime now) const;
    // What it sent was wrong, as turned out after the transfer.
    void note_failure(std::string_view url, SteadyTime now);
    // The server sends the whole file, whatever range is requested.
    void note_whole_files(std::string_view url);
    bool sends_whole_files(std::string_view url) const;

private:
    struct Server {
        std::optional<double> per_second;
        SteadyTime failed_until{};
        unsigned failures = 0;   // since it sent anything
        unsigned transfers = 0;  // under way
        bool sends_whole_files = false;
    };
    // With the lock held.
    Server& entry(std::string_view url);
    const Server* find(std::string_view url, SteadyTime now) const;  // nullptr: it has failed
    static void fail(Server& server, SteadyTime now);

    mutable std::mutex mutex_;
    std::map<std::string, Server, std::less<>> servers_;
};

}  // namespace fardel
