// Checks that tests/ATTACKS.md names existing tests, for every row that needs them.
#include "arrows.h"

#include "kit/files.h"

#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace fardel::tests::attacks_test {

const std::filesystem::path kTests = std::filesystem::path(FARDEL_SOURCE_DIR) / "tests";

// A row of a table of tests: | A01 | `folder/file_test` | "name of the case" |
struct TestRow {
    std::string row;
    std::string file;
    std::string name;
};

std::optional<TestRow> find_test_row(const std::string& line) {
    static const std::regex form("\\| ([^|]*) \\| `([^`]*)` \\| \"(.*)\" \\|");
    static const std::regex parts("\\| ([a-z-]+) \\| (A[0-9]+(?: A[0-9]+)*) \\| `([^`]*)` \\| \"(.*)\" \\|");
    std::smatch found;
    if (std::regex_match(line, found, parts))
        return TestRow{found[2], found[3], found[4]};
    if (std::regex_match(line, found, form))
        return TestRow{found[1], found[2], found[3]};
    return std::nullopt;
}

// The names of all cases in a file of tests, or, in a file of defects, all literals: each defect is a case by its name.
std::set<std::string> names_in(const std::string& source, bool is_test) {
    static const std::regex continued("\"\\s*\n\\s*\"");
    static const std::regex test_case("TEST_CASE\\w*\\(\\s*(?:\\w+,\\s*)?\"((?:[^\"\\\\]|\\\\.)*)\"");
    static const std::regex literal("\"((?:[^\"\\\\]|\\\\.)*)\"");
    const std::string text = std::regex_replace(source, continued, "");
    std::set<std::string> names;
    for (std::sregex_iterator at(text.begin(), text.end(), is_test ? test_case : literal), end; at != end; ++at) {
        static const std::regex escaped("\\\\(.)");
        names.insert(std::regex_replace((*at)[1].str(), escaped, "$1"));
    }
    return names;
}

// What is wrong with the rows of tests in a page; `read` returns the text of a file below tests/, "" if there is none.
template <class Read>
std::vector<std::string> wrong_rows(const std::string& page, const Read& read) {
    std::vector<std::string> wrong;
    std::map<std::string, std::set<std::string>> names;
    std::istringstream in(page);
    for (std::string line; std::getline(in, line);) {
        const auto row = find_test_row(line);
        if (!row) {
            if (line.starts_with("| ") && (line.find("_test`") != std::string::npos || line.ends_with("\" |")))
                wrong.push_back("not a row of a test: " + line);
            continue;
        }
        if (!names.contains(row->file))
            names[row->file] = names_in(read(row->file + ".cpp"), row->file.ends_with("_test"));
        if (!names[row->file].contains(row->name))
            wrong.push_back(row->file + " has no case \"" + row->name + "\"");
    }
    return wrong;
}

// What is wrong with the rows of docs/pure-mode.md | bypass | here | `folder/file_test` "a part of a name", … |, where
// "all" stands for all cases of a file, and a row whose `here` says that nothing prevents it needs none. `bypasses`:
// the number of rows.
template <class ReadTest, class Read>
std::vector<std::string> wrong_bypasses(const std::string& table, const ReadTest& read_test, const Read& read,
                                        std::size_t& bypasses) {
    static const std::regex row("\\| ([^|]+) \\| ([^|]+) \\| ([^|]*) ?\\|");
    static const std::regex part("`([^`]+)`|\"([^\"]+)\"|\\ball\\b");
    std::vector<std::string> wrong;
    std::istringstream in(table);
    for (std::string line; std::getline(in, line);) {
        std::smatch cells;
        if (!std::regex_match(line, cells, row) || line.starts_with("| ---") || line.starts_with("| bypass |"))
            continue;
        ++bypasses;
        const std::string tests = cells[3];
        std::string file;
        std::set<std::string> names;
        std::size_t named = 0;
        for (std::sregex_iterator at(tests.begin(), tests.end(), part), end; at != end; ++at) {
            if ((*at)[1].matched) {
                file = (*at)[1];
                names = file.ends_with("_test") ? names_in(read_test(file + ".cpp"), true)
                                                : std::set<std::string>{read(file)};
                continue;
            }
            const std::string name = (*at)[2];
            const auto has_it = [&](const std::string& one) { return one.find(name) != std::string::npos; };
            ++named;
            if (std::none_of(names.begin(), names.end(), has_it))
                wrong.push_back(cells[1].str() + ": " + file + " has no case with \"" + name + "\"");
        }
        if (named == 0 && cells[2].str().find("nothing prevents") == std::string::npos)
            wrong.push_back(cells[1].str() + ": names no test");
    }
    return wrong;
}

