// Compares the rooms of the folders, as docs/architecture.md shows them, with the #include lines.
//
// A room is a folder inside a folder. The document has a table per folder ("### packer" below "## Rooms"):
// | `scan/` | purpose | `text/`, … |. The third cell lists the rooms that its files may include; `(root)` stands for
// the files that are in no room. A folder without a row for its root lets the root include every room.
#pragma once

#include "arrows.h"

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fardel::arrows {

// By folder, then by room: the rooms that it may include.
using RoomArrows = std::map<std::string, std::map<std::string, std::set<std::string>>>;

inline constexpr std::string_view kRootRoom = "(root)";

// The table "folder | may include |" below "## Floors": by folder, the folders that it may include. A row that says
// "everything" is left out.
std::map<std::string, std::set<std::string>> parse_folders(std::string_view markdown);

// Reads the tables below "## Rooms" of a Markdown text.
RoomArrows parse_rooms(std::string_view markdown);

// Returns rooms that only the tree or only the document has, arrows that the document lacks, arrows that no include
// uses, and circles. A public or internal header is in the room of the source file with its name; one without a source
// file is in no room, and every room may include it.
std::vector<Finding> check_rooms(const std::filesystem::path& root, const RoomArrows& documented);

}  // namespace fardel::arrows
