// GlobSet: many globs, compiled so that one pass over a name finds those that match.
//
// A glob takes part if the name is long enough for it and begins and ends like it, as far as it begins and ends without
// wildcards. Those that do are run side by side, one bit for each of their elements, so the time for a name is at most
// its length times the number of elements by 64, however the stars stand. The globs may be hostile: kGlobSetBytesMax
// bounds a set that somebody else wrote. Any thread may match.
#pragma once

#include <fardel/base/result.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// All globs of one set that somebody else wrote: a policy's, the consumed patterns of a bundle.
inline constexpr std::size_t kGlobSetBytesMax = 64u << 10;

// Returns the text with which every match of every glob begins: what they have in common before the first wildcard.
std::string_view common_start(std::span<const std::string> globs);

class GlobSet {
public:
    GlobSet() = default;
    // A glob that verify_glob refuses matches nothing, as with glob_matches.
    explicit GlobSet(std::span<const std::string> globs);

    // Whether any glob matches the whole of the well-formed `name`, as glob_matches (name.h) defines.
    bool matches(std::string_view name) const;
    // Sets matched[i] for each glob i that matches; `matched` has one element per glob.
    void find_matches(std::string_view name, std::vector<bool>& matched) const;

private:
    using Words = std::vector<std::uint64_t>;
    struct Element;

    // What a name must have so that the glob takes part.
    struct Entry {
        std::string start;  // up to the first wildcard
        std::string end;    // after the last wildcard; empty if there is none
        std::size_t size_bytes_min = 0;
        std::size_t first = 0;  // its first element
        std::size_t last = 0;   // the element that stands for a match; kNoElement: the glob matches nothing
    };

    void resize(std::size_t words);
    void add_element(const Element& element);
    void add_glob(std::string_view glob);
    // Whether `entry` can match the name, by what is cheap to compare.
    static bool takes_part(const Entry& entry, std::string_view name) noexcept;
    // Calls take(glob) for each glob that matches, in ascending order, until it returns false.
    template <class Take>
    void find_each(std::string_view name, const Take& take) const;
    // Leaves the elements that wait after the whole name in `active`; returns whether there are any. `first`: the first
    // entry that takes part. All three have a word for each word of the set, and are 0.
    bool run(std::string_view name, const Entry& first, std::span<std::uint64_t> active,
             std::span<std::uint64_t> entered, std::span<std::uint64_t> leaving) const;

    // An element waits for the next byte of a name. Bit i of the words for a byte: element i then advances to element
    // i + 1, or stays. Most bytes differ only in their own literals, so the rest is by class of byte.
    static constexpr std::size_t kClasses = 3;
    std::array<Words, 256> literals_;  // empty: no glob has the byte
    Words no_literals_;
    std::array<Words, kClasses> advances_;
    std::array<Words, kClasses> stays_;
    Words skips_;         // entering the element enters the next one as well
    Words double_skips_;  // and the one after that
    Words stay_skips_;    // staying there enters the next one
    std::vector<Entry> entries_;
    std::size_t element_count_ = 0;
};

}  // namespace fardel
