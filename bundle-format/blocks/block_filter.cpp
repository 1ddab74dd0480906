#include "block_filter.h"

#include "vectors/byte_vector.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstring>

namespace fardel {
namespace {

using Byte = std::uint8_t;

// What a filter treats alike: groups of so many bytes. Those behind the last whole group stay as they are.
std::size_t group_bytes(Filter filter) noexcept {
    switch (filter) {
        case Filter::none:
        case Filter::delta: return 1;
        case Filter::delta16: return 2;
        case Filter::rgb: return 3;
        case Filter::delta4:
        case Filter::shuffle4: return 4;
        case Filter::delta8: return 8;
    }
    return 1;
}

constexpr Byte sum(Byte a, Byte b) noexcept { return static_cast<Byte>(a + b); }
constexpr Byte difference(Byte a, Byte b) noexcept { return static_cast<Byte>(a - b); }

// ---- Applied --------------------------------------------------------------------------------------------------------

// Each byte less the one `Group` bytes before, then all first bytes of the groups, all second ones, …
template <std::size_t Group, bool IsDelta>
void apply_by_place(const Byte* raw, std::size_t groups, Byte* out) {
    for (std::size_t place = 0; place < Group; ++place, out += groups) {
        Byte before = 0;
        for (std::size_t i = 0; i < groups; ++i) {
            const Byte byte = raw[i * Group + place];
            out[i] = difference(byte, before);
            before = IsDelta ? byte : Byte{0};
        }
    }
}

void apply_delta16(const Byte* raw, std::size_t words, Byte* out) {
    unsigned before = 0;
    for (std::size_t i = 0; i < words; ++i) {
        const unsigned word = raw[2 * i] | unsigned{raw[2 * i + 1]} << 8;
        const unsigned less = word - before;
        out[i] = static_cast<Byte>(less);
        out[words + i] = static_cast<Byte>(less >> 8);
        before = word;
    }
}

void apply_rgb(const Byte* raw, std::size_t pixels, Byte* out) {
    Byte before[3] = {};
    for (std::size_t i = 0; i < pixels; ++i, raw += 3, out += 3) {
        const Byte pixel[3] = {difference(raw[0], raw[1]), raw[1], difference(raw[2], raw[1])};
        for (std::size_t k = 0; k < 3; ++k) {
            out[k] = difference(pixel[k], before[k]);
            before[k] = pixel[k];
        }
    }
}

// ---- Undone, a byte at a time ---------------------------------------------------------------------------------------

// From the group `first` on; the groups before it are in `out`.
template <std::size_t Group, bool IsDelta>
void undo_by_place(const Byte* filtered, std::size_t first, std::size_t groups, Byte* out) {
    Byte group[Group] = {};
    if (IsDelta && first != 0)
        std::memcpy(group, out + (first - 1) * Group, Group);
    for (std::size_t i = first; i < groups; ++i)
        for (std::size_t place = 0; place < Group; ++place) {
            group[place] = sum(filtered[place * groups + i], IsDelta ? group[place] : Byte{0});
            out[i * Group + place] = group[place];
        }
}

void undo_delta16(const Byte* filtered, std::size_t first, std::size_t words, Byte* out) {
    unsigned word = first == 0 ? 0 : out[2 * first - 2] | unsigned{out[2 * first - 1]} << 8;
    for (std::size_t i = first; i < words; ++i) {
        word += filtered[i] | unsigned{filtered[words + i]} << 8;
        out[2 * i] = static_cast<Byte>(word);
        out[2 * i + 1] = static_cast<Byte>(word >> 8);
    }
}

void undo_rgb(const Byte* filtered, std::size_t pixels, Byte* out) {
    unsigned red = 0, green = 0, blue = 0;
    for (std::size_t i = 0; i < pixels; ++i, filtered += 3, out += 3) {
        red += filtered[0];
        green += filtered[1];
        blue += filtered[2];
        out[0] = static_cast<Byte>(red + green);
        out[1] = static_cast<Byte>(green);
        out[2] = static_cast<Byte>(blue + green);
    }
}

void undo_from(Filter filter, std::size_t first, const Byte* filtered, std::size_t groups, Byte* out) {
    switch (filter) {
        case Filter::none: std::copy_n(filtered + first, groups - first, out + first); break;
        case Filter::delta: undo_by_place<1, true>(filtered, first, groups, out); break;
        case Filter::delta16: undo_delta16(filtered, first, groups, out); break;
        case Filter::rgb: undo_rgb(filtered, groups, out); break;  // first is 0
        case Filter::delta4: undo_by_place<4, true>(filtered, first, groups, out); break;
        case Filter::delta8: undo_by_place<8, true>(filtered, first, groups, out); break;
        case Filter::shuffle4: undo_by_place<4, false>(filtered, first, groups, out); break;
    }
}

// ---- Undone, sixteen bytes at a time --------------------------------------------------------------------------------
//
// Each returns how many groups it has undone; the rest is left to the functions above. Sums run over the groups of a
// vector in steps that double, and from vector to vector through its last group.

#ifdef FARDEL_BYTE_VECTOR

// The sums of groups of one byte that are numbers of one byte, of groups of two that are numbers of two, or of groups
// of four or eight separate bytes.
template <int Group>
class RunningSums {
public:
    ByteVector next(ByteVector sums) noexcept {
        if constexpr (Group <= 1)
            sums = add(sums, sums.moved_up<1>());
        if constexpr (Group <= 2)
            sums = add(sums, sums.moved_up<2>());
        if constexpr (Group <= 4)
            sums = add(sums, sums.moved_up<4>());
        sums = add(add(sums, sums.moved_up<8>()), last_);
        last_ = sums.last_everywhere<Group>();
        return sums;
    }

private:
    static ByteVector add(ByteVector a, ByteVector b) noexcept {
        if constexpr (Group == 2)
            return add_words(a, b);
        else
            return a + b;
    }

