#include <fardel/format/glob_set.h>

#include <fardel/format/name.h>

#include "kit/test.h"

namespace fardel::tests::glob_set_test {

bool set_matches(const std::string& glob, std::string_view name) { return GlobSet(std::vector{glob}).matches(name); }

TEST_CASE("glob set: one glob matches what glob_matches says") {
    const char* const globs[] = {"a",      "a/b",      "*",       "**",     "a/**", "**/b",    "**/*.cfg", "a/**/b",
                                 "a/*/b",  "?",        "a?c",     "?*",     "*a*",  "**/a?/*", "**/**/b",  "a/**/**",
                                 "\u00e9", "?/\u00e9", "*\u00e9", "a/b/**", "**/?", "*/*",     "a*/**/b*c"};
    const char* const names[] = {"a",       "b",     "a/b",      "ab",     "a/x/b",    "a/x/y/b", "x.cfg",
                                 "d/x.cfg", "abc",   "a\u00e9c", "\u00e9", "x/\u00e9", "a\u00e9", "ab/bc",
                                 "a/aa/q",  "a/b/c", "ac/xb",    "ac/bxc", "a/y/bqc",  "aa/b/b"};
    for (const char* const glob : globs)
        for (const char* const name : names) {
            CAPTURE(glob);
            CAPTURE(name);
            CHECK(set_matches(glob, name) == glob_matches(glob, name));
        }
}

TEST_CASE("glob set: many random globs match what glob_matches says of each") {
    FARDEL_RANDOM(random);
    const auto text = [&](std::string_view alphabet, std::size_t length_max) {
        std::string made;
        for (std::size_t i = 0; i <= random() % length_max; ++i)
            made += alphabet[random() % alphabet.size()];
        return made;
    };
    for (int round = 0; round < 200; ++round) {
        std::vector<std::string> globs;
        for (int i = 0; i < 20; ++i) {
            std::string glob = text("ab*?/", 12);
            for (std::size_t at; (at = glob.find("***")) != std::string::npos;)
                glob.erase(at, 1);
            globs.push_back(glob);  // some are malformed
        }
        const GlobSet set(globs);
        for (int i = 0; i < 20; ++i) {
            const std::string name = text("ab/", 10);
            if (!verify_name(name))
                continue;
            std::vector<bool> matched(globs.size());
            set.find_matches(name, matched);
            bool any = false;
            for (std::size_t glob = 0; glob < globs.size(); ++glob) {
                CAPTURE(globs[glob]);
                CAPTURE(name);
                const bool expected = verify_glob(globs[glob]) && glob_matches(globs[glob], name);
                CHECK(matched[glob] == expected);
                any = any || expected;
            }
            CHECK(set.matches(name) == any);
        }
    }
}

// A128
TEST_CASE("glob set: the costliest globs of a full set take a bounded time per name") {
    std::vector<std::string> globs;
    for (std::size_t bytes = 0; bytes < kGlobSetBytesMax;) {
        std::string glob = "mods/";
        while (glob.size() < 950)
            glob += "*a";
        globs.push_back(glob + "*" + std::to_string(globs.size()));
        bytes += globs.back().size();
    }
    const GlobSet set(globs);
    const std::string name = "mods/" + std::string(100, 'a') + "x";
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 20; ++i)
        CHECK_FALSE(set.matches(name));
    // Some 10 ms, and 100 times that under a sanitizer on a busy machine; a search that tries all ways would take
    // years.
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
}

TEST_CASE("glob set: what names must begin and end with, and how long they must be, excludes no match") {
    const char* const globs[] = {"**/x", "a/**/b", "a/**/**/b", "a/**",       "**",  "*",
                                 "a*a",  "ab*b",   "?",         "*?",         "?*x", "a/*/b",
                                 "*/**", "**/*.x", "a?b",       "\xc3\xa4?b", "ab",  "**/a/**"};
    const char* const names[] = {"x",
                                 "a/x",
                                 "a/b",
                                 "a/c/b",
                                 "a/c/d/b",
                                 "a/xb",
                                 "aa",
                                 "a",
                                 "ab",
                                 "abb",
                                 "a/.x",
                                 "b.x",
                                 "aab",
                                 "a\xc3\xa4"
                                 "b",
                                 "\xc3\xa4\xc3\xa4"
                                 "b",
                                 "\xc3\xa4",
                                 "b/a/c"};
    for (const std::string glob : globs)
        for (const std::string_view name : names) {
            CAPTURE(glob);
            CAPTURE(name);
            CHECK(GlobSet(std::vector<std::string>{glob}).matches(name) == glob_matches(glob, name));
        }
}

// A128
TEST_CASE("glob set: compiling the costliest globs of a full set, and names that miss them, take a bounded time") {
    std::vector<std::string> globs;
    for (std::size_t bytes = 0; bytes < kGlobSetBytesMax;) {
        std::string glob = "mods/";
        while (glob.size() < 950)
            glob += "*a";
        globs.push_back(glob + "*" + std::to_string(globs.size()));
        bytes += globs.back().size();
    }
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 100; ++i)
        CHECK_FALSE(GlobSet(globs).matches("a"));
    const GlobSet set(globs);
    const std::string name = "mods/" + std::string(100, 'a') + "7";
    for (int i = 0; i < 20'000; ++i)
        if (set.matches(name))
            FAIL_CHECK(i);
    // Together less than a second in a debug build; compiling element by element and byte by byte took half a minute.
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}

TEST_CASE("glob set: an empty set matches nothing") {
    CHECK_FALSE(GlobSet().matches("a"));
    CHECK_FALSE(GlobSet(std::vector<std::string>{"a//b", ""}).matches("a"));
}

}  // namespace fardel::tests::glob_set_test
