// GlobSet: many globs, compiled so that one pass over a name finds those that match.
//
// All globs are run side by side, one bit for each of their elements, so the time for a name is at most its length
// times the number of elements by 64, however the stars stand. Names that no glob begins like end after their first
// bytes. The globs may be hostile: kGlobSetBytesMax bounds a set that somebody else wrote. Any thread may match.
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

    void add_element(const std::array<std::uint64_t, 4>& advances, const std::array<std::uint64_t, 4>& stays,
                     bool skipped, bool silent);
    void add_glob(std::string_view glob);
    void enter(Words& entered) const;
    // Leaves the elements that wait after the whole name in `active`; returns whether there are any.
    bool run(std::string_view name, Words& active) const;

    // An element waits for the next byte of a name. Bit i of the words for a byte: element i then advances to element
    // i + 1, or stays. The last element of each glob stands for a match.
    std::array<Words, 256> advances_;
    std::array<Words, 256> stays_;
    Words starts_;
    Words skips_;       // entering the element enters the next one as well
    Words stay_skips_;  // and so does staying there
    Words ends_;
    std::vector<std::size_t> end_of_;  // by glob; its element, or kNoElement
    std::size_t element_count_ = 0;
};

}  // namespace fardel
