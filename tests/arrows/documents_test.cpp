// Holds NOTICES.md to the libraries that are used, and CONTRIBUTING.md to the files that it names.

#include "kit/files.h"

#include <regex>
#include <set>
#include <sstream>

namespace fardel::tests::documents_test {

const std::filesystem::path kRoot = FARDEL_SOURCE_DIR;

std::set<std::string> matches_in(const std::string& text, const std::regex& form) {
    std::set<std::string> found;
    for (std::sregex_iterator at(text.begin(), text.end(), form), end; at != end; ++at)
        found.insert((*at)[1]);
    return found;
}

// The words between backticks.
std::set<std::string> code_words_of(const std::string& page) { return matches_in(page, std::regex("`([^`\n]+)`")); }

// The packages of one list in setup/install-dependencies: `name=(`, words and comments, `)`.
std::vector<std::string> packages_of(const std::string& script, const std::string& name) {
    std::vector<std::string> packages;
    std::istringstream lines(script);
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
        if (line == name + "=(") {
            inside = true;
        } else if (inside && line == ")") {
            break;
        } else if (inside) {
            std::istringstream words(line.substr(0, line.find('#')));
            for (std::string word; words >> word;)
                packages.push_back(word);
        }
    }
    return packages;
}

// The modules of pkg-config that FardelComponents.cmake asks for: set(FARDEL_PC_ZSTD "libzstd >= 1.5.0").
std::set<std::string> modules_of(const std::string& components) {
    return matches_in(components, std::regex("set\\(FARDEL_PC_[A-Z0-9]+ \"([^ \"]+)"));
}

// What a table says to touch: the first cell of each row, if it is one path in backticks.
std::set<std::string> paths_in_tables(const std::string& page) {
    return matches_in(page, std::regex("\n\\| `([^`]+)` \\|"));
}

TEST_CASE("documents: lists of packages and modules are read without their comments and versions") {
    const std::string script = "program=(\n    g++ cmake  # tools\n    liba-dev # a\n)\nshown=(\n    game\n)\n";
    CHECK(packages_of(script, "program") == std::vector<std::string>{"g++", "cmake", "liba-dev"});
    CHECK(packages_of(script, "shown") == std::vector<std::string>{"game"});
    CHECK(packages_of(script, "tools").empty());
    CHECK(modules_of("set(FARDEL_PC_A \"liba >= 1.2\")\nset(FARDEL_PC_B \"b\")\nset(FARDEL_base_NEEDS)\n") ==
          std::set<std::string>{"liba", "b"});
}

TEST_CASE("documents: NOTICES.md has the licence of each package and module that the program is built with") {
    const auto notices = code_words_of(fardel::tests::read_file(kRoot / "NOTICES.md"));
    const auto packages = packages_of(fardel::tests::read_file(kRoot / "setup/install-dependencies"), "program");
    CHECK(packages.size() > 10);
    for (const std::string& package : packages) {
        CAPTURE(package);
        CHECK(notices.contains(package));
    }
    const auto modules = modules_of(fardel::tests::read_file(kRoot / "cmake/FardelComponents.cmake"));
    CHECK(modules.size() > 5);
    for (const std::string& module : modules) {
        CAPTURE(module);
        CHECK(notices.contains(module));
    }
}

TEST_CASE("documents: each file that CONTRIBUTING.md says to touch exists") {
    const auto paths = paths_in_tables(fardel::tests::read_file(kRoot / "CONTRIBUTING.md"));
    CHECK(paths.size() > 20);
    for (const std::string& path : paths) {
        CAPTURE(path);
        CHECK(std::filesystem::exists(kRoot / path));
    }
}

}  // namespace fardel::tests::documents_test
