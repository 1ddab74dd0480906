#include "rooms.h"

#include "kit/files.h"

#include <iterator>
#include <regex>
#include <tuple>

namespace fardel::arrows {
namespace {

namespace fs = std::filesystem;

// Returns the words in backticks, without a trailing '/'.
std::vector<std::string> code_words_of(const std::string& cell) {
    static const std::regex word("`([^`]+?)/?`");
    std::vector<std::string> words;
    for (std::sregex_iterator found(cell.begin(), cell.end(), word), end; found != end; ++found)
        words.push_back((*found)[1]);
    return words;
}

std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells;
    for (std::size_t at = 1; at < line.size();) {
        const std::size_t end = std::min(line.find('|', at), line.size());
        cells.push_back(line.substr(at, end - at));
        at = end + 1;
    }
    return cells;
}

// ---- One folder -----------------------------------------------------------------------------------------------------

struct RoomFile {
    fs::path path;     // relative to the root of the repository
    std::string room;  // empty: a header that belongs to no room
};

// "byte_source" of byte_source_posix.cpp: a header has the stem of its source file.
std::string stem_of(const fs::path& path) {
    static const std::regex system("_(posix|linux|windows|none)$");
    return std::regex_replace(path.stem().string(), system, "");
}

bool is_source(const fs::path& path) { return path.extension() == ".cpp" || path.extension() == ".h"; }

class FolderCheck {
public:
    FolderCheck(const fs::path& root, std::string folder,
                const std::map<std::string, std::set<std::string>>& documented, std::vector<Finding>& findings)
        : root_(root), folder_(std::move(folder)), documented_(documented), findings_(findings) {}

    void check() {
        find_files();
        for (const auto& room : rooms_)
            if (room != kRootRoom && !documented_.contains(room))
                add(folder_ + "/" + room, 0, "docs/architecture.md has no row for this room");
        for (const RoomFile& file : files_)
            check_includes(file);
        for (const auto& [room, targets] : documented_)
            check_row(room, targets);
    }

private:
    void add(std::string file, std::size_t line, std::string text) {
        findings_.push_back({std::move(file), line, std::move(text)});
    }

    void find_files() {
        std::vector<fs::path> headers;
        for (fs::recursive_directory_iterator entry(root_ / folder_), end; entry != end; ++entry) {
            if (!entry->is_regular_file() || !is_source(entry->path()))
                continue;
            const fs::path path = entry->path().lexically_relative(root_);
            const std::vector<fs::path> parts(path.begin(), path.end());
            if (parts.size() > 3 && (parts[1] == "include" || parts[1] == "internal")) {
                headers.push_back(path);
                continue;
            }
            const std::string room = parts.size() > 2 ? parts[1].string() : std::string(kRootRoom);
            files_.push_back({path, room});
            rooms_.insert(room);
            if (path.extension() == ".cpp")
                room_of_stem_.emplace(stem_of(path), room);
        }
        for (const fs::path& path : headers) {
            const auto found = room_of_stem_.find(stem_of(path));
            files_.push_back({path, found == room_of_stem_.end() ? "" : found->second});
        }
    }

    void check_includes(const RoomFile& file) {
        for (const Include& include : includes_of(tests::read_file(root_ / file.path))) {
            const std::optional<std::string> target = find_room(file, include.header);
            if (!target || file.room.empty() || *target == file.room)
                continue;
            used_.emplace(file.room, *target);
            if (!may_reach(file.room, *target))
                add(file.path.generic_string(), include.line, file.room + " must not include " + *target);
        }
    }

    // Returns the room of an included header of this folder; nothing for a header of another folder or in no room.
    std::optional<std::string> find_room(const RoomFile& from, const std::string& header) const {
        const bool is_public = header.starts_with("fardel/");
        for (const fs::path& candidate :
             is_public ? std::vector<fs::path>{fs::path(folder_) / "include" / header,
                                               fs::path(folder_) / "internal" / header}
                       : std::vector<fs::path>{from.path.parent_path() / header, fs::path(folder_) / header}) {
            const auto found = std::ranges::find(files_, candidate, &RoomFile::path);
            if (found != files_.end() && !found->room.empty())
                return found->room;
        }
        return std::nullopt;
    }

