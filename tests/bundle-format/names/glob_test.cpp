#include <fardel/format/limits.h>
#include <fardel/format/name.h>

#include "kit/test.h"
#include "name_vectors.h"

namespace fardel::tests::glob_test {

std::vector<std::string_view> parts_of(std::string_view text) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t slash = text.find('/');
        parts.push_back(text.substr(0, slash));
        if (slash == text.npos)
            return parts;
        text.remove_prefix(slash + 1);
    }
}

// The definition of docs/names.md as a recursion, for ASCII: exponential, but easy to check by reading.
bool part_matches_slowly(std::string_view pattern, std::string_view part) {
    if (pattern.empty())
        return part.empty();
    if (pattern.front() == '*')
        return part_matches_slowly(pattern.substr(1), part) ||
               (!part.empty() && part_matches_slowly(pattern, part.substr(1)));
    return !part.empty() && (pattern.front() == '?' || pattern.front() == part.front()) &&
           part_matches_slowly(pattern.substr(1), part.substr(1));
}

bool matches_slowly(std::span<const std::string_view> pattern, std::span<const std::string_view> name) {
    if (pattern.empty())
        return name.empty();
    if (pattern.front() == "**") {
        if (pattern.size() == 1)
            return !name.empty();
        return matches_slowly(pattern.subspan(1), name) || (!name.empty() && matches_slowly(pattern, name.subspan(1)));
    }
    return !name.empty() && part_matches_slowly(pattern.front(), name.front()) &&
           matches_slowly(pattern.subspan(1), name.subspan(1));
}

std::string repeated(std::string_view piece, std::size_t count) {
    std::string text;
    for (; count > 0; --count)
        text += piece;
    return text;
}

TEST_CASE("glob: the vectors of docs/names.md hold") {
    for (const std::string& line : read_name_vectors("name-glob")) {
        CAPTURE(line);
        const std::size_t first = line.find(' '), second = line.rfind(' ');
        const std::string pattern = line.substr(first + 1, second - first - 1), name = line.substr(second + 1);
        CHECK(fardel::verify_name(name));
        CHECK(glob_matches(pattern, name) == line.starts_with("yes "));
        if (line.starts_with("yes "))
            CHECK(verify_glob(pattern));
    }
}

TEST_CASE("glob: '*' matches only within a part") {
    CHECK(glob_matches("*", "a"));
    CHECK(glob_matches("*", ".hidden"));
    CHECK_FALSE(glob_matches("*", "a/b"));
    CHECK(glob_matches("*/*", "a/b"));
    CHECK(glob_matches("a*c", "ac"));
    CHECK(glob_matches("a*c", "abbc"));
    CHECK(glob_matches("a*c", "acbc"));
    CHECK_FALSE(glob_matches("a*c", "acb"));
    CHECK_FALSE(glob_matches("a*c", "a/c"));
    CHECK(glob_matches("*.tga", ".tga"));
    CHECK(glob_matches("*a*b*c*", "xxaxxbxxcxx"));
    CHECK_FALSE(glob_matches("*a*b*c*", "xxaxxcxxbxx"));
}

TEST_CASE("glob: '?' matches one character, however many bytes it has") {
    CHECK(glob_matches("?", "a"));
    CHECK(glob_matches("?", "地"));
    CHECK(glob_matches("??", "é\U0001f600"));
    CHECK_FALSE(glob_matches("??", "é"));
    CHECK_FALSE(glob_matches("?", "a/b"));
    CHECK_FALSE(glob_matches("a?b", "a/b"));
    CHECK_FALSE(glob_matches("a?", "a"));
    CHECK(glob_matches("*?", "地"));
    CHECK_FALSE(glob_matches("*??", "地"));
}

TEST_CASE("glob: '**' matches any number of whole parts") {
    CHECK(glob_matches("**", "a/b/c"));
    CHECK(glob_matches("**/**", "a"));
    CHECK(glob_matches("a/**/**", "a/b"));
    CHECK_FALSE(glob_matches("a/**/**", "a"));
    CHECK(glob_matches("**/a/**/b/**", "a/b/c"));
    CHECK(glob_matches("**/a/**/b/**", "x/a/y/b/a/b/c"));
    CHECK_FALSE(glob_matches("**/a/**/b/**", "a/b"));
    CHECK(glob_matches("**/*.tga", "water.tga"));
    CHECK(glob_matches("**/*.tga", "textures/base/water.tga"));
    CHECK_FALSE(glob_matches("**/*.tga", "textures/base/water.tga/x"));
    CHECK(glob_matches("textures/**/*.tga", "textures/water.tga"));
    CHECK_FALSE(glob_matches("textures/**/*.tga", "Textures/water.tga"));
}

TEST_CASE("glob: a pattern for one folder matches nothing outside of it") {  // A69
    for (const std::string_view name : {"core/x", "maps", "maps2/x", "MAPS/x", "x/maps/y", "map/s"}) {
        CHECK_FALSE(glob_matches("maps/*", name));
        CHECK_FALSE(glob_matches("maps/**", name));
    }
    CHECK_FALSE(fardel::verify_name("maps/../core"));  // so glob_matches never gets such a name
}

