// IgnoreFile: a .fardelignore, which says what of its folder is no content, by git's rules (gitignore(5)).
//
// One pattern per line. '#' begins a comment, '!' takes back what an earlier pattern excludes, '\\' takes the next
// character as it is. A '/' at the end matches folders only; one elsewhere ties the pattern to the folder of the file.
// '*' and '?' match within a part, [a-z] and [!a-z] one character, "**" as a whole part any parts. Pure; the text is
// hostile.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

inline constexpr std::string_view kIgnoreFileName = ".fardelignore";
inline constexpr std::size_t kIgnoreFileBytesMax = 64u << 10;

class IgnoreFile {
public:
    explicit IgnoreFile(std::string_view text);

    struct Pattern {
        std::string line;  // for people
        std::string glob;
        bool takes_back = false;
        bool folders_only = false;
        bool tied = false;  // to the folder of the file; otherwise it is matched with the last part
    };
    // Returns the last pattern that matches; nullptr if none does. `name` is relative to the folder of the file,
    // without
    // '/' at its end. Time: the size of the text × that of the name.
    const Pattern* find(std::string_view name, bool is_folder) const;

private:
    std::vector<Pattern> patterns_;
};

}  // namespace fardel
