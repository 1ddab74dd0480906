// BackgroundDeltas: makes the deltas that clients of a tree have a use for, one at a time, at low priority, and keeps
// them in the tree within a budget.
//
// Clients cannot ask for a delta. What they ask for shows which bundle they want; the server looks for earlier bundles
// of that name in its tree. Functions may be called by any thread.
#pragma once

#include "serve/delta_demand.h"

#include <fardel/base/parallel.h>
#include <fardel/hosting/tree_target.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace fardel {

struct BackgroundDeltaLimits {
    std::uint64_t budget_bytes = 0;                           // of the deltas that it has made
    int effort = 12;                                          // of compression: some 200 MB of memory
    std::chrono::seconds longest{600};                        // for one delta
    std::uint64_t bundle_bytes_max = std::uint64_t(4) << 30;  // larger bundles are left out
};

class BackgroundDeltas {
public:
    // `tree`: the folder; what it has made before and how often it was wanted is in ".fardel-deltas" there.
    BackgroundDeltas(std::string tree, const BackgroundDeltaLimits& limits);
    ~BackgroundDeltas();  // ends a delta that is being made

    // Error: limit (no more threads).
    Status start();
    // A client asks which deltas lead to the bundle. `client`: see ReceivedRequest.
    void note_list(const BundleId& wanted, std::string_view client);

private:
    struct Sighting {
        BundleId wanted;
        std::string client;
    };
    class Work;
    void add(Sighting sighting);

    const std::string tree_;
    const BackgroundDeltaLimits limits_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<Sighting> sightings_;
    std::unordered_map<std::string, std::size_t> waiting_;  // sightings per known client
    WorkerThreads thread_;
};

}  // namespace fardel
