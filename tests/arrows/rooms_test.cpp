#include "rooms.h"
#include "kit/files.h"

#include <iterator>
#include <map>
#include <set>

namespace fardel::tests::rooms_test {

using namespace fardel::arrows;

std::string architecture() { return fardel::tests::read_file(FARDEL_SOURCE_DIR "/docs/architecture.md"); }

using Texts = std::vector<std::string>;

// A folder with two rooms and a root, without findings; each case adds one violation.
class House {
public:
    House() {
        write("vfs/include/fardel/vfs/vfs.h", "");
        write("vfs/include/fardel/vfs/mount.h", "");
        write("vfs/vfs.cpp", "#include <fardel/vfs/vfs.h>\n#include \"lookup/resolve.h\"\n#include \"files/file.h\"\n");
        write("vfs/lookup/resolve.h", "#include \"files/file.h\"\n#include <fardel/vfs/mount.h>\n");
        write("vfs/lookup/resolve.cpp", "#include \"resolve.h\"\n");
        write("vfs/files/file.h", "");
    }

    void write(std::string_view path, std::string_view text) const { scratch_.write(path, text); }

    Texts findings(std::string_view rows = "| `files/` | reads | — |\n| `lookup/` | finds | `files/` |\n") const {
        Texts texts;
        for (const Finding& finding :
             check_rooms(scratch_.root(), parse_rooms("## Rooms\n\n### vfs\n\n| room | |\n" + std::string(rows))))
            texts.push_back(format_finding(finding));
        return texts;
    }

private:
    fardel::tests::ScratchFolder scratch_;
};

TEST_CASE("rooms: the tables of the document are read") {
    const RoomArrows arrows = parse_rooms(
        "## Folders\n### vfs\n| `a/` | not a room | `b/` |\n"
        "## Rooms\n### vfs\n| room | purpose | may include |\n| --- | --- | --- |\n"
        "| `lookup/` | with `code` | `files/`, `(root)` |\n| `files/` | reads | — |\n## Next\n| `c/` | | `d/` |\n");
    CHECK(arrows == RoomArrows{{"vfs", {{"lookup", {"files", "(root)"}}, {"files", {}}}}});
}

TEST_CASE("rooms: a house in order has no findings") { CHECK(House().findings() == Texts{}); }

TEST_CASE("rooms: an arrow that the document lacks is a finding") {
    const House house;
    house.write("vfs/files/file.cpp", "\n#include \"lookup/resolve.h\"\n");
    CHECK(house.findings() == Texts{"vfs/files/file.cpp:2: files must not include lookup"});
}

TEST_CASE("rooms: a public header is in the room of its source file") {
    const House house;
    house.write("vfs/include/fardel/vfs/resolve.h", "");
    house.write("vfs/files/file.cpp", "#include <fardel/vfs/resolve.h>\n");
    CHECK(house.findings() == Texts{"vfs/files/file.cpp:1: files must not include lookup"});
    house.write("vfs/files/file.cpp", "#include <fardel/vfs/vfs.h>\n");
    CHECK(house.findings() == Texts{"vfs/files/file.cpp:1: files must not include (root)"});
}

TEST_CASE("rooms: a room that only the tree or only the document has is a finding") {
    const House house;
    CHECK(house.findings("| `files/` | reads | — |\n") ==
          Texts{"vfs/lookup: docs/architecture.md has no row for this room",
                "vfs/lookup/resolve.h:1: lookup must not include files"});
    CHECK(house.findings("| `files/` | | — |\n| `lookup/` | | `files/` |\n| `cellar/` | | — |\n") ==
          Texts{"docs/architecture.md: vfs has no room cellar"});
}

TEST_CASE("rooms: an arrow that no include uses is a finding") {
    const House house;
    house.write("vfs/lookup/resolve.h", "");
    CHECK(house.findings() == Texts{"docs/architecture.md: vfs/lookup includes nothing of files"});
}

TEST_CASE("rooms: arrows in a circle are a finding") {
    const House house;
    house.write("vfs/files/file.cpp", "#include \"lookup/resolve.h\"\n");
    CHECK(house.findings("| `files/` | | `lookup/` |\n| `lookup/` | | `files/` |\n") ==
          Texts{"docs/architecture.md: vfs: files and lookup are in a circle",
                "docs/architecture.md: vfs: lookup and files are in a circle"});
}

TEST_CASE("folders: the table of the document is read") {
    const auto arrows = parse_folders(
        "## Floors\n| floor | folder |\n| 0 | `x/` |\n\n| folder | may include |\n| --- | --- |\n"
        "| `base/` | nothing |\n| `a/`, `b/` | `base/` |\n| `cli/` | everything |\n\n| `c/` | `base/` |\n");
    CHECK(arrows == std::map<std::string, std::set<std::string>>{{"base", {}}, {"a", {"base"}}, {"b", {"base"}}});
}

TEST_CASE("folders: docs/architecture.md has the arrows that are enforced") {
    auto enforced = folder_arrows();
    std::erase_if(enforced, [](const auto& folder) {  // a folder that is planned
        return !std::filesystem::is_directory(std::filesystem::path(FARDEL_SOURCE_DIR) / folder.first);
    });
    CHECK(parse_folders(architecture()) == enforced);
}

TEST_CASE("rooms: docs/architecture.md shows this repository") {
    const RoomArrows documented = parse_rooms(architecture());
    CHECK(documented.size() >= 5);
    for (const Finding& finding : check_rooms(FARDEL_SOURCE_DIR, documented))
        FAIL_CHECK(format_finding(finding));
}

}  // namespace fardel::tests::rooms_test
