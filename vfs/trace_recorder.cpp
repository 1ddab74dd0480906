#include "trace_recorder.h"

#include <fardel/base/fits.h>

#include <algorithm>
#include <cstring>

namespace fardel {
namespace {

std::uint64_t trace_key_of(const BundleId& bundle, const AssetId& asset) noexcept {
    std::uint64_t of_bundle = 0;
    std::uint64_t of_asset = 0;
    std::memcpy(&of_bundle, bundle.bytes.data(), sizeof of_bundle);
    std::memcpy(&of_asset, asset.bytes.data(), sizeof of_asset);
    // Rotated, so that assets whose ids begin with their bundle's do not all have the key 0.
    return std::max<std::uint64_t>(of_bundle ^ (of_asset << 1 | of_asset >> 63), 1);
}

}  // namespace

TraceRecorder::TraceRecorder()
    : slots_(std::make_unique<std::atomic<std::uint64_t>[]>(std::size_t{1} << kSlotsLog2)),
      opened_(std::make_unique<Opened[]>(kTracedAssetsMax)) {}

void TraceRecorder::note(const File& file) noexcept {
    const std::uint64_t key = trace_key_of(file.bundle_id(), file.asset_id());
    const std::size_t mask = (std::size_t{1} << kSlotsLog2) - 1;
    for (std::size_t slot = in_memory(key * 0x9e37'79b9'7f4a'7c15ull >> (64 - kSlotsLog2));; slot = (slot + 1) & mask) {
        std::uint64_t there = slots_[slot].load(std::memory_order_relaxed);
        if (there == key)
            return;
        if (there != 0)
            continue;
        if (count_.load(std::memory_order_relaxed) >= kTracedAssetsMax)
            return;  // so half of the slots stay free, and every search ends
        if (slots_[slot].compare_exchange_strong(there, key, std::memory_order_relaxed))
            break;
        if (there == key)
            return;
    }
    const std::size_t number = count_.fetch_add(1, std::memory_order_relaxed);
    if (number >= kTracedAssetsMax)
        return;
    const auto since = std::chrono::steady_clock::now() - start_;
    Opened& opened = opened_[number];
    opened.opened_ms = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(since).count());
    opened.size_bytes = file.size_bytes();
    opened.bundle = file.bundle_id();
    opened.asset = file.asset_id();
    opened.is_written.store(true, std::memory_order_release);
}

Trace TraceRecorder::trace() const {
    Trace trace;
    const std::size_t count = std::min(count_.load(std::memory_order_relaxed), kTracedAssetsMax);
    for (std::size_t i = 0; i < count; ++i) {
        const Opened& opened = opened_[i];
        if (!opened.is_written.load(std::memory_order_acquire))
            continue;
        // Two threads may have taken their numbers and the time in different orders; the numbers count.
        const std::uint64_t opened_ms =
            trace.empty() ? opened.opened_ms : std::max(opened.opened_ms, trace.back().opened_ms);
        trace.push_back({.opened_ms = opened_ms,
                         .size_bytes = std::min(opened.size_bytes, kTracedSizeMax),
                         .bundle = opened.bundle,
                         .asset = opened.asset,
                         .name = {}});
    }
    return trace;
}

}  // namespace fardel
