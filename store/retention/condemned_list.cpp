#include "retention/condemned_list.h"

#include <fardel/format/sealed_record.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

constexpr SealedKind kListKind{.subject = "condemned list", .magic = "FARDELSC", .version = 1};
constexpr std::size_t kMarkBytes = 1 + 1 + 8 + 32;

}  // namespace

bool is_pin_name(std::string_view name) noexcept {
    constexpr std::size_t kPinNameMax = 64;
    return !name.empty() && name.size() <= kPinNameMax &&
           name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789._-") == std::string_view::npos;
}

std::string_view removal_reason_text(RemovalReason reason) noexcept {
    switch (reason) {
        case RemovalReason::by_hand: return "removed by hand";
        case RemovalReason::expired: return "expired";
        case RemovalReason::unused: return "unused";
        case RemovalReason::source_quota: return "over the quota of its source";
        case RemovalReason::budget: return "over the size of the store";
        case RemovalReason::unnamed: return "in no bundle";
        case RemovalReason::unlicensed: return "its licence has ended";
        case RemovalReason::released: return "no longer installed";
    }
    return "";
}

const CondemnedMark* CondemnedList::find(CondemnedKind kind, const Hash& id) const noexcept {
    const auto found = std::ranges::lower_bound(marks_, std::tuple(kind, id), {}, &CondemnedMark::key);
    return found != marks_.end() && found->kind == kind && found->id == id ? &*found : nullptr;
}

void CondemnedList::add(const CondemnedMark& mark) {
    const auto found = std::ranges::lower_bound(marks_, mark.key(), {}, &CondemnedMark::key);
    if (found != marks_.end() && found->key() == mark.key())
        *found = mark;
    else
        marks_.insert(found, mark);
}

bool CondemnedList::remove(CondemnedKind kind, const Hash& id) {
    const auto found = std::ranges::lower_bound(marks_, std::tuple(kind, id), {}, &CondemnedMark::key);
    if (found == marks_.end() || found->kind != kind || found->id != id)
        return false;
    marks_.erase(found);
    return true;
}

std::vector<std::byte> encode_condemned_list(const CondemnedList& list) {
    ByteWriter writer = begin_sealed(kListKind);
    writer.u32(static_cast<std::uint32_t>(list.marks().size()));
    for (const CondemnedMark& mark : list.marks()) {
        writer.u8(static_cast<std::uint8_t>(mark.kind));
        writer.u8(static_cast<std::uint8_t>(mark.reason));
        writer.u64(mark.since.seconds);
        writer.fixed(mark.id);
    }
    return seal(std::move(writer));
}

Result<CondemnedList> decode_condemned_list(std::span<const std::byte> bytes) {
    if (bytes.size() > kCondemnedBytesMax)
        return Error(ErrorCode::limit, "condemned list: " + std::to_string(bytes.size()) + " bytes");
    FARDEL_TRY_ASSIGN(ByteReader reader, open_sealed(bytes, kListKind));
    const std::uint64_t count = reader.count<std::uint32_t>(kMarkBytes);
    CondemnedList list;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint8_t kind = reader.u8();
        const std::uint8_t reason = reader.u8();
        const UnixTime since{reader.u64()};
        const CondemnedMark mark{.kind = static_cast<CondemnedKind>(kind),
                                 .id = reader.fixed<Hash>(),
                                 .reason = static_cast<RemovalReason>(reason),
                                 .since = since};
        const bool is_valid = (kind == 1 || kind == 2) && reason >= 1 &&
                              reason <= static_cast<std::uint8_t>(RemovalReason::released) &&
                              (list.is_empty() || list.marks().back().key() < mark.key());
        if (!is_valid)
            return Error(ErrorCode::malformed,
                         "condemned list: mark " + std::to_string(i) + " is wrong or out of order");
        list.add(mark);
    }
    FARDEL_TRY(reader.finish());
    return list;
}

}  // namespace fardel
