// Checks that a build of what sanitizers leave out has every test that does less under them (cmake/FardelTests.cmake).
#include "arrows.h"
#include "kit/files.h"

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace fardel::tests::sanitizers_test {

namespace fs = std::filesystem;

using Names = std::set<std::string>;

// By path, the names of the files that a file of tests/ includes.
std::map<fs::path, Names> read_includes() {
    std::map<fs::path, Names> includes;
    for (const auto& entry : fs::recursive_directory_iterator(FARDEL_SOURCE_DIR "/tests")) {
        if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp")
            continue;
        for (const arrows::Include& include : arrows::includes_of(read_file(entry.path())))
            includes[entry.path()].insert(fs::path(include.header).filename());
    }
    return includes;
}

bool any_in(const Names& some, const Names& others) {
    for (const std::string& name : some)
        if (others.contains(name))
            return true;
    return false;
}

// The headers of tests that lead to base/sanitizers.h and that a test includes.
Names headers_that_ask() {
    const auto includes = read_includes();
    Names asking = {"sanitizers.h"};
    for (std::size_t before = 0; before != asking.size();) {
        before = asking.size();
        for (const auto& [path, names] : includes)
            if (path.extension() == ".h" && any_in(names, asking))
                asking.insert(path.filename());
    }
    Names included;
    for (const auto& [path, names] : includes)
        if (path.stem().string().ends_with("_test"))
            included.insert(names.begin(), names.end());
    std::erase_if(asking, [&](const std::string& name) { return !included.contains(name); });
    return asking;
}

TEST_CASE("sanitizers: the headers by which a test does less are those that the build looks for") {
    const std::string text = read_file(FARDEL_SOURCE_DIR "/cmake/FardelTests.cmake");
    const std::size_t from = text.find("string(CONCAT FARDEL_LESS_UNDER_SANITIZERS");
    REQUIRE(from != text.npos);
    const std::string list = text.substr(from, text.find("[.]h", from) - from);
    static const std::regex name("[a-z]+(_[a-z]+)*(?=[\"|)])");
    Names listed = {"sanitizers.h"};
    for (std::sregex_iterator at(list.begin(), list.end(), name), end; at != end; ++at)
        listed.insert(at->str() + ".h");
    const Names asking = headers_that_ask();
    for (const std::string& header : asking) {
        INFO("not listed: " << header);
        CHECK(listed.contains(header));
    }
    for (const std::string& header : listed) {
        INFO("listed without need: " << header);
        CHECK(asking.contains(header));
    }
}

}  // namespace fardel::tests::sanitizers_test
