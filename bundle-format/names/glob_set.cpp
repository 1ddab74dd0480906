#include <fardel/format/glob_set.h>

#include <fardel/format/name.h>

#include <algorithm>

namespace fardel {
namespace {

constexpr std::size_t kNoElement = static_cast<std::size_t>(-1);
constexpr std::size_t kWordBits = 64;

// A set of bytes.
using ByteSet = std::array<std::uint64_t, 4>;

constexpr bool has(const ByteSet& set, unsigned byte) { return (set[byte / 64] >> (byte % 64) & 1) != 0; }

template <class Predicate>
constexpr ByteSet bytes_that(Predicate predicate) {
    ByteSet set{};
    for (unsigned byte = 0; byte < 256; ++byte)
        if (predicate(byte))
            set[byte / 64] |= std::uint64_t{1} << (byte % 64);
    return set;
}

constexpr ByteSet kNoByte{};
constexpr ByteSet kAnyByte = bytes_that([](unsigned) { return true; });
constexpr ByteSet kSlash = bytes_that([](unsigned byte) { return byte == '/'; });
constexpr ByteSet kInPart = bytes_that([](unsigned byte) { return byte != '/'; });
// Of UTF-8: bytes that begin a character, and those that continue one.
constexpr ByteSet kFirst = bytes_that([](unsigned byte) { return byte != '/' && (byte & 0xc0) != 0x80; });
constexpr ByteSet kContinued = bytes_that([](unsigned byte) { return (byte & 0xc0) == 0x80; });

void set_bit(std::vector<std::uint64_t>& words, std::size_t bit) {
    words[bit / kWordBits] |= std::uint64_t{1} << (bit % kWordBits);
}

bool has_bit(const std::vector<std::uint64_t>& words, std::size_t bit) {
    return (words[bit / kWordBits] >> (bit % kWordBits) & 1) != 0;
}

// to |= (from & mask) << 1. Returns whether `to` changed.
bool shift_into(std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& from,
                const std::vector<std::uint64_t>& mask) {
    std::uint64_t carry = 0;
    std::uint64_t changed = 0;
    for (std::size_t i = 0; i < to.size(); ++i) {
        const std::uint64_t bits = from[i] & mask[i];
        const std::uint64_t shifted = bits << 1 | carry;
        carry = bits >> (kWordBits - 1);
        changed |= shifted & ~to[i];
        to[i] |= shifted;
    }
    return changed != 0;
}

}  // namespace

std::string_view common_start(std::span<const std::string> globs) {
    if (globs.empty())
        return {};
    std::string_view start(globs.front());
    for (const std::string& glob : globs) {
        start = start.substr(0, std::min(glob.find_first_of("*?"), glob.size()));
        const auto differs = std::ranges::mismatch(start, glob);
        start = start.substr(0, static_cast<std::size_t>(differs.in1 - start.begin()));
    }
    return start;
}

GlobSet::GlobSet(std::span<const std::string> globs) {
    for (const std::string& glob : globs) {
        if (verify_glob(glob))
            add_glob(glob);
        else
            end_of_.push_back(kNoElement);
    }
}

void GlobSet::add_element(const ByteSet& advances, const ByteSet& stays, bool skipped, bool silent) {
    const std::size_t element = element_count_++;
    const std::size_t words = element / kWordBits + 1;
    if (starts_.size() < words) {
        for (unsigned byte = 0; byte < 256; ++byte) {
            advances_[byte].resize(words);
            stays_[byte].resize(words);
        }
        for (Words* const set : {&starts_, &skips_, &stay_skips_, &ends_})
            set->resize(words);
    }
    for (unsigned byte = 0; byte < 256; ++byte) {
        if (has(advances, byte))
            set_bit(advances_[byte], element);
        if (has(stays, byte))
            set_bit(stays_[byte], element);
    }
    if (skipped)
        set_bit(skips_, element);
    if (skipped && !silent)
        set_bit(stay_skips_, element);
}

void GlobSet::add_glob(std::string_view glob) {
    const std::size_t first = element_count_;
    bool accepts_more = false;
    for (std::size_t at = 0; at < glob.size(); ++at) {
        const char c = glob[at];
        if (glob.substr(at, 3) == "**/") {
            // Whole parts: leaves only behind a '/', so staying there does not enter the next element.
            add_element(kSlash, kAnyByte, true, true);
            at += 2;
            while (glob.substr(at + 1, 3) == "**/")
                at += 3;
        } else if (glob.substr(at, 2) == "**") {  // at the end: a part, and whatever follows it
            add_element(kAnyByte, kNoByte, false, false);
            accepts_more = true;
            ++at;
        } else if (c == '*') {
            while (at + 1 < glob.size() && glob[at + 1] == '*')
                ++at;
            add_element(kNoByte, kInPart, true, false);
        } else if (c == '?') {
            add_element(kFirst, kNoByte, false, false);
            add_element(kNoByte, kContinued, true, false);
        } else {
            const auto byte = static_cast<unsigned char>(c);
            add_element(bytes_that([byte](unsigned other) { return other == byte; }), kNoByte, false, false);
        }
    }
    end_of_.push_back(element_count_);
    add_element(kNoByte, accepts_more ? kAnyByte : kNoByte, false, false);
    set_bit(starts_, first);
    set_bit(ends_, end_of_.back());
}

// At most two elements in a row can be skipped, "**/" and "*"; the last of them is followed by one that cannot.
void GlobSet::enter(Words& entered) const {
    while (shift_into(entered, entered, skips_)) {
    }
}

bool GlobSet::run(std::string_view name, Words& active) const {
    active = starts_;
    enter(active);
    Words next(active.size());
    Words stayed(active.size());
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        std::uint64_t any = 0;
        for (std::size_t i = 0; i < active.size(); ++i) {
            next[i] = 0;
            any |= stayed[i] = active[i] & stays_[byte][i];
        }
        shift_into(next, active, advances_[byte]);
        shift_into(next, stayed, stay_skips_);
        enter(next);
        for (std::size_t i = 0; i < active.size(); ++i)
            any |= active[i] = next[i] | stayed[i];
        if (any == 0)
            return false;
    }
    return true;
}

bool GlobSet::matches(std::string_view name) const {
    Words active;
    if (!run(name, active))
        return false;
    for (std::size_t i = 0; i < active.size(); ++i)
        if ((active[i] & ends_[i]) != 0)
            return true;
    return false;
}

void GlobSet::find_matches(std::string_view name, std::vector<bool>& matched) const {
    Words active;
    if (!run(name, active))
        return;
    for (std::size_t glob = 0; glob < end_of_.size(); ++glob)
        if (end_of_[glob] != kNoElement && has_bit(active, end_of_[glob]))
            matched[glob] = true;
}

}  // namespace fardel