// Returns the text of a file of tests, "" if there is none. Its room may be left out: `vfs/scope_test.cpp` is in
// tests/vfs/lookup/.
std::string find_test_text(const std::filesystem::path& file) {
    namespace fs = std::filesystem;
    const fs::path path = kTests / file;
    if (fs::exists(path))
        return fardel::tests::read_file(path);
    std::error_code ignored;
    for (const auto& room : fs::directory_iterator(path.parent_path(), ignored))
        if (fs::exists(room.path() / path.filename(), ignored))
            return fardel::tests::read_file(room.path() / path.filename());
    return "";
}

TEST_CASE("attacks: each class has a test that exists, or a reason why it has none") {
    const std::string page = fardel::tests::read_file(kTests / "ATTACKS.md");
    std::map<std::string, int> cases;  // by class
    std::set<std::string> excused;
    std::istringstream in(page);
    for (std::string line; std::getline(in, line);) {
        if (!line.starts_with("| A"))
            continue;
        const std::string row = line.substr(2, line.find(' ', 2) - 2);
        const auto test = find_test_row(line);
        cases[row] += test && test->row == row ? 1 : 0;
        if (line.starts_with("| " + row + " | none: "))
            excused.insert(row);
    }
    const std::pair<int, int> ranges[] = {{1, 34}, {40, 95}, {100, 162}, {171, 172}};
    std::size_t rows = 0;
    for (const auto& range : ranges)
        for (int row = range.first; row <= range.second; ++row, ++rows) {
            const std::string name = (row < 10 ? "A0" : "A") + std::to_string(row);
            CHECK_MESSAGE((cases[name] > 0) != excused.contains(name), name);
        }
    CHECK(cases.size() == rows);
}

TEST_CASE("attacks: every row of a test has the exact name of a case that exists") {
    for (const std::string& wrong : wrong_rows(fardel::tests::read_file(kTests / "ATTACKS.md"), find_test_text))
        FAIL_CHECK(wrong);
}

TEST_CASE("attacks: every file of the source that the pages name exists") {
    const std::string source = FARDEL_SOURCE_DIR;
    std::set<std::string> endings;  // "vfs/lookup/resolve.cpp": also "lookup/resolve.cpp" and "resolve.cpp"
    std::vector<std::string> folders = fardel::arrows::product_folders();
    folders.insert(folders.end(), {"samples", "tests"});
    for (const std::string& folder : folders)
        for (const auto& entry : std::filesystem::recursive_directory_iterator(source + "/" + folder)) {
            std::string path = entry.path().lexically_relative(source).string();
            for (std::size_t at = 0; at != std::string::npos; at = path.find('/')) {
                path.erase(0, at == 0 ? 0 : at + 1);
                endings.insert(path);
            }
        }
    static const std::regex named("`([A-Za-z0-9_/.-]+\\.(?:cpp|h))`");
    for (const char* const page : {"/tests/ATTACKS.md", "/docs/threat-model.md"}) {
        const std::string text = fardel::tests::read_file(source + page);
        std::size_t files = 0;
        for (std::sregex_iterator at(text.begin(), text.end(), named), end; at != end; ++at, ++files)
            if (!endings.contains((*at)[1].str()))
                FAIL_CHECK((std::string(page) + " names " + (*at)[1].str()));
        CHECK(files > 20);
    }
}