    ByteVector last_ = ByteVector::zero();
};

std::size_t undo_delta_by_vectors(const Byte* filtered, std::size_t bytes, Byte* out) {
    RunningSums<1> sums;
    std::size_t done = 0;
    for (; done + 16 <= bytes; done += 16)
        sums.next(ByteVector::load(filtered + done)).store(out + done);
    return done;
}

std::size_t undo_delta16_by_vectors(const Byte* filtered, std::size_t words, Byte* out) {
    RunningSums<2> sums;
    std::size_t done = 0;
    for (; done + 16 <= words; done += 16) {
        const ByteVector low = ByteVector::load(filtered + done), high = ByteVector::load(filtered + words + done);
        sums.next(zip_low<1>(low, high)).store(out + 2 * done);
        sums.next(zip_high<1>(low, high)).store(out + 2 * done + 16);
    }
    return done;
}

// `next` takes the raw bytes of four groups, or their differences.
template <class Next>
std::size_t undo_fours_by_vectors(const Byte* filtered, std::size_t groups, Byte* out, Next next) {
    std::size_t done = 0;
    for (; done + 16 <= groups; done += 16, out += 64) {
        const auto place = [&](std::size_t i) { return ByteVector::load(filtered + i * groups + done); };
        const ByteVector low01 = zip_low<1>(place(0), place(1)), high01 = zip_high<1>(place(0), place(1));
        const ByteVector low23 = zip_low<1>(place(2), place(3)), high23 = zip_high<1>(place(2), place(3));
        next(zip_low<2>(low01, low23)).store(out);
        next(zip_high<2>(low01, low23)).store(out + 16);
        next(zip_low<2>(high01, high23)).store(out + 32);
        next(zip_high<2>(high01, high23)).store(out + 48);
    }
    return done;
}

std::size_t undo_delta8_by_vectors(const Byte* filtered, std::size_t groups, Byte* out) {
    RunningSums<8> sums;
    const auto put_eight = [&](ByteVector place01, ByteVector place23, ByteVector place45, ByteVector place67) {
        const ByteVector low03 = zip_low<2>(place01, place23), high03 = zip_high<2>(place01, place23);
        const ByteVector low47 = zip_low<2>(place45, place67), high47 = zip_high<2>(place45, place67);
        sums.next(zip_low<4>(low03, low47)).store(out);
        sums.next(zip_high<4>(low03, low47)).store(out + 16);
        sums.next(zip_low<4>(high03, high47)).store(out + 32);
        sums.next(zip_high<4>(high03, high47)).store(out + 48);
        out += 64;
    };
    std::size_t done = 0;
    for (; done + 16 <= groups; done += 16) {
        const auto low = [&](std::size_t i) {
            const Byte* const at = filtered + i * groups + done;
            return zip_low<1>(ByteVector::load(at), ByteVector::load(at + groups));
        };
        const auto high = [&](std::size_t i) {
            const Byte* const at = filtered + i * groups + done;
            return zip_high<1>(ByteVector::load(at), ByteVector::load(at + groups));
        };
        put_eight(low(0), low(2), low(4), low(6));
        put_eight(high(0), high(2), high(4), high(6));
    }
    return done;
}

std::size_t undo_by_vectors(Filter filter, const Byte* filtered, std::size_t groups, Byte* out) {
    switch (filter) {
        case Filter::none:
        case Filter::rgb: return 0;
        case Filter::delta: return undo_delta_by_vectors(filtered, groups, out);
        case Filter::delta16: return undo_delta16_by_vectors(filtered, groups, out);
        case Filter::delta4:
            return undo_fours_by_vectors(
                filtered, groups, out, [sums = RunningSums<4>()](ByteVector four) mutable { return sums.next(four); });
        case Filter::delta8: return undo_delta8_by_vectors(filtered, groups, out);
        case Filter::shuffle4:
            return undo_fours_by_vectors(filtered, groups, out, [](ByteVector four) { return four; });
    }
    return 0;
}

#else

std::size_t undo_by_vectors(Filter, const Byte*, std::size_t, Byte*) { return 0; }

#endif

const Byte* bytes_of(std::span<const std::byte> bytes) { return reinterpret_cast<const Byte*>(bytes.data()); }
Byte* bytes_of(std::span<std::byte> bytes) { return reinterpret_cast<Byte*>(bytes.data()); }

// The whole groups of a block; copies what is behind them.
std::size_t begin(Filter filter, std::span<const std::byte> in, std::span<std::byte> out) {
    assert(in.size() == out.size());
    const std::size_t groups = in.size() / group_bytes(filter);
    std::ranges::copy(in.subspan(groups * group_bytes(filter)), out.begin() + groups * group_bytes(filter));
    return groups;
}

}  // namespace

void apply_filter(Filter filter, std::span<const std::byte> raw, std::span<std::byte> out) {
    const std::size_t groups = begin(filter, raw, out);
    const Byte* const from = bytes_of(raw);
    Byte* const to = bytes_of(out);
    switch (filter) {
        case Filter::none: std::ranges::copy(raw, out.begin()); break;
        case Filter::delta: apply_by_place<1, true>(from, groups, to); break;
        case Filter::delta16: apply_delta16(from, groups, to); break;
        case Filter::rgb: apply_rgb(from, groups, to); break;
        case Filter::delta4: apply_by_place<4, true>(from, groups, to); break;
        case Filter::delta8: apply_by_place<8, true>(from, groups, to); break;
        case Filter::shuffle4: apply_by_place<4, false>(from, groups, to); break;
    }
}

void undo_filter(Filter filter, std::span<const std::byte> filtered, std::span<std::byte> out) {
    const std::size_t groups = begin(filter, filtered, out);
    const std::size_t done = undo_by_vectors(filter, bytes_of(filtered), groups, bytes_of(out));
    undo_from(filter, done, bytes_of(filtered), groups, bytes_of(out));
}

void undo_filter_plainly(Filter filter, std::span<const std::byte> filtered, std::span<std::byte> out) {
    const std::size_t groups = begin(filter, filtered, out);
    undo_from(filter, 0, bytes_of(filtered), groups, bytes_of(out));
}

}  // namespace fardel
