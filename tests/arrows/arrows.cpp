#include "arrows.h"

#include "kit/files.h"

#include <array>
#include <functional>
#include <iterator>
#include <set>
#include <tuple>

namespace fardel::arrows {
namespace {

namespace fs = std::filesystem;

// ---- The rules, as tables -------------------------------------------------------------------------------------------

struct Folder {
    std::string_view name;
    std::string_view short_name;                // <fardel/short_name/x.h>; empty: no public headers
    std::array<std::string_view, 7> may_reach;  // short names, besides its own
    bool reaches_all = false;
};

constexpr Folder kFolders[] = {
    {"base", "base", {}},  // every folder reaches it
    {"bundle-format", "format", {}},
    {"sources", "sources", {"format"}},
    {"vfs", "vfs", {"sources", "format"}},
    {"http", "http", {"format"}},
    {"cache", "cache", {"http", "format"}},
    {"store", "store", {"format"}},
    {"packer", "packer", {"cache", "sources", "format"}},
    {"verifier", "verifier", {"store", "format"}},
    {"delivery", "delivery", {"verifier", "store", "http", "format"}},
    {"hosting", "hosting", {"delivery", "verifier", "store", "cache", "http", "format"}},
    {"tools", "tools", {"packer", "verifier", "vfs", "store", "cache", "sources", "format"}},
    {"cli", "", {}, true},
    {"samples", "", {}, true},
    {"tests", "", {}, true},
    {"bench", "", {}, true},
};

constexpr std::string_view kOutsideProduct[] = {"samples", "tests", "bench"};

// Third-party headers that only bundle-format may include, and bench, which measures the libraries directly. A trailing
// '/' stands for all headers below.
constexpr std::string_view kFormatOnly[] = {"sodium.h", "sodium/",  "zstd.h",  "zstd_errors.h",
                                            "zdict.h",  "blake3.h", "blake3/", "utf8proc.h"};

// System headers that only base and the folders outside the product may include. A trailing '/' stands for all headers
// below. std::filesystem and file streams are among them: their narrow text is not UTF-8 on Windows (utf8_path.h).
constexpr std::string_view kSystem[] = {"dirent.h", "fcntl.h", "filesystem", "fstream",   "linux/",  "poll.h",
                                        "sched.h",  "spawn.h", "sys/",       "termios.h", "unistd.h"};
constexpr std::string_view kMayIncludeSystem[] = {"base", "bench", "samples", "tests"};

// Names that are no part of POSIX.1-2008 with XSI, so that a *_posix.cpp or *_none.cpp with one of them is not for all
// systems: each has a place in a *_linux.cpp, with a twin. -DFARDEL_PORTABLE=ON hides these names from the compiler,
// too.
constexpr std::string_view kLinuxOnly[] = {"__linux__",  "O_PATH",  "O_NOATIME",  "O_TMPFILE",      "SOCK_CLOEXEC",
                                           "accept4",    "pipe2",   "dup3",       "mkostemp",       "renameat2",
                                           "openat2",    "syscall", "statx(",     "memfd_create",   "sync_file_range",
                                           "prctl",      "epoll_",  "inotify_",   "sched_getcpu",   "MAP_ANONYMOUS",
                                           "/proc/self", "qsort_r", "getrandom(", "copy_file_range"};

// Third-party headers that only these files of the product include: other files use what these make of them.
struct FewFiles {
    std::string_view headers;  // all that begin with it
    std::array<std::string_view, 4> files;
};
constexpr FewFiles kFewFiles[] = {
    {"CLI/", {"cli/console/command_line.cpp"}},
    {"nlohmann/",
     {"cli/console/json.cpp", "packer/text/bounded_json.h", "packer/scan/pattern_scanner.cpp",
      "packer/scan/scan_gltf.cpp"}},
};

// C headers that a public or internal header may include besides the C++ ones, which have no dot.
constexpr std::string_view kPublicCHeaders[] = {"stdbool.h", "stddef.h", "stdint.h"};

// Words that say nothing about a file's content.
constexpr std::string_view kEmptyWords[] = {"common", "data",    "helper", "helpers", "impl",    "info", "manager",
                                            "misc",   "process", "util",   "utils",   "utility", "v2"};

// ---- Looking things up ----------------------------------------------------------------------------------------------

template <class Range>
bool contains(const Range& range, std::string_view value) {
    return std::ranges::find(range, value) != std::ranges::end(range);
}

const Folder* find_folder(std::string_view name) {
    const auto found = std::ranges::find(kFolders, name, &Folder::name);
    return found == std::ranges::end(kFolders) ? nullptr : &*found;
}

const Folder* find_folder_of(std::string_view short_name) {
    const auto found = std::ranges::find(kFolders, short_name, &Folder::short_name);
    return found == std::ranges::end(kFolders) || short_name.empty() ? nullptr : &*found;
}

template <class Rules>
bool matches(const Rules& rules, std::string_view header) {
    return std::ranges::any_of(
        rules, [&](std::string_view rule) { return rule.back() == '/' ? header.starts_with(rule) : header == rule; });
}

bool is_format_only(std::string_view header) { return matches(kFormatOnly, header); }

bool is_for_other_files(std::string_view header, std::string_view file) {
    return std::ranges::any_of(kFewFiles, [&](const FewFiles& rule) {
        return header.starts_with(rule.headers) && !contains(rule.files, file);
    });
}

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// ---- #include lines -------------------------------------------------------------------------------------------------

// Returns nothing if `line` is not an #include. #include_next and #import are read as '?'.
std::optional<Include> find_include(std::string_view line, std::size_t number) {
    line = trimmed(line);
    if (!line.starts_with('#'))
        return std::nullopt;
    line = trimmed(line.substr(1));
    if (line.starts_with("include") && !line.starts_with("include_next")) {
        const auto rest = trimmed(line.substr(7));
        if (rest.size() > 1 && (rest[0] == '<' || rest[0] == '"')) {
            const auto end = rest.find(rest[0] == '<' ? '>' : '"', 1);
            if (end != std::string_view::npos)
                return Include{number, rest[0], std::string(rest.substr(1, end - 1))};
        }
        return Include{number, '?', std::string(rest)};
    }
    if (line.starts_with("include_next") || line.starts_with("import"))
        return Include{number, '?', std::string(line)};
    return std::nullopt;
}

}  // namespace

std::vector<Include> includes_of(std::string_view text) {
    std::vector<Include> includes;
    for (std::size_t at = 0, number = 1; at < text.size(); ++number) {
        const auto end = std::min(text.find('\n', at), text.size());
        if (auto include = find_include(text.substr(at, end - at), number))
            includes.push_back(*std::move(include));
        at = end + 1;
    }
    return includes;
}

namespace {

// ---- One file -------------------------------------------------------------------------------------------------------

struct SourceFile {
    fs::path path;                   // absolute
    std::vector<std::string> parts;  // relative to the root: folder, …, file name
    const Folder* folder = nullptr;