TEST_CASE("pure mode: each bypass in its table has tests that exist, or says that nothing prevents it") {
    const std::string source = FARDEL_SOURCE_DIR;
    const std::string page = fardel::tests::read_file(source + "/docs/pure-mode.md");
    const std::size_t begin = page.find("## Bypasses of earlier schemes");
    REQUIRE(begin != std::string::npos);
    const auto read = [&](const std::string& file) {
        const std::string path = source + "/" + file;
        return std::filesystem::exists(path) ? fardel::tests::read_file(path) : std::string();
    };
    std::size_t bypasses = 0;
    for (const std::string& wrong : wrong_bypasses(page.substr(begin), find_test_text, read, bypasses))
        FAIL_CHECK(wrong);
    CHECK(bypasses >= 20);
}

TEST_CASE("pure mode: a bypass whose test is misspelt, in another file or missing is found") {
    const auto read_test = [](const std::string& file) -> std::string {
        return file == "a/x_test.cpp" ? "TEST_CASE(\"pure: one, two\") {}\nTEST_CASE(\"pure: three\") {}\n" : "";
    };
    const auto wrong = [&](const std::string& tests) {
        std::size_t bypasses = 0;
        const auto read = [](const std::string&) { return std::string(); };
        return wrong_bypasses("| bypass | here | test |\n| --- | --- | --- |\n| a | b | " + tests + " |\n", read_test,
                              read, bypasses)
            .size();
    };
    CHECK(wrong("`a/x_test` \"one, two\"") == 0);
    CHECK(wrong("`a/x_test` \"one\", \"three\"") == 0);
    CHECK(wrong("`a/x_test` all") == 0);
    CHECK(wrong("`a/x_test` \"one, too\"") == 1);
    CHECK(wrong("`a/x_test` \"one\", \"four\"") == 1);
    CHECK(wrong("`a/y_test` \"one\"") == 1);
    CHECK(wrong("`a/y_test` all") == 1);
    CHECK(wrong("\"one\"") == 1);
    CHECK(wrong("`a/x_test`") == 1);
    CHECK(wrong("") == 1);
}

TEST_CASE("attacks: a name that is cut, misspelt or in another file is found, and so is a row of another form") {
    const auto read = [](const std::string& file) -> std::string {
        if (file == "a/x_test.cpp")
            return "// TEST\nTEST_CASE(\"x: one \\\"word\\\"\") {\n CHECK(a == \"no case\"); }\nTEST_CASE(\n    \"x: "
                   "in \"\n "
                   "   \"two\") {}\n";
        return file == "a/y_defects.cpp" ? "{\"is odd\", \"value\"}" : "";
    };
    const auto wrong = [&](const std::string& line) { return wrong_rows(line + "\n", read).size(); };
    CHECK(wrong("| A01 | `a/x_test` | \"x: one \"word\"\" |") == 0);
    CHECK(wrong("| A01 | `a/x_test` | \"x: in two\" |") == 0);
    CHECK(wrong("| jobs | A01 A02 | `a/x_test` | \"x: in two\" |") == 0);
    CHECK(wrong("| A01 | `a/y_defects` | \"is odd\" |") == 0);
    CHECK(wrong("| A01 | `a/x_test` | \"x: in\" |") == 1);
    CHECK(wrong("| A01 | `a/x_test` | \"no case\" |") == 1);
    CHECK(wrong("| A01 | `a/y_defects` | \"is\" |") == 1);
    CHECK(wrong("| A01 | `a/z_test` | \"x: in two\" |") == 1);
    CHECK(wrong("| A01 | `a/x_test` | x: in two |") == 1);
    CHECK(wrong("| A01 | a test | \"x: in two\" |") == 1);
}

}  // namespace fardel::tests::attacks_test
