// Rules for the source tree: which folder may include which (docs/architecture.md), where third-party headers may
// appear, how files are named, and that each is built. It reads text and no preprocessor directives except #include
// lines, so an include that it cannot read is itself a finding.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fardel::arrows {

namespace fs = std::filesystem;

struct Include {
    std::size_t line = 0;
    char form = '?';     // '<', '"', or '?' when it is neither
    std::string header;  // for '?': the rest of the line
};

// The #include lines of a source, in their order.
std::vector<Include> includes_of(std::string_view text);

struct Finding {
    std::string file;      // relative to the root
    std::size_t line = 0;  // from 1; 0: the file as a whole
    std::string text;
};

// "vfs/mount.cpp:3: …"
std::string format_finding(const Finding& finding);

// By folder, the folders that its files may include; without those that may include everything.
std::map<std::string, std::set<std::string>> folder_arrows();

// The folders of the product, that is, without samples, tests and benchmarks.
std::vector<std::string> product_folders();

// Every finding about the tree under `root`, by file and line.
std::vector<Finding> check_tree(const std::filesystem::path& root);

}  // namespace fardel::arrows
