// NameRun: finds by a name's hash which of its mounts may have the name, so that a look-up does not ask hundreds.
//
// Built from the name tables of bundles, immutable, shared by the mount sets that use it. It may name a mount that does
// not have the name; it never leaves out one that does. Like the format's own tables, it has entries in buckets of
// leading hash bits.
#pragma once

#include "content_number.h"

#include <fardel/base/memory.h>
#include <fardel/format/bundle.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace fardel {

class NameRun {
public:
    // Names of one run, and of one bundle in it: reading and sorting that many takes well below a millisecond.
    static constexpr std::uint32_t kNamesMax = 1u << 17;
    static constexpr std::uint32_t kBundleNamesMax = 1u << 16;
    static constexpr std::size_t kMembersMax = 512;

    struct Member {
        ContentNumber content{};
        const Bundle* bundle = nullptr;  // used by build() only
    };

    // Whether a bundle has few enough names, and they can be read. Reads its whole look-up table.
    static bool fits(const Bundle& bundle);
    // Every member fits; all of them together have at most kNamesMax names.
    static std::shared_ptr<const NameRun> build(std::span<const Member> members);

    std::span<const ContentNumber> members() const noexcept { return members_; }
    std::uint32_t names() const noexcept { return static_cast<std::uint32_t>(entries_.size()); }

    // A hint: for_each() of this hash comes soon.
    void prefetch(std::uint64_t hash) const noexcept {
        if (!entries_.empty())
            prefetch_line(entries_.data() + buckets_[bucket_of(static_cast<std::uint32_t>(hash >> 32))]);
    }
    // Calls `visit(index of the member)` for each member that may have the name, perhaps twice for some. False: a
    // hostile bundle has filled the bucket, so that any member may have the name, and not all were visited.
    template <class Visit>
    bool for_each(std::uint64_t hash, Visit&& visit) const;

private:
    // The low bits of the hash's high half, and the member.
    struct Entry {
        std::uint16_t fingerprint;
        std::uint16_t member;
    };

    // By the high half of the hash: bundles store no more of it.
    std::size_t bucket_of(std::uint32_t high) const noexcept { return bits_ == 0 ? 0 : high >> (32 - bits_); }

    std::vector<ContentNumber> members_;
    std::vector<Entry> entries_;
    std::vector<std::uint32_t> buckets_;  // first entry of each, and the number of entries at the end
    int bits_ = 0;
};

template <class Visit>
bool NameRun::for_each(std::uint64_t hash, Visit&& visit) const {
    const auto high = static_cast<std::uint32_t>(hash >> 32);
    const std::size_t bucket = bucket_of(high);
    const std::uint32_t first = buckets_[bucket];
    const std::uint32_t last = buckets_[bucket + 1];
    // Four names a bucket on average; a name that all members have is one more from each.
    if (last - first > 64 + 4 * members_.size())
        return false;
    const auto fingerprint = static_cast<std::uint16_t>(high);
    for (std::uint32_t i = first; i < last; ++i)
        if (entries_[i].fingerprint == fingerprint)
            visit(entries_[i].member);
    return true;
}

}  // namespace fardel
