#include "completion.h"

#include <algorithm>
#include <array>

namespace fardel {
namespace {

// Values that are nothing on the disk, and that no shell can know.
constexpr std::array<std::string_view, 17> kTexts = {"AXIS",  "CLASSES", "DAY",  "GLOB", "HASH",    "ID",
                                                     "LABEL", "LIST",    "N",    "NAME", "PERCENT", "ROLE",
                                                     "SIZE",  "TEXT",    "TIME", "URL",  "VERSION"};
constexpr std::array<std::string_view, 3> kFolders = {"DIR", "FOLDER", "TREE"};

}  // namespace

std::string candidate(std::string_view word, std::string_view description, std::string_view current) {
    if (!word.starts_with(current))
        return "";
    constexpr std::size_t kDescriptionMax = 60;
    std::string_view first = description.substr(0, std::min(description.find_first_of(";:("), description.find(". ")));
    if (first.size() > kDescriptionMax)
        first = first.substr(0, first.rfind(' ', kDescriptionMax));
    first = first.substr(0, first.find_last_not_of(" ,.") + 1);
    return std::string(word) + (first.empty() ? "" : "\t") + std::string(first) + "\n";
}

std::string complete_value(std::string_view value) {
    if (std::ranges::find(kFolders, value) != kFolders.end())
        return ":folders\n";
    const std::string_view first = value.substr(0, value.find_first_of("=:[|"));
    return value.empty() || std::ranges::find(kTexts, first) != kTexts.end() ? "" : ":files\n";
}

}  // namespace fardel
