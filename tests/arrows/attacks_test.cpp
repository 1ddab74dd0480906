// Checks that tests/ATTACKS.md names existing tests, for every row that needs them.
#include <doctest/doctest.h>

#include "kit/files.h"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>

namespace {

const std::string kTests = std::string(FARDEL_SOURCE_DIR) + "/tests/";

// Returns the file's text; string literals that continue on the next line are joined.
std::string read(const std::string& path) {
    static const std::regex continued("\"\\s*\n\\s*\"");
    return std::regex_replace(fardel::tests::read_file(path), continued, "");
}

// Returns the text between `from` and the next `end`, and moves `from` behind it.
std::string take(std::string_view text, std::size_t& from, char end) {
    const std::size_t stop = text.find(end, from);
    REQUIRE(stop != std::string_view::npos);
    std::string taken(text.substr(from, stop - from));
    from = stop + 1;
    return taken;
}

// Checks that the file contains the words of each `folder/file_test` "case" of a line. Returns the number of cases.
int check_cases(std::string_view line) {
    int cases = 0;
    std::string file;
    for (std::size_t at = 0; at < line.size();) {
        const char c = line[at++];
        if (c == '`') {
            const std::string word = take(line, at, '`');
            const bool is_test = word.ends_with("_test") || word.ends_with("_defects");
            file = is_test && word.find('/') != std::string::npos ? kTests + word + ".cpp" : "";
        } else if (c == '"' && !file.empty()) {
            const std::string words = take(line, at, '"');
            CAPTURE(file);
            CHECK_MESSAGE(read(file).find('"' + words) != std::string::npos, words);
            ++cases;
        }
    }
    return cases;
}

}  // namespace

TEST_CASE("attacks: each class has a test that exists, or a reason why it has none") {
    std::ifstream in(kTests + "ATTACKS.md");
    std::map<std::string, int> cases;  // by row
    std::set<std::string> excused;
    for (std::string line; std::getline(in, line);) {
        const int found = check_cases(line);
        if (!line.starts_with("| A"))
            continue;
        const std::string row = line.substr(2, line.find(' ', 2) - 2);
        cases[row] += found;
        if (line.starts_with("| " + row + " | none: "))
            excused.insert(row);
    }
    const std::pair<int, int> ranges[] = {{1, 34}, {40, 95}, {100, 138}};
    std::size_t rows = 0;
    for (const auto& range : ranges)
        for (int row = range.first; row <= range.second; ++row, ++rows) {
            const std::string name = (row < 10 ? "A0" : "A") + std::to_string(row);
            CHECK_MESSAGE((cases[name] > 0) != excused.contains(name), name);
        }
    CHECK(cases.size() == rows);
}
