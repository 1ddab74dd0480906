#include "ignore_file.h"

#include "kit/test.h"

#include <tuple>

namespace fardel::tests::ignore_file_test {

bool ignores(std::string_view text, std::string_view name) {
    const bool is_folder = name.ends_with('/');
    const IgnoreFile file(text);
    const auto* const pattern = file.find(is_folder ? name.substr(0, name.size() - 1) : name, is_folder);
    return pattern != nullptr && !pattern->takes_back;
}

// The answers are those of git 2.39, `git check-ignore`.
TEST_CASE("ignore file: patterns mean what they mean to git") {
    for (const auto& row : std::vector<std::tuple<std::string_view, std::string_view, bool>>{
             {"*.psd", "a.psd", true},
             {"*.psd", "deep/in/a.psd", true},
             {"*.psd", "a.psd.txt", false},
             {"/a.txt", "a.txt", true},
             {"/a.txt", "b/a.txt", false},
             {"art/a.txt", "art/a.txt", true},
             {"art/a.txt", "x/art/a.txt", false},
             {"build/", "build/", true},
             {"build/", "build", false},
             {"build/", "x/build/", true},
             {"build", "build", true},
             {"art/*", "art/a", true},
             {"art/*", "art/b/c", false},
             {"art/**", "art/b/c", true},
             {"art/**", "art/", false},
             {"**/old", "old", true},
             {"**/old", "a/b/old", true},
             {"a/**/z", "a/z", true},
             {"a/**/z", "a/b/c/z", true},
             {"a/**/z", "a/bz", false},
             {"a**z", "abcz", true},
             {"x/a**z", "x/ab/cz", false},
             {"?.txt", "a.txt", true},
             {"?.txt", "ab.txt", false},
             {"[a-c].txt", "b.txt", true},
             {"[!a-c].txt", "b.txt", false},
             {"[!a-c].txt", "d.txt", true},
             {"[]x].txt", "].txt", true},
             {"[x.txt", "[x.txt", true},
             {"# comment", "# comment", false},
             {"\\#real", "#real", true},
             {"\\!real", "!real", true},
             {"a\\*b", "a*b", true},
             {"a\\*b", "axb", false},
             {"*.txt\n!keep.txt", "keep.txt", false},
             {"*.txt\n!keep.txt", "other.txt", true},
             {"!keep.txt\n*.txt", "keep.txt", true},
             {"a.txt  ", "a.txt", true},
             {"a\\ ", "a ", true},
             {"a.txt\r\nb.txt\r\n", "b.txt", true},
             {"\xef\xbb\xbf"
              "a.txt",
              "a.txt", true},
             {"", "a", false},
             {"/", "a", false},
         }) {
        const std::string_view text = std::get<0>(row);
        const std::string_view name = std::get<1>(row);
        CAPTURE(text);
        CAPTURE(name);
        CHECK(ignores(text, name) == std::get<2>(row));
    }
}

TEST_CASE("ignore file: a pattern of many stars takes little time") {
    std::string pattern;
    for (int i = 0; i < 1000; ++i)
        pattern += "*a";
    CHECK_FALSE(ignores(pattern + "b", std::string(500, 'a')));
}

}  // namespace fardel::tests::ignore_file_test
