#include "arrows.h"

#include "kit/files.h"

#include <map>
#include <set>

namespace fardel::tests::arrows_test {

// A small tree without findings; each case adds one violation.
class Tree {
public:
    Tree() {
        write("bundle-format/CMakeLists.txt", "hash.cpp\ninclude/fardel/format/hash.h\n");
        write("bundle-format/include/fardel/format/hash.h", "#pragma once\n#include <span>\n#include <stdint.h>\n");
        write("bundle-format/hash.cpp",
              "#include <fardel/format/hash.h>\n\n#include \"pages.h\"\n\n#include <blake3.h>\n");
        write("bundle-format/pages.h", "#include <zstd.h>\n");
        write("vfs/CMakeLists.txt", "vfs.cpp physfs_archiver.cpp\ninclude/fardel/vfs/vfs.h\n");
        write("vfs/include/fardel/vfs/vfs.h", "#include <fardel/format/hash.h>\n");
        write("vfs/vfs.cpp", "#include <fardel/vfs/vfs.h>\n");
        write("vfs/physfs_archiver.cpp", "#include <physfs.h>\n");
        write("cache/CMakeLists.txt", "include/fardel/cache/cache.h\n");
        write("cache/include/fardel/cache/cache.h", "#include <fardel/format/hash.h>\n");
        write("packer/CMakeLists.txt", "pack.cpp\nscan/md3.cpp\ninclude/fardel/packer/pack.h\n");
        write("packer/include/fardel/packer/pack.h", "#include <fardel/cache/cache.h>\n");
        write("packer/pack.cpp", "#include \"scan/md3.h\"\n");
        write("packer/scan/md3.h", "");
        write("packer/scan/md3.cpp", "#include \"md3.h\"\n#include \"scan/md3.h\"\n");
        write("tests/CMakeLists.txt", "");
        write("tests/bundle-format/CMakeLists.txt", "hash_test.cpp\n");
        write("tests/bundle-format/hash_test.cpp",
              "#include <fardel/format/hash.h>\n#include \"pages.h\"\n#include <doctest/doctest.h>\n");
        write("tests/fuzz/CMakeLists.txt", "fuzz_head.cpp\n");
        write("tests/fuzz/fuzz_head.cpp", "#include \"pages.h\"\n");
        write("cli/CMakeLists.txt", "main.cpp\n");
        write("cli/main.cpp", "#include <fardel/vfs/vfs.h>\n#include <fardel/packer/pack.h>\n#include <fmt/core.h>\n");
        write("build/dev/generated.cpp", "#include <sodium.h>\n");
        write("docs/example.cpp", "");
    }
    void write(std::string_view path, std::string_view text) const { scratch_.write(path, text); }

    // Adds a file and names it in its folder's CMakeLists.txt.
    void add(const std::string& path, std::string_view text) const {
        write(path, text);
        const auto slash = path.find('/');
        std::ofstream(scratch_.root() / path.substr(0, slash) / "CMakeLists.txt", std::ios::app)
            << path.substr(slash + 1) << '\n';
    }

