// TraceRecorder: notes the first time that each asset is opened. Any number of threads; no lock, and no memory that
// grows: a table of fixed size, so of more than kTracedAssetsMax assets the first ones are noted.
#pragma once

#include <fardel/format/ids.h>
#include <fardel/format/trace.h>
#include <fardel/vfs/file.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace fardel {

class TraceRecorder {
public:
    TraceRecorder();

    void note(const File& file) noexcept;
    // What was noted so far, without names. An asset that another thread is noting at this moment may be left out.
    Trace trace() const;

private:
    static constexpr std::size_t kSlotsLog2 = 17;  // twice the assets, so that a free slot is near
    static_assert(std::size_t{1} << kSlotsLog2 >= 2 * kTracedAssetsMax);

    struct Opened {
        std::atomic<bool> is_written = false;
        std::uint64_t opened_ms = 0;
        std::uint64_t size_bytes = 0;
        BundleId bundle;
        AssetId asset;
    };

    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    // Slots have 64 bits of a bundle id and an asset id; 0: free.
    const std::unique_ptr<std::atomic<std::uint64_t>[]> slots_;
    const std::unique_ptr<Opened[]> opened_;  // in the order of opening
    std::atomic<std::size_t> count_ = 0;      // may exceed the size of opened_
};

}  // namespace fardel
