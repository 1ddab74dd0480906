// What sources have and a bundle or a mount has not, for every verb that meets it: text with long lists cut, and JSON.
#pragma once

#include "console/console.h"
#include "console/json.h"

#include <fardel/sources/scan_report.h>
#include <fardel/vfs/vfs.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

inline constexpr std::size_t kLeftOutShownMax = 10;  // of each kind; --json has all

// One line with the counts, then each kind with its first files. Empty if nothing is left out.
std::string format_left_out(const ScanReport& report, const Console& console,
                            std::string_view more = "; --json lists all");

// Sets the complete lists: refused, overridden, excluded, renamed, remarks.
void set_left_out(Json& json, const ScanReport& report);

// One file of a report that became no entry of its name.
struct LeftOutFile {
    std::string origin;
    std::string kind;      // "not packed", "hidden", "excluded"
    std::string reason;    // why, or by what
    bool is_lost = false;  // nobody meant it
};
std::vector<LeftOutFile> left_out_files(const ScanReport& report);

// Says on standard error what mounted folders and archives have and the tree has not.
void say_left_out(const Vfs& vfs, Console& console);

// Sets `left_out`: per mounted folder or archive that has left out something, its label and the lists.
void set_left_out(Json& json, const Vfs& vfs);

// Why a path of the tree is not there although a mounted folder or archive has such a file, ignoring case and whether
// folders end in '/' or '\\'; none: nothing of that name was left out.
std::optional<std::string> find_left_out(const Vfs& vfs, std::string_view path);

}  // namespace fardel