    std::vector<std::string> findings() const {
        std::vector<std::string> texts;
        for (const auto& finding : fardel::arrows::check_tree(scratch_.root()))
            texts.push_back(fardel::arrows::format_finding(finding));
        return texts;
    }

private:
    fardel::tests::ScratchFolder scratch_;
};

using Texts = std::vector<std::string>;

TEST_CASE("arrows: this repository keeps its own rules") {
    for (const auto& finding : fardel::arrows::check_tree(FARDEL_SOURCE_DIR))
        FAIL_CHECK(fardel::arrows::format_finding(finding));
}

TEST_CASE("arrows: a good tree has no findings") { CHECK(Tree().findings() == Texts{}); }

TEST_CASE("arrows: a folder reaches only what its arrows allow") {
    // From docs/architecture.md. What a folder may reach is in `may`; all other pairs are wrong.
    const std::map<std::string, std::set<std::string>> may = {
        {"format", {}},
        {"sources", {"format"}},
        {"http", {"format"}},
        {"cache", {"http", "format"}},
        {"store", {"format"}},
        {"vfs", {"sources", "format"}},
        {"packer", {"cache", "sources", "format"}},
        {"verifier", {"store", "format"}},
        {"delivery", {"verifier", "store", "http", "format"}},
        {"hosting", {"delivery", "verifier", "store", "cache", "http", "format"}},
        {"tools", {"packer", "verifier", "vfs", "store", "cache", "sources", "format"}},
    };
    CHECK(may.size() + 2 == fardel::arrows::product_folders().size());  // base and cli are tested elsewhere
    const auto folder_of = [](const std::string& name) { return name == "format" ? "bundle-format" : name; };
    for (const auto& row : may)
        for (const auto& other : may) {
            const std::string& from = row.first;
            const std::string& to = other.first;
            if (from == to)
                continue;
            CAPTURE(from);
            CAPTURE(to);
            const Tree tree;
            tree.add(folder_of(to) + "/include/fardel/" + to + "/target.h", "");
            tree.add(folder_of(from) + "/arrow.cpp", "\n#include <fardel/" + to + "/target.h>\n");
            const auto expected = row.second.contains(to) ? Texts{}
                                                          : Texts{folder_of(from) + "/arrow.cpp:2: " + folder_of(from) +
                                                                  " must not include " + folder_of(to)};
            CHECK(tree.findings() == expected);
        }
}

TEST_CASE("arrows: every folder reaches base, and base reaches none") {
    for (const std::string folder : {"bundle-format", "vfs", "store", "packer", "cli"}) {
        const Tree tree;
        tree.add("base/include/fardel/base/result.h", "");
        tree.add(folder + "/arrow.cpp", "#include <fardel/base/result.h>\n");
        CHECK(tree.findings() == Texts{});
    }
    const Tree tree;
    tree.add("base/descriptor.cpp", "#include <fardel/format/hash.h>\n");
    CHECK(tree.findings() == Texts{"base/descriptor.cpp:1: base must not include bundle-format"});
}

TEST_CASE("arrows: an internal header is included like a public one, but not by a public header") {
    const Tree tree;
    tree.add("bundle-format/internal/fardel/format/tables.h", "#include <fardel/format/hash.h>\n");
    tree.write("vfs/vfs.cpp", "#include <fardel/format/tables.h>\n");
    CHECK(tree.findings() == Texts{});
    tree.write("bundle-format/include/fardel/format/hash.h", "#include <fardel/format/tables.h>\n");
    CHECK(tree.findings() ==
          Texts{"bundle-format/include/fardel/format/hash.h:1: a public header includes the internal "
                "<fardel/format/tables.h>"});
}

TEST_CASE("arrows: a sample includes only headers that are installed") {
    const Tree tree;
    tree.add("bundle-format/internal/fardel/format/tables.h", "");
    tree.write("samples/CMakeLists.txt", "sample.cpp\n");
    tree.write("samples/sample.cpp", "#include <fardel/format/hash.h>\n#include <fardel/format/tables.h>\n");
    CHECK(tree.findings() ==
          Texts{"samples/sample.cpp:2: a sample includes <fardel/format/tables.h>, which is not installed"});
}

// Unity builds compile many files as one.
TEST_CASE("arrows: the names of a test are in a namespace of its file's name") {
    for (const fs::path& path : paths_below(FARDEL_SOURCE_DIR "/tests")) {
        if (!path.filename().string().ends_with("_test.cpp"))
            continue;
        CAPTURE(path);
        const std::string text = read_file(path);
        check_has(text, "\nnamespace fardel::tests::" + path.stem().string() + " {\n");
        CHECK_FALSE(has(text.substr(0, text.find("\nnamespace fardel::tests::")), "\nusing "));
    }
}

TEST_CASE("arrows: the kit of the tests has at most 30 headers") {
    const auto paths = paths_below(FARDEL_SOURCE_DIR "/tests/kit");
    CHECK(std::ranges::count(paths, ".h", &fs::path::extension) <= 30);
}

// A header is installed if it is in a folder's include/: a user has to learn each of them.
TEST_CASE("arrows: at most 36 headers are installed for C++, and 8 for C") {
    std::set<std::string> installed;
    std::set<std::string> installed_for_c;
    for (const auto& folder : std::filesystem::directory_iterator(FARDEL_SOURCE_DIR)) {
        if (!std::filesystem::is_directory(folder.path() / "include"))
            continue;
        for (const auto& file : std::filesystem::recursive_directory_iterator(folder.path() / "include"))
            if (file.is_regular_file()) {
                const bool is_for_c = file.path().filename().string().starts_with("fardel");
                (is_for_c ? installed_for_c : installed)
                    .insert(file.path().lexically_relative(FARDEL_SOURCE_DIR).generic_string());
            }
    }
    CAPTURE(installed.size());
    CHECK(installed.contains("base/include/fardel/base/result.h"));
    CHECK(installed.size() <= 36);
    CHECK(installed_for_c.contains("vfs/include/fardel/vfs/fardel.h"));
    // Counted apart: nobody has to learn both interfaces.
    CHECK(installed_for_c.size() <= 8);
}

TEST_CASE("arrows: an internal header keeps the rules of a public one") {
    const Tree tree;
    tree.write("vfs/internal/fardel/vfs/forgotten.h", "");
    tree.add("vfs/internal/fardel/format/stray.h", "");
    tree.add("bundle-format/internal/fardel/format/tables.h",
             "#include <fardel/vfs/vfs.h>\n#include <unistd.h>\n#include \"pages.h\"\n");
    CHECK(
        tree.findings() ==
        Texts{"bundle-format/internal/fardel/format/tables.h:1: bundle-format must not include vfs",
              "bundle-format/internal/fardel/format/tables.h:2: an internal header includes only ours and the standard "
              "library's, not <unistd.h>",
              "bundle-format/internal/fardel/format/tables.h:3: an internal header includes the private 'pages.h'",
              "vfs/internal/fardel/format/stray.h: below 'vfs/internal' there is only fardel/vfs/x.h",
              "vfs/internal/fardel/vfs/forgotten.h: not named in vfs/CMakeLists.txt"});
}

TEST_CASE("arrows: only base and folders outside the product include system headers") {
    for (const std::string header : {"dirent.h", "fcntl.h", "filesystem", "fstream", "linux/landlock.h", "poll.h",
                                     "sched.h", "spawn.h", "sys/stat.h", "termios.h", "unistd.h"}) {
        const Tree tree;
        const std::string line = "#include <" + header + ">\n";
        tree.add("base/file_posix.cpp", line);
        tree.add("bench/bench.cpp", line);
        tree.add("samples/sample.cpp", line);
        tree.write("tests/bundle-format/hash_test.cpp", line);
        CHECK(tree.findings() == Texts{});
        tree.write("vfs/vfs.cpp", line);
        tree.write("cli/main.cpp", line);
        CHECK(tree.findings() == Texts{"cli/main.cpp:1: only base includes <" + header + ">",
                                       "vfs/vfs.cpp:1: only base includes <" + header + ">"});
    }
}

TEST_CASE("arrows: what is Linux alone is in no file of base for other systems") {
    const Tree tree;
    tree.add("base/pipe_linux.cpp", "int a = pipe2(ends, 0);\n");
    tree.add("base/pipe_posix.cpp", "// pipe2 of Linux\nint a = pipe(ends);\n");
    CHECK(tree.findings() == Texts{});
    tree.write("base/pipe_posix.cpp", "\nint a = pipe2(ends, 0);\n");
    tree.add("base/pipe_none.cpp", "#ifdef __linux__\n#endif\n");
    CHECK(tree.findings() ==
          Texts{"base/pipe_none.cpp:1: '__linux__' is not POSIX; it belongs into a *_linux.cpp with a twin",
                "base/pipe_posix.cpp:2: 'pipe2' is not POSIX; it belongs into a *_linux.cpp with a twin"});
}

TEST_CASE("arrows: an include is found whatever its spacing") {
    for (const std::string_view line : {"#include<fardel/vfs/vfs.h>", "  #  include   <fardel/vfs/vfs.h>  // why",
                                        "\t#include <fardel/vfs/vfs.h>\r"}) {
        const Tree tree;
        tree.write("bundle-format/hash.cpp", line);
        CHECK(tree.findings() == Texts{"bundle-format/hash.cpp:1: bundle-format must not include vfs"});
    }
}

TEST_CASE("arrows: an include that cannot be read is a finding") {
    const Tree tree;
    tree.write("vfs/vfs.cpp", "#include VFS_HEADER\n#include_next <vector>\n#import <vector>\n#include <vector\n");
    CHECK(tree.findings().size() == 4);
}

TEST_CASE("arrows: third-party headers are included only by the folders that may use them") {
    for (const std::string_view header : {"sodium.h", "sodium/core.h", "zstd.h", "zdict.h", "blake3.h", "utf8proc.h"}) {
        const Tree tree;
        const auto line = "#include <" + std::string(header) + ">\n";
        tree.write("bundle-format/hash.cpp", line);
        tree.write("bench/CMakeLists.txt", "bare.cpp\n");
        tree.write("bench/bare.cpp", line);
        CHECK(tree.findings() == Texts{});
        tree.write("vfs/vfs.cpp", line);
        tree.write("cli/main.cpp", "#include \"" + std::string(header) + "\"\n");
        CHECK(tree.findings() == Texts{"cli/main.cpp:1: only bundle-format includes <" + std::string(header) + ">",
                                       "vfs/vfs.cpp:1: only bundle-format includes <" + std::string(header) + ">"});
    }
}

TEST_CASE("arrows: a public header includes only headers of Fardel and the standard library") {
    for (const std::string_view header :
         {"zstd.h", "physfs.h", "fmt/core.h", "unistd.h", "sys/stat.h", "nlohmann/json.hpp"}) {
        const Tree tree;
        tree.write("bundle-format/include/fardel/format/hash.h", "#include <" + std::string(header) + ">\n");
        CHECK(tree.findings() ==
              Texts{"bundle-format/include/fardel/format/hash.h:1: a public header includes only ours and the "
                    "standard library's, not <" +
                    std::string(header) + ">"});
    }
    const Tree tree;
    tree.write("bundle-format/include/fardel/format/hash.h", "#include \"pages.h\"\n");
    CHECK(tree.findings() ==
          Texts{"bundle-format/include/fardel/format/hash.h:1: a public header includes the private 'pages.h'"});
}

TEST_CASE("arrows: CLI11 and the JSON library are for the files that wrap them") {
    const Tree tree;
    tree.add("cli/console/command_line.cpp", "#include <CLI/CLI.hpp>\n");
    tree.add("cli/console/json.cpp", "#include <nlohmann/json.hpp>\n");
    tree.write("tests/bundle-format/hash_test.cpp", "#include <nlohmann/json.hpp>\n");
    CHECK(tree.findings() == Texts{});
    tree.write("cli/main.cpp", "#include <CLI/CLI.hpp>\n");
    tree.write("packer/pack.cpp", "#include <nlohmann/json_fwd.hpp>\n");
    CHECK(tree.findings() ==
          Texts{"cli/main.cpp:1: docs/architecture.md names the files that include <CLI/CLI.hpp>",
                "packer/pack.cpp:1: docs/architecture.md names the files that include <nlohmann/json_fwd.hpp>"});
}

TEST_CASE("arrows: physfs.h is for sources named physfs_*") {
    const Tree tree;
    tree.write("vfs/vfs.cpp", "#include <physfs.h>\n");
    tree.write("vfs/physfs_archiver.h", "#include <physfs.h>\n");
    CHECK(tree.findings() == Texts{"vfs/physfs_archiver.h:1: only sources named physfs_* include <physfs.h>",
                                   "vfs/vfs.cpp:1: only sources named physfs_* include <physfs.h>"});
}

TEST_CASE("arrows: private headers stay in their folder") {
    const Tree tree;
    tree.write("vfs/vfs.cpp",
               "#include \"../bundle-format/pages.h\"\n#include \"pages.h\"\n#include \"fardel/format/hash.h\"\n");
    CHECK(tree.findings() ==
          Texts{"vfs/vfs.cpp:1: '../bundle-format/pages.h' leaves its folder; private headers stay inside",
                "vfs/vfs.cpp:2: 'pages.h' is no private header of this folder",
                "vfs/vfs.cpp:3: public headers are included as <fardel/format/hash.h>"});
}

TEST_CASE("arrows: a public header is at fardel/SHORT/x.h, and exists") {
    const Tree tree;
    tree.add("vfs/include/fardel/format/stray.h", "");
    tree.add("vfs/include/stray.h", "");
    tree.add("cli/include/fardel/cli/verbs.h", "");
    tree.write("vfs/vfs.cpp",
               "#include <fardel/vfs/nothing.h>\n#include <fardel/hash.h>\n#include <fardel/other/x.h>\n");
    CHECK(tree.findings() ==
          Texts{"cli/include/fardel/cli/verbs.h: below 'cli/include' there is only fardel/(nothing)/x.h",
                "vfs/include/fardel/format/stray.h: below 'vfs/include' there is only fardel/vfs/x.h",
                "vfs/include/stray.h: below 'vfs/include' there is only fardel/vfs/x.h",
                "vfs/vfs.cpp:1: <fardel/vfs/nothing.h> does not exist in vfs",
                "vfs/vfs.cpp:2: <fardel/hash.h> is not <fardel/SHORT/x.h> of a folder that we have",
                "vfs/vfs.cpp:3: <fardel/other/x.h> is not <fardel/SHORT/x.h> of a folder that we have"});
}

TEST_CASE("arrows: files are named by a noun, in snake_case, and end in .h or .cpp, or .c in samples and tests") {
    for (const std::string_view word :
         {"util", "utils", "common", "helper", "helpers", "manager", "misc", "data", "info", "impl", "v2"}) {
        CAPTURE(word);
        const Tree tree;
        const std::string name(word);
        tree.add("vfs/" + name + ".cpp", "");
        tree.add("vfs/mount_" + name + ".cpp", "");
        tree.add("vfs/" + name + "/mount.cpp", "");
        CHECK(tree.findings().size() == 3);
    }
    const Tree tree;
    tree.add("vfs/utilisation.cpp", "");  // contains a forbidden word, but is another word
    tree.add("samples/print_asset.c", "");
    CHECK(tree.findings() == Texts{});
    tree.add("vfs/MountSet.cpp", "");
    tree.add("vfs/mount-set.cpp", "");
    tree.add("vfs/mount.cc", "");
    tree.add("vfs/print.c", "");
    CHECK(tree.findings() == Texts{"vfs/MountSet.cpp: file names are snake_case",
                                   "vfs/mount-set.cpp: file names are snake_case",
                                   "vfs/mount.cc: C++ files end in .h or .cpp, not .cc",
                                   "vfs/print.c: C++ files end in .h or .cpp, not .c"});
}

TEST_CASE("arrows: a file that no CMakeLists.txt names is a finding") {
    const Tree tree;
    tree.write("vfs/forgotten.cpp", "");
    tree.write("vfs/include/fardel/vfs/forgotten.h", "");
    tree.write("vfs/s.cpp", "");  // the end of a listed name is not the name
    tree.write("tests/bundle-format/forgotten_test.cpp", "");
    tree.write("tests/fuzz/fuzz_forgotten.cpp", "");
    tree.write("samples/lonely.cpp", "");
    CHECK(tree.findings() ==
          Texts{"samples/lonely.cpp: no CMakeLists.txt builds this",
                "tests/bundle-format/forgotten_test.cpp: not named in tests/bundle-format/CMakeLists.txt",
                "tests/fuzz/fuzz_forgotten.cpp: not named in tests/fuzz/CMakeLists.txt",
                "vfs/forgotten.cpp: not named in vfs/CMakeLists.txt",
                "vfs/include/fardel/vfs/forgotten.h: not named in vfs/CMakeLists.txt",
                "vfs/s.cpp: not named in vfs/CMakeLists.txt"});
}

TEST_CASE("arrows: a folder that docs/architecture.md does not list is a finding") {
    const Tree tree;
    tree.write("src/main.cpp", "");
    CHECK(tree.findings() == Texts{"src/main.cpp: docs/architecture.md has no folder 'src'"});
}

}  // namespace fardel::tests::arrows_test
