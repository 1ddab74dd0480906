// HeldRanges: which ranges of a bundle file are held, and where their bytes are. A value; no I/O.
#pragma once

#include "packs/store_record.h"

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fardel {

inline constexpr PackId kIncomingPack{};  // the pack that is being received, until it has an id

struct HeldRange {
    std::uint64_t length_bytes = 0;
    PackId pack;
    std::uint64_t pack_offset = 0;
    std::uint64_t log_at = 0;  // of its entry in the log; 0: it has none
};

class HeldRanges {
public:
    // The range overlaps none that is held.
    void add(std::uint64_t offset, const HeldRange& range);
    // The range that begins at `offset` is no longer held.
    void remove(std::uint64_t offset);
    // The same for its part from `from` to `to`. What stays has no entry in the log.
    void cut(std::uint64_t offset, std::uint64_t from, std::uint64_t to);
    void clear();
    void forget_log_entries();

    std::uint64_t held_bytes() const noexcept { return held_bytes_; }
    const std::map<std::uint64_t, HeldRange>& by_offset() const noexcept { return ranges_; }
    // Whether all of it is held.
    bool holds(std::uint64_t offset, std::uint64_t length_bytes) const;
    // Returns the ranges that are held and have a part of it, by offset.
    std::vector<std::pair<std::uint64_t, HeldRange>> overlapping(std::uint64_t offset,
                                                                 std::uint64_t length_bytes) const;
    struct Run {
        bool is_held = false;
        std::uint64_t length_bytes = 0;
    };
    // Returns the length of what is held in one range, or of what is not held, from `offset` on.
    Run run_at(std::uint64_t offset) const;

private:
    std::map<std::uint64_t, HeldRange> ranges_;  // by offset in the file
    std::uint64_t held_bytes_ = 0;
};

// What was received and belongs nowhere in the file for now, by the hash of its bytes.
class KeptBlocks {
public:
    // Of several with one hash, the first one stays.
    void add(const Hash& hash, const HeldRange& range);
    // Returns nullptr if there is none.
    const HeldRange* find(const Hash& hash) const;
    std::uint64_t size_bytes() const noexcept { return size_bytes_; }

private:
    std::unordered_map<Hash, HeldRange> blocks_;
    std::uint64_t size_bytes_ = 0;
};

}  // namespace fardel