    std::string relative() const {
        std::string text;
        for (const auto& part : parts)
            text += (text.empty() ? "" : "/") + part;
        return text;
    }
    const std::string& leaf() const { return parts.back(); }
    bool is_header() const { return leaf().ends_with(".h"); }
    bool is_public() const { return parts.size() > 2 && parts[1] == "include"; }
    bool is_internal() const { return parts.size() > 2 && parts[1] == "internal"; }
    bool is_offered() const { return is_public() || is_internal(); }  // other folders may include it
    std::string_view tier() const { return is_public() ? "a public" : "an internal"; }
};

class FileCheck {
public:
    FileCheck(const fs::path& root, const SourceFile& file, std::vector<Finding>& findings)
        : root_(root), file_(file), findings_(findings) {}

    void check() {
        check_name();
        check_place();
        check_is_built();
        const std::string text = tests::read_file(file_.path);
        for (const Include& include : includes_of(text))
            check_include(include);
        if (file_.folder->name == "base" &&
            (file_.leaf().ends_with("_posix.cpp") || file_.leaf().ends_with("_none.cpp")))
            check_is_portable(text);
    }

private:
    void add(std::size_t line, std::string text) { findings_.push_back({file_.relative(), line, std::move(text)}); }

    void check_name() {
        const auto dot = file_.leaf().rfind('.');
        const std::string stem = file_.leaf().substr(0, dot);
        const std::string suffix = file_.leaf().substr(dot);
        const bool may_be_c = (file_.folder->name == "samples" || file_.folder->name == "tests") && suffix == ".c";
        if (suffix != ".h" && suffix != ".cpp" && !may_be_c)
            add(0, "C++ files end in .h or .cpp, not " + suffix);
        if (stem.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos)
            add(0, "file names are snake_case");
        for (const auto& part : file_.parts)
            check_words(&part == &file_.parts.back() ? stem : part);
    }

    void check_is_portable(std::string_view text) {
        for (std::size_t at = 0, number = 1; at < text.size(); ++number) {
            const auto end = std::min(text.find('\n', at), text.size());
            const std::string_view line = text.substr(at, end - at);
            const std::string_view code = line.substr(0, line.find("//"));
            for (const std::string_view name : kLinuxOnly)
                if (code.find(name) != std::string_view::npos)
                    add(number, in_quotes(name) + " is not POSIX; it belongs into a *_linux.cpp with a twin");
            at = end + 1;
        }
    }

