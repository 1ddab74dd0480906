#include <fardel/format/glob_set.h>

#include <fardel/format/name.h>

#include <algorithm>
#include <optional>

namespace fardel {
namespace {

constexpr std::size_t kNoElement = static_cast<std::size_t>(-1);
constexpr std::size_t kWordBits = 64;

// Bytes that wildcards distinguish.
enum ByteClass : std::uint8_t { slash, continued, other };  // continued: of UTF-8, within a character

ByteClass class_of(char c) {
    if (c == '/')
        return slash;
    return (static_cast<unsigned char>(c) & 0xc0) == 0x80 ? continued : other;
}

// One bit per class.
constexpr unsigned kNoByte = 0;
constexpr unsigned kSlash = 1u << slash;
constexpr unsigned kContinued = 1u << continued;
constexpr unsigned kFirstOfPart = 1u << other;  // of a character of a part
constexpr unsigned kInPart = kContinued | kFirstOfPart;
constexpr unsigned kAnyByte = kInPart | kSlash;

void set_bit(std::span<std::uint64_t> words, std::size_t bit) {
    words[bit / kWordBits] |= std::uint64_t{1} << (bit % kWordBits);
}

bool has_bit(std::span<const std::uint64_t> words, std::size_t bit) {
    return (words[bit / kWordBits] >> (bit % kWordBits) & 1) != 0;
}

// ---- The steps of a byte, over the words from `low` to below `high`. Their loops are written for vector instructions.

using Bits = std::uint64_t* __restrict;
using ConstBits = const std::uint64_t* __restrict;

// Leaves the elements that stay in `active`, and in `leaving` those whose next element is entered.
void leave(Bits active, Bits leaving, ConstBits advances, ConstBits literals, ConstBits stays, ConstBits stay_skips,
           std::size_t low, std::size_t high) {
    for (std::size_t i = low; i < high; ++i) {
        const std::uint64_t waiting = active[i];
        const std::uint64_t stayed = waiting & stays[i];
        active[i] = stayed;
        leaving[i] = (waiting & (advances[i] | literals[i])) | (stayed & stay_skips[i]);
    }
}

void shift(Bits entered, ConstBits leaving, std::size_t low, std::size_t high) {
    for (std::size_t i = low; i < high; ++i)
        entered[i] = leaving[i] << 1 | leaving[i - 1] >> (kWordBits - 1);
}

// Adds the elements that are entered, and those behind them that are entered with them.
void enter(Bits active, ConstBits entered, ConstBits skips, ConstBits double_skips, std::size_t low, std::size_t high) {
    for (std::size_t i = low; i < high; ++i) {
        const std::uint64_t here = entered[i];
        const std::uint64_t before = entered[i - 1];
        active[i] |= here | (here & skips[i]) << 1 | (before & skips[i - 1]) >> (kWordBits - 1) |
                     (here & double_skips[i]) << 2 | (before & double_skips[i - 1]) >> (kWordBits - 2);
    }
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

struct GlobSet::Element {
    std::optional<unsigned char> literal = std::nullopt;  // the byte that advances; else `advances`
    unsigned advances = kNoByte;
    unsigned stays = kNoByte;
    bool skipped = false;
    bool silent = false;  // staying does not enter the next element
};

GlobSet::GlobSet(std::span<const std::string> globs) {
    std::size_t elements_max = kWordBits + 1;
    // All globs run at once, one bit per element, so the cost of a name does not grow with the wildcards that a hostile
    // bundle states; backtracking would (tests/ATTACKS.md, A128).
    for (const std::string& glob : globs)
        elements_max += 2 * glob.size() + 1;  // "?" has two
    resize(elements_max / kWordBits + 1);
    // Word 0 stays empty, so that shifting needs no special case for the first word.
    element_count_ = kWordBits;
    for (const std::string& glob : globs) {
        if (verify_glob(glob))
            add_glob(glob);
        else
            entries_.emplace_back().last = kNoElement;
    }
    resize(element_count_ / kWordBits + 1);
    // At most two elements in a row can be skipped, "**/" and "*"; the last of them is followed by one that cannot.
    for (std::size_t i = 0; i < skips_.size(); ++i) {
        const std::uint64_t next = i + 1 < skips_.size() ? skips_[i + 1] << (kWordBits - 1) : 0;
        double_skips_[i] = skips_[i] & (skips_[i] >> 1 | next);
    }
}

void GlobSet::resize(std::size_t words) {
    for (auto* const sets : {&advances_, &stays_})
        for (Words& set : *sets)
            set.resize(words);
    for (Words* const set : {&skips_, &double_skips_, &stay_skips_, &no_literals_})
        set->resize(words);
    for (Words& set : literals_)
        if (!set.empty())
            set.resize(words);
}

void GlobSet::add_element(const Element& element) {
    const std::size_t bit = element_count_++;
    if (element.literal) {
        Words& words = literals_[*element.literal];
        words.resize(skips_.size());
        set_bit(words, bit);
    }
    for (std::size_t i = 0; i < kClasses; ++i) {
        if ((element.advances >> i & 1) != 0)
            set_bit(advances_[i], bit);
        if ((element.stays >> i & 1) != 0)
            set_bit(stays_[i], bit);
    }
    if (element.skipped)
        set_bit(skips_, bit);
    if (element.skipped && !element.silent)
        set_bit(stay_skips_, bit);
}

void GlobSet::add_glob(std::string_view glob) {
    const std::size_t wildcard = std::min(glob.find_first_of("*?"), glob.size());
    const std::size_t behind = glob.find_last_of("*?") + 1;  // npos + 1 is 0
    Entry entry{.start = std::string(glob.substr(0, wildcard)),
                .end = wildcard == glob.size() ? std::string() : std::string(glob.substr(behind)),
                .first = element_count_};
    bool accepts_more = false;
    for (std::size_t at = 0; at < glob.size(); ++at) {
        const char c = glob[at];
        if (glob.substr(at, 3) == "**/") {
            // Whole parts: leaves only behind a '/', so staying there does not enter the next element.
            add_element({.advances = kSlash, .stays = kAnyByte, .skipped = true, .silent = true});
            at += 2;
            while (glob.substr(at + 1, 3) == "**/")
                at += 3;
            if (at == behind)  // the name may begin after these parts
                entry.end = std::string(glob.substr(at + 1));
        } else if (glob.substr(at, 2) == "**") {  // at the end: a part, and whatever follows it
            add_element({.advances = kAnyByte});
            accepts_more = true;
            ++at;
            ++entry.size_bytes_min;
        } else if (c == '*') {
            while (at + 1 < glob.size() && glob[at + 1] == '*')
                ++at;
            add_element({.stays = kInPart, .skipped = true});
        } else if (c == '?') {
            add_element({.advances = kFirstOfPart});
            add_element({.stays = kContinued, .skipped = true});
            ++entry.size_bytes_min;
        } else {
            add_element({.literal = static_cast<unsigned char>(c)});
            ++entry.size_bytes_min;
        }
    }
    entry.last = element_count_;
    add_element({.stays = accepts_more ? kAnyByte : kNoByte});
    entries_.push_back(std::move(entry));
}

bool GlobSet::takes_part(const Entry& entry, std::string_view name) noexcept {
    return entry.last != kNoElement && name.size() >= entry.size_bytes_min && name.starts_with(entry.start) &&
           name.ends_with(entry.end);
}

template <class Take>
void GlobSet::find_each(std::string_view name, const Take& take) const {
    // Most globs are excluded here, by their plain start and end, without running them.
    const auto first = std::ranges::find_if(entries_, [&](const Entry& entry) { return takes_part(entry, name); });
    if (first == entries_.end())
        return;
    // A few globs, as what a scan excludes, need no memory of the heap.
    constexpr std::size_t kFewWords = 16;
    std::array<std::uint64_t, 3 * kFewWords> few;
    Words many;
    const std::size_t words = skips_.size();
    std::span<std::uint64_t> room;
    if (words <= kFewWords) {
        room = std::span(few).first(3 * words);
        std::ranges::fill(room, 0);
    } else {
        many.resize(3 * words);
        room = many;
    }
    const std::span<std::uint64_t> active = room.first(words);
    if (!run(name, *first, active, room.subspan(words, words), room.last(words)))
        return;
    for (std::size_t glob = 0; glob < entries_.size(); ++glob)
        if (entries_[glob].last != kNoElement && has_bit(active, entries_[glob].last) && !take(glob))
            return;
}

bool GlobSet::run(std::string_view name, const Entry& first, std::span<std::uint64_t> active,
                  std::span<std::uint64_t> entered, std::span<std::uint64_t> leaving) const {
    const std::size_t words = skips_.size();
    for (const Entry* entry = &first; entry != entries_.data() + entries_.size(); ++entry)
        if (takes_part(*entry, name))
            set_bit(entered, entry->first);

    // Only the words from `low` to below `high` have bits. Word 0 never has any, so each word has one before it.
    std::size_t low = 1;
    std::size_t high = words;
    const auto trim = [&] {
        while (low < high && active[low] == 0)
            ++low;
        while (low < high && active[high - 1] == 0)
            --high;
        return low < high;
    };
    enter(active.data(), entered.data(), skips_.data(), double_skips_.data(), low, high);
    for (const char c : name) {
        // No element waits any more, so no glob can match, whatever follows.
        if (!trim())
            return false;
        const Words& own_literals = literals_[static_cast<unsigned char>(c)];
        const Words& literals = own_literals.empty() ? no_literals_ : own_literals;
        leave(active.data(), leaving.data(), advances_[class_of(c)].data(), literals.data(), stays_[class_of(c)].data(),
              stay_skips_.data(), low, high);
        leaving[low - 1] = 0;
        entered[low - 1] = 0;
        if (high < words)
            leaving[high++] = 0;
        shift(entered.data(), leaving.data(), low, high);
        enter(active.data(), entered.data(), skips_.data(), double_skips_.data(), low, high);
    }
    return trim();
}

bool GlobSet::matches(std::string_view name) const {
    bool any = false;
    find_each(name, [&](std::size_t) {
        any = true;
        return false;
    });
    return any;
}

void GlobSet::find_matches(std::string_view name, std::vector<bool>& matched) const {
    find_each(name, [&](std::size_t glob) {
        matched[glob] = true;
        return true;
    });
}

}  // namespace fardel