    bool may_reach(const std::string& room, const std::string& target) const {
        const auto row = documented_.find(room);
        if (row == documented_.end())
            return room == kRootRoom;  // the root is above the rooms
        return row->second.contains(target);
    }

    void check_row(const std::string& room, const std::set<std::string>& targets) {
        const std::string where = "docs/architecture.md";
        if (!rooms_.contains(room))
            return add(where, 0, folder_ + " has no room " + room);
        for (const std::string& target : targets) {
            if (!used_.contains({room, target}))
                add(where, 0, folder_ + "/" + room + " includes nothing of " + target);
            if (std::set<std::string> passed; target == room || reaches(target, room, passed))
                add(where, 0, folder_ + ": " + room + " and " + target + " are in a circle");
        }
    }

    bool reaches(const std::string& from, const std::string& wanted, std::set<std::string>& passed) const {
        const auto row = documented_.find(from);
        if (row == documented_.end() || !passed.insert(from).second)
            return false;
        return row->second.contains(wanted) ||
               std::ranges::any_of(row->second, [&](const std::string& next) { return reaches(next, wanted, passed); });
    }

    const fs::path& root_;
    const std::string folder_;
    const std::map<std::string, std::set<std::string>>& documented_;
    std::vector<Finding>& findings_;
    std::vector<RoomFile> files_;
    std::set<std::string> rooms_;
    std::map<std::string, std::string> room_of_stem_;
    std::set<std::pair<std::string, std::string>> used_;
};

}  // namespace

std::map<std::string, std::set<std::string>> parse_folders(std::string_view markdown) {
    std::map<std::string, std::set<std::string>> arrows;
    bool inside = false;
    for (const std::string& line : tests::lines_of(markdown)) {
        inside = line == "| folder | may include |" || (inside && line.starts_with("|"));
        if (!inside || !line.starts_with("| `"))
            continue;
        const std::vector<std::string> cells = cells_of(line);
        if (cells.size() < 2 || cells[1].find("everything") != std::string::npos)
            continue;
        const std::vector<std::string> targets = code_words_of(cells[1]);
        for (const std::string& folder : code_words_of(cells[0]))
            arrows[folder] = {targets.begin(), targets.end()};
    }
    return arrows;
}

RoomArrows parse_rooms(std::string_view markdown) {
    RoomArrows arrows;
    bool inside = false;
    std::string folder;
    for (const std::string& line : tests::lines_of(markdown)) {
        if (line.starts_with("## "))
            inside = line == "## Rooms";
        else if (inside && line.starts_with("### "))
            folder = line.substr(4);
        if (!inside || folder.empty() || !line.starts_with("| `"))
            continue;
        const std::vector<std::string> cells = cells_of(line);
        const std::vector<std::string> room = code_words_of(cells[0]);
        if (room.size() != 1 || cells.size() < 3)
            continue;
        const std::vector<std::string> targets = code_words_of(cells[2]);
        arrows[folder][room[0]] = {targets.begin(), targets.end()};
    }
    return arrows;
}

std::vector<Finding> check_rooms(const fs::path& root, const RoomArrows& documented) {
    std::vector<Finding> findings;
    const std::map<std::string, std::set<std::string>> nothing;
    for (const char* folder : {"base", "bundle-format", "sources", "http", "cache", "store", "vfs", "packer",
                               "verifier", "delivery", "hosting", "cli"}) {
        if (std::error_code error; !fs::is_directory(root / folder, error))
            continue;
        const auto rows = documented.find(folder);
        FolderCheck(root, folder, rows == documented.end() ? nothing : rows->second, findings).check();
    }
    for (const auto& [folder, rows] : documented)
        if (std::error_code error; !fs::is_directory(root / folder, error))
            findings.push_back({"docs/architecture.md", 0, "there is no folder " + folder});
    std::ranges::sort(findings, {}, [](const Finding& f) { return std::tie(f.file, f.line, f.text); });
    return findings;
}

}  // namespace fardel::arrows
