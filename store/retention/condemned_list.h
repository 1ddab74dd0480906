// CondemnedList: what a collection of the store is going to remove, and since when. docs/retention.md gives the bytes.
//
// A value and its encoding; no I/O. The input is untrusted.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>
#include <fardel/store/retention.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace fardel {

enum class CondemnedKind : std::uint8_t { bundle = 1, pack = 2 };

struct CondemnedMark {
    CondemnedKind kind = CondemnedKind::bundle;
    Hash id;  // of the bundle or pack
    RemovalReason reason = RemovalReason::by_hand;
    UnixTime since;
    friend bool operator==(const CondemnedMark&, const CondemnedMark&) = default;

    auto key() const noexcept { return std::tuple(kind, id); }
};

class CondemnedList {
public:
    bool is_empty() const noexcept { return marks_.empty(); }
    const std::vector<CondemnedMark>& marks() const noexcept { return marks_; }  // by kind and id
    const CondemnedMark* find(CondemnedKind kind, const Hash& id) const noexcept;
    // Replaces a mark of the same thing.
    void add(const CondemnedMark& mark);
    // Returns whether there was one.
    bool remove(CondemnedKind kind, const Hash& id);
    friend bool operator==(const CondemnedList&, const CondemnedList&) = default;

private:
    std::vector<CondemnedMark> marks_;
};

inline constexpr std::size_t kCondemnedBytesMax = 64u << 20;

std::vector<std::byte> encode_condemned_list(const CondemnedList& list);
// Errors: corrupt (the checksum differs), malformed, unsupported (a later version), limit.
Result<CondemnedList> decode_condemned_list(std::span<const std::byte> bytes);

}  // namespace fardel