TEST_CASE("glob: an ill-formed pattern is refused and matches nothing") {
    using namespace std::string_view_literals;
    for (const std::string_view pattern :
         {""sv,     "/"sv,     "/a"sv,    "a/"sv,    "a//b"sv,    "."sv,         ".."sv,      "a/../b"sv,  "a**"sv,
          "**a"sv,  "a/**b"sv, "***"sv,   "****"sv,  "a/***/b"sv, "a\\*"sv,      "a:b"sv,     "a\nb"sv,    "a\0b"sv,
          "\xff"sv, "\xc3*"sv, "\xc3?"sv, "*\xa9"sv, "?\xa9"sv,   "\xc3?\xa9"sv, "e\u0301"sv, "a\u202e*"sv}) {
        CAPTURE(fardel::printable(pattern));
        CHECK(code_of(verify_glob(pattern)) == ErrorCode::malformed);
        for (const std::string_view name : {"a", "b", "a/b", "a/x/b", "ab", "é", "\u00e9\u00e9", "e", "axb", "a*"})
            CHECK_FALSE(glob_matches(pattern, name));
    }
    const std::string longest = repeated("a/", 511) + "**";
    CHECK(longest.size() == fardel::limits::kNameBytesMax);
    CHECK(verify_glob(longest));
    CHECK(verify_glob(longest + "/").error().code() == ErrorCode::limit);
    const std::string stars = repeated("*a", 512) + "*";
    CHECK(verify_glob(stars).error().code() == ErrorCode::limit);
    CHECK_FALSE(glob_matches(stars, std::string(600, 'a')));
    CHECK(verify_glob("a//b").error().message() == "glob has an empty part at byte 2");
    CHECK(verify_glob("a/**b").error().message() == "glob has \"**\" that is not a whole part (between '/')");
    CHECK(verify_glob("a\\b").error().message() == "glob has a back slash (parts are separated by '/') at byte 1");
}

TEST_CASE("glob: patterns may contain all characters of names, and only '*' and '?' are special") {
    for (const std::string_view text : {"[a]", "{a,b}", "!a", "a b", "a-z", "^a$", "#1", "con", "a."}) {
        CHECK(verify_glob(text));
        CHECK(glob_matches(text, text));
    }
    CHECK_FALSE(glob_matches("[a]", "a"));
    CHECK_FALSE(glob_matches("{a,b}", "a"));
    CHECK_FALSE(glob_matches("a-c", "b"));
}

TEST_CASE("glob: random patterns match what the definition says") {
    FARDEL_RANDOM(random);
    std::size_t matched = 0;
    for (int round = 0; round < 200'000; ++round) {
        std::string pattern, name;
        for (std::size_t parts = 1 + random() % 4; parts > 0; --parts) {
            pattern += pattern.empty() ? "" : "/";
            if (random() % 3 == 0) {
                pattern += "**";
                continue;
            }
            char last = '\0';
            for (std::size_t left = 1 + random() % 3; left > 0; --left) {
                char next = "aabb*?"[random() % 6];
                if (next == '*' && last == '*')
                    next = 'a';
                pattern += last = next;
            }
        }
        for (std::size_t parts = 1 + random() % 4; parts > 0; --parts) {
            name += name.empty() ? "" : "/";
            for (std::size_t left = 1 + random() % 3; left > 0; --left)
                name += "ab"[random() % 2];
        }
        CAPTURE(pattern);
        CAPTURE(name);
        const bool expected = matches_slowly(parts_of(pattern), parts_of(name));
        CHECK(verify_glob(pattern));
        CHECK(glob_matches(pattern, name) == expected);
        matched += expected;
    }
    CHECK(matched > 10'000);
}

TEST_CASE("glob: the cost of a hostile pattern is at most its length times that of the name") {
    // Each would take a backtracking matcher longer than the age of the universe. All together: about 10 ms.
    const std::string run(255, 'a');
    const std::string deep = repeated("a/", 511) + "a";
    const struct {
        std::string pattern, name;
    } cases[] = {
        {repeated("*a", 127) + "*b", run},
        {repeated("*a", 511) + "*b", std::string(1024, 'a')},
        {repeated("*?", 500) + "b", std::string(1024, 'a')},
        {repeated("**/a/", 200) + "b", deep},
        {repeated("**/*a*/", 140) + "b", deep},
        {repeated("**/", 300) + "b", deep},
        {repeated("*/", 300) + "**/b", deep},
        {repeated("**/*a*a*a*a*a*b/", 60) + "b", repeated(std::string(200, 'a') + "/", 5) + "a"},
    };
    const auto start = std::chrono::steady_clock::now();
    for (const auto& hostile : cases)
        CHECK_FALSE(glob_matches(hostile.pattern, hostile.name));
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));  // also under sanitizers
}

}  // namespace fardel::tests::glob_test