    void check_words(std::string_view name) {
        while (!name.empty()) {
            const auto end = std::min(name.find_first_of("_-"), name.size());
            if (contains(kEmptyWords, name.substr(0, end)))
                add(0, "the word " + in_quotes(name.substr(0, end)) + " says nothing; name the noun");
            name.remove_prefix(std::min(end + 1, name.size()));
        }
    }

    void check_place() {
        if (!file_.is_offered())
            return;
        const auto& parts = file_.parts;
        if (parts.size() < 5 || parts[2] != "fardel" || parts[3] != file_.folder->short_name || !file_.is_header())
            add(0, "below " + in_quotes(parts[0] + "/" + parts[1]) + " there is only fardel/" +
                       std::string(file_.folder->short_name.empty() ? "(nothing)" : file_.folder->short_name) + "/x.h");
    }

    // A source, or a header for others, that no CMakeLists.txt names is never compiled.
    void check_is_built() {
        if (file_.is_header() && !file_.is_offered())
            return;
        fs::path below_list;
        for (std::size_t depth = file_.parts.size() - 1; depth > 0; --depth) {
            below_list = file_.parts[depth] / below_list;
            fs::path list_folder = root_;
            for (std::size_t i = 0; i < depth; ++i)
                list_folder /= file_.parts[i];
            const auto list = list_folder / "CMakeLists.txt";
            if (std::error_code error; !fs::exists(list, error))
                continue;
            std::string name = below_list.generic_string();
            name.erase(name.find_last_not_of('/') + 1);
            if (!is_named_in(tests::read_file(list), name))
                add(0, "not named in " + fs::relative(list, root_).generic_string());
            return;
        }
        add(0, "no CMakeLists.txt builds this");
    }

    bool is_named_in(const std::string& list, const std::string& name) const {
        for (auto at = list.find(name); at != std::string::npos; at = list.find(name, at + 1)) {
            const char before = at == 0 ? ' ' : list[at - 1];
            const char after = at + name.size() == list.size() ? ' ' : list[at + name.size()];
            if (std::string_view(" \t\n(\"/").find(before) != std::string_view::npos &&
                std::string_view(" \t\n)\"").find(after) != std::string_view::npos)
                return true;
        }
        return false;
    }

    void check_include(const Include& include) {
        if (include.form == '?') {
            add(include.line, "this include cannot be read: " + include.header);
        } else if (include.form == '"') {
            check_private_include(include);
        } else if (include.header.starts_with("fardel/")) {
            check_arrow(include);
        } else {
            check_third_party(include);
        }
    }

    void check_private_include(const Include& include) {
        if (file_.is_offered())
            return add(include.line,
                       std::string(file_.tier()) + " header includes the private " + in_quotes(include.header));
        if (include.header.starts_with("fardel/"))
            return add(include.line, "public headers are included as <" + include.header + ">");
        if (is_format_only(include.header) || include.header == "physfs.h")
            return check_third_party(include);
        for (const auto& part : fs::path(include.header))
            if (part == ".." || part == ".")
                return add(include.line, in_quotes(include.header) + " leaves its folder; private headers stay inside");

        // A private header is beside the file or relative to its folder; a test also includes the private headers of
        // the folder that it tests, and a fuzz target those of every library.
        std::vector<fs::path> folders{file_.path.parent_path(), root_ / file_.parts[0]};
        if (file_.parts[0] == "tests" && file_.parts.size() > 2) {
            for (const Folder& folder : kFolders)
                if (folder.name == file_.parts[1] || (file_.parts[1] == "fuzz" && !folder.short_name.empty()))
                    folders.push_back(root_ / folder.name);
        }
        std::error_code error;
        const auto found = [&](const fs::path& folder) { return fs::exists(folder / include.header, error); };
        if (std::ranges::none_of(folders, found))
            add(include.line, in_quotes(include.header) + " is no private header of this folder");
    }

