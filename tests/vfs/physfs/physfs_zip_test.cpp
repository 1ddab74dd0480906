// A bundle answers every PhysicsFS call as a zip of the same tree does. Both are mounted in turn, asked the same
// questions, and the two lists of answers are compared line by line.
#include "kit/files.h"
#include "physfs_game.h"

#include <fardel/format/hash.h>
#include <fardel/format/ids.h>
#include <physfs.h>

#include <array>

namespace fardel::tests::physfs_zip_test {

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // games use the deprecated calls too

using Answers = std::vector<std::string>;

std::string digest(std::string_view bytes) { return id_from<AssetId>(blake3(std::as_bytes(std::span(bytes)))).hex(); }

std::string joined(char** list) {
    std::string out;
    for (char** name = list; name != nullptr && *name != nullptr; ++name)
        out += (out.empty() ? "" : " ") + std::string(*name);
    PHYSFS_freeList(list);
    return out;
}

// The results of every call for one name.
void ask_about(const std::string& name, const std::string& archive, Answers& answers) {
    std::string line = name + ": ";
    line += physfs_outcome(PHYSFS_exists(name.c_str()) != 0);
    line += "; folder " + std::to_string(PHYSFS_isDirectory(name.c_str()));
    line += "; link " + std::to_string(PHYSFS_isSymbolicLink(name.c_str()));
    line += "; stat " + physfs_stat(name);
    line += "; in " + std::string(physfs_real_dir(name) == archive ? "the archive" : physfs_real_dir(name));
    line += "; files " + digest(physfs_listing(name)) + " " + digest(joined(PHYSFS_enumerateFiles(name.c_str())));
    line += "; content " + digest(physfs_content(name));
    line += "; write " + physfs_outcome(PHYSFS_openWrite(name.c_str()) != nullptr);
    line += "; append " + physfs_outcome(PHYSFS_openAppend(name.c_str()) != nullptr);
    line += "; delete " + physfs_outcome(PHYSFS_delete(name.c_str()) != 0);
    line += "; mkdir " + physfs_outcome(PHYSFS_mkdir(name.c_str()) != 0);
    answers.push_back(line);
}

void walk(const std::string& folder, std::vector<std::string>& files, std::vector<std::string>& folders) {
    folders.push_back(folder);
    char** names = PHYSFS_enumerateFiles(folder.c_str());
    REQUIRE(names != nullptr);
    for (char** name = names; *name != nullptr; ++name) {
        const std::string path = folder.empty() ? *name : folder + "/" + *name;
        if (PHYSFS_isDirectory(path.c_str()))
            walk(path, files, folders);
        else
            files.push_back(path);
    }
    PHYSFS_freeList(names);
}

// Reads one file with odd sizes, seeks, buffers and numbers; the same seed makes the same calls.
void read_about(const std::string& name, Answers& answers) {
    PHYSFS_File* file = PHYSFS_openRead(name.c_str());
    REQUIRE(file != nullptr);
    std::mt19937 random(static_cast<std::uint32_t>(name.size()));
    const auto size = static_cast<std::uint64_t>(PHYSFS_fileLength(file));
    std::string line = name + " of " + std::to_string(size) + ":";
    std::string bytes;
    const auto say = [&](auto value) { line += " " + std::to_string(value); };
    for (int step = 0; step < 40; ++step) {
        switch (random() % 8) {
            case 0: say(PHYSFS_setBuffer(file, std::array{0u, 1u, 100u, 65536u}[random() % 4])); break;
            case 1: say(PHYSFS_seek(file, random() % (size + 1))); break;
            case 2: line += " " + physfs_outcome(PHYSFS_seek(file, size + 1 + random() % 3) != 0); break;
            case 3: say(PHYSFS_seek(file, size)); break;
            case 4: {
                PHYSFS_uint32 number = 0;
                say(PHYSFS_readULE32(file, &number));
                say(number);
                break;
            }
            case 5: {
                PHYSFS_sint16 number = 0;
                say(PHYSFS_readSBE16(file, &number));
                say(number);
                break;
            }
            default:
                bytes.assign(random() % 5000, '\0');
                say(PHYSFS_readBytes(file, bytes.data(), bytes.size()));
                line += " " + digest(bytes).substr(0, 8);
        }
        say(PHYSFS_tell(file));
        say(PHYSFS_eof(file));
    }
    bytes.assign(77, '\0');
    say(PHYSFS_read(file, bytes.data(), 7, 11));
    line += " " + physfs_outcome(PHYSFS_writeBytes(file, "x", 1) == 1);
    say(PHYSFS_flush(file));
    say(PHYSFS_close(file));
    answers.push_back(line);
}

// Names that games use, including mistaken ones.
std::vector<std::string> odd_names(const std::string& file, const std::string& folder) {
    std::string upper = file;
    std::ranges::transform(upper, upper.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    std::string deep;
    for (int i = 0; i < 100; ++i)
        deep += "d/";
    return {"",
            "/",
            "//",
            ".",
            "..",
            "./" + file,
            "../" + file,
            folder + "/../" + file,
            folder + "/./x",
            folder + "/",
            "/" + file,
            "//" + file,
            folder + "//x",
            file + "/",
            file + "/below",
            upper,
            "none",
            folder + "/none",
            "none/none",
            "assets",
            "bundles",
            "assets/" + std::string(64, '0'),
            "bundles/" + std::string(64, '0') + "/" + file,
            "t",
            "t/" + file,
            "c:" + file,
            "a\\b",
            "*",
            "?",
            "a|b",
            "con",
            "nul.txt",
            " ",
            "a ",
            "a.",
            "\x01",
            "\x7f",
            "\xff\xfe",
            "\xc0\xaf",
            "e\xcc\x81",
            std::string(300, 'n'),
            std::string(5000, 'n'),
            deep + "x",
            file + "\n",
            file + " "};
}

// All results for `archive`, in a PhysicsFS that is initialised for it.
Answers ask(const std::string& archive, const std::string& mount_point, bool links) {
    const PhysfsGame game;
    Answers answers;
    PHYSFS_permitSymbolicLinks(links ? 1 : 0);
    answers.push_back("mount " + physfs_mount(archive, mount_point));
    answers.push_back("again " + physfs_mount(archive, mount_point));
    answers.push_back(std::string("at ") + PHYSFS_getMountPoint(archive.c_str()));
    answers.push_back("path " + std::to_string(joined(PHYSFS_getSearchPath()) == archive));
    answers.push_back("links " + std::to_string(PHYSFS_symbolicLinksPermitted()));

    std::vector<std::string> files;
    std::vector<std::string> folders;
    walk("", files, folders);
    REQUIRE(files.size() > 100);
    REQUIRE(folders.size() > 5);
    for (const std::string& name : folders)
        ask_about(name, archive, answers);
    for (const std::string& name : files)
        ask_about(name, archive, answers);
    for (const std::string& name : odd_names(files[files.size() / 2], folders[1]))
        ask_about(name, archive, answers);
    for (std::size_t i = 0; i < files.size(); i += std::max<std::size_t>(1, files.size() / 70))
        read_about(files[i], answers);

    PHYSFS_File* file = PHYSFS_openRead(files.front().c_str());
    REQUIRE(file != nullptr);
    answers.push_back("unmount, open " + physfs_outcome(PHYSFS_unmount(archive.c_str()) != 0));
    answers.push_back("close " + physfs_outcome(PHYSFS_close(file) != 0));
    answers.push_back("unmount " + physfs_outcome(PHYSFS_unmount(archive.c_str()) != 0));
    answers.push_back("unmount again " + physfs_outcome(PHYSFS_unmount(archive.c_str()) != 0));
    ask_about(files.front(), archive, answers);
    return answers;
}

void compare(const Answers& zip, const Answers& bundle) {
    CHECK(zip.size() == bundle.size());
    for (std::size_t i = 0, shown = 0; i < std::min(zip.size(), bundle.size()) && shown < 10; ++i)
        if (zip[i] != bundle[i]) {
            FAIL_CHECK("the zip says    " << zip[i] << "\nthe bundle says " << bundle[i]);
            ++shown;
        }
}

void run(const std::string& line) {
    CAPTURE(line);
    REQUIRE(std::system(line.c_str()) == 0);
}

void pack(const std::string& source, const std::string& bundle) {
    run("'" FARDEL_PROGRAM "' pack '" + source + "' -o '" + bundle + "' --level 1 > /dev/null");
}

TEST_CASE("physfs: a bundle answers every call as a game's own archive does") {
    const std::string pk3 = "/usr/share/games/openarena/baseoa/pak6-misc.pk3";
    REQUIRE_MESSAGE(std::filesystem::exists(pk3), "openarena-081-misc is not installed");
    const ScratchFolder scratch;
    pack(pk3, scratch.path("x.fardel"));
    run("cp '" + pk3 + "' '" + scratch.path("x.zip") + "'");
    compare(ask(scratch.path("x.zip"), "/", false), ask(scratch.path("x.fardel"), "/", false));
}

TEST_CASE(
    "physfs: a bundle answers every call as a zip of a real folder does, at a mount point and with links allowed") {
    const std::string levels = "/usr/share/games/supertux2/levels";
    REQUIRE_MESSAGE(std::filesystem::exists(levels), "supertux-data is not installed");
    const ScratchFolder scratch;
    pack(levels, scratch.path("x.fardel"));
    run("cd '" + levels + "' && zip -q -r -1 -D '" + scratch.path("x.zip") + "' .");
    compare(ask(scratch.path("x.zip"), "/data/levels", true), ask(scratch.path("x.fardel"), "/data/levels", true));
}

TEST_CASE("physfs: a bundle in a search path of several archives is searched in order, as a zip is") {
    const ScratchFolder scratch;
    scratch.write("one/both.txt", "one");
    scratch.write("one/maps/a.txt", "a");
    scratch.write("two/both.txt", "two");
    scratch.write("two/maps/b.txt", "b");
    scratch.write("two/only.txt", "2");
    run("cd '" + scratch.path("one") + "' && zip -q -r ../one.zip . && cd ../two && zip -q -r -D ../two.zip .");
    pack(scratch.path("two"), scratch.path("two.fardel"));
    const auto ask_both = [&](const std::string& second, bool in_front) {
        const PhysfsGame game;
        Answers answers;
        answers.push_back(physfs_mount(scratch.path("one.zip")));
        answers.push_back(physfs_outcome(PHYSFS_mount(second.c_str(), "/", in_front ? 0 : 1) != 0));
        for (const char* name : {"", "both.txt", "maps", "maps/a.txt", "maps/b.txt", "only.txt", "none"})
            ask_about(name, second, answers);
        return answers;
    };
    for (const bool in_front : {false, true}) {
        CAPTURE(in_front);
        const Answers zip = ask_both(scratch.path("two.zip"), in_front);
        compare(zip, ask_both(scratch.path("two.fardel"), in_front));
        CHECK(zip.size() == 9);
    }
}

TEST_CASE("physfs: as a write directory a bundle is refused as a zip is") {
    const ScratchFolder scratch;
    scratch.write("one/a.txt", "one");
    run("cd '" + scratch.path("one") + "' && zip -q -r ../one.zip .");
    pack(scratch.path("one"), scratch.path("one.fardel"));
    const PhysfsGame game;
    const std::string zip = physfs_outcome(PHYSFS_setWriteDir(scratch.path("one.zip").c_str()) != 0);
    CHECK(zip == physfs_outcome(PHYSFS_setWriteDir(scratch.path("one.fardel").c_str()) != 0));
    CHECK(zip != "ok");
}

}  // namespace fardel::tests::physfs_zip_test