    void check_arrow(const Include& include) {
        std::string_view rest = std::string_view(include.header).substr(7);
        const auto slash = rest.find('/');
        const Folder* target = find_folder_of(rest.substr(0, slash));
        if (slash == std::string_view::npos || target == nullptr)
            return add(include.line, "<" + include.header + "> is not <fardel/SHORT/x.h> of a folder that we have");
        std::error_code error;
        const bool internal = fs::exists(root_ / target->name / "internal" / include.header, error);
        if (!internal && !fs::exists(root_ / target->name / "include" / include.header, error))
            add(include.line, "<" + include.header + "> does not exist in " + std::string(target->name));
        if (internal && file_.is_public())
            add(include.line, "a public header includes the internal <" + include.header + ">");
        if (internal && file_.folder->name == "samples")
            add(include.line, "a sample includes <" + include.header + ">, which is not installed");
        const Folder& self = *file_.folder;
        const bool allowed = self.reaches_all || target == &self || target->name == "base" ||
                             contains(self.may_reach, target->short_name);
        if (!allowed)
            add(include.line, std::string(self.name) + " must not include " + std::string(target->name));
    }

    void check_third_party(const Include& include) {
        const auto& header = include.header;
        if (file_.is_offered()) {
            if (header.find_first_of("./") != std::string::npos && !contains(kPublicCHeaders, header))
                add(include.line, std::string(file_.tier()) +
                                      " header includes only ours and the standard library's, not <" + header + ">");
        } else if (matches(kSystem, header)) {
            if (!contains(kMayIncludeSystem, file_.folder->name))
                add(include.line, "only base includes <" + header + ">");
        } else if (is_format_only(header) && file_.folder->name != "bundle-format" && file_.folder->name != "bench") {
            add(include.line, "only bundle-format includes <" + header + ">");
        } else if (header == "physfs.h" && (!file_.leaf().starts_with("physfs_") || file_.leaf().ends_with(".h"))) {
            add(include.line, "only sources named physfs_* include <physfs.h>");
        } else if (is_for_other_files(header, file_.relative()) && !contains(kOutsideProduct, file_.folder->name)) {
            add(include.line, "docs/architecture.md names the files that include <" + header + ">");
        }
    }

    const fs::path& root_;
    const SourceFile& file_;
    std::vector<Finding>& findings_;
};

// ---- The tree -------------------------------------------------------------------------------------------------------

bool is_cpp_like(const fs::path& path) {
    static const std::set<std::string> kSuffixes{".h",   ".hh",  ".hpp", ".hxx", ".c",  ".cc",
                                                 ".cpp", ".cxx", ".inc", ".ipp", ".inl"};
    return kSuffixes.contains(path.extension().string());
}

// Returns the C and C++ files of this repository; `build`, documents and hidden folders are skipped.
std::vector<SourceFile> source_files_of(const fs::path& root) {
    static const std::set<std::string> kNotOurs{"build", "docs", "cmake", "setup"};
    std::vector<SourceFile> files;
    for (fs::recursive_directory_iterator entry(root), end; entry != end; ++entry) {
        const auto relative = entry->path().lexically_relative(root);
        const auto top = relative.begin()->string();
        if (entry.depth() == 0 && entry->is_directory() && (kNotOurs.contains(top) || top.starts_with("."))) {
            entry.disable_recursion_pending();
        } else if (entry->is_regular_file() && is_cpp_like(entry->path())) {
            SourceFile file{entry->path(), {}, find_folder(top)};
            for (const auto& part : relative)
                file.parts.push_back(part.string());
            files.push_back(std::move(file));
        }
    }
    return files;
}

}  // namespace

std::string format_finding(const Finding& finding) {
    return finding.file + ":" + (finding.line == 0 ? "" : std::to_string(finding.line) + ":") + " " + finding.text;
}

std::map<std::string, std::set<std::string>> folder_arrows() {
    std::map<std::string, std::set<std::string>> arrows;
    for (const Folder& folder : kFolders) {
        if (folder.reaches_all)
            continue;
        std::set<std::string>& targets = arrows[std::string(folder.name)];
        if (folder.name != "base")
            targets.insert("base");
        for (const std::string_view short_name : folder.may_reach)
            if (const Folder* const target = find_folder_of(short_name))
                targets.emplace(target->name);
    }
    return arrows;
}

std::vector<std::string> product_folders() {
    std::vector<std::string> names;
    for (const Folder& folder : kFolders)
        if (!contains(kOutsideProduct, folder.name))
            names.emplace_back(folder.name);
    return names;
}

std::vector<Finding> check_tree(const fs::path& root) {
    std::vector<Finding> findings;
    for (const SourceFile& file : source_files_of(root)) {
        if (file.folder == nullptr)
            findings.push_back({file.relative(), 0, "docs/architecture.md has no folder " + in_quotes(file.parts[0])});
        else
            FileCheck(root, file, findings).check();
    }
    std::ranges::sort(findings, {}, [](const Finding& f) { return std::tie(f.file, f.line, f.text); });
    return findings;
}

}  // namespace fardel::arrows
