// Whole files, a folder for one test case, and the blocks of documents. Brings std::filesystem and std::fstream along.
#pragma once

#include "test.h"

#include <fardel/base/utf8_path.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <system_error>

namespace fardel::tests {

namespace fs = std::filesystem;

// The file must exist.
inline std::string read_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    REQUIRE_MESSAGE(in, path.string() << " cannot be read");
    std::string content = read_whole(in);
    REQUIRE_MESSAGE(!in.bad(), path.string() << " cannot be read to its end");
    return content;
}

// Creates or replaces the file. Its folder must exist.
inline void write_file(const std::filesystem::path& path, std::string_view content) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(content.data(), static_cast<std::streamsize>(content.size()));
    out.close();
    REQUIRE_MESSAGE(out, path.string() << " cannot be written");
}

inline void write_file(const std::filesystem::path& path, std::span<const std::byte> content) {
    write_file(path, std::string_view(reinterpret_cast<const char*>(content.data()), content.size()));
}

// Flips one bit of the byte at `offset`, also of a file that can only be read. The file stays the same one and keeps
// its size, because programs may have it mapped.
inline void flip_bit(const fs::path& path, std::size_t offset) {
    fs::permissions(path, fs::perms::owner_write, fs::perm_options::add);
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(static_cast<std::streamoff>(offset));
    const char byte = static_cast<char>(file.get() ^ 1);
    file.seekp(static_cast<std::streamoff>(offset));
    file.put(byte);
    REQUIRE(file.flush());
}

// The regular files below a folder, sorted; none if there is no folder.
inline std::vector<fs::path> paths_below(const fs::path& folder) {
    std::vector<fs::path> paths;
    if (fs::exists(folder))
        for (const auto& entry : fs::recursive_directory_iterator(folder))
            if (entry.is_regular_file())
                paths.push_back(entry.path());
    std::ranges::sort(paths);
    return paths;
}

// Their contents, by path in the folder.
inline std::map<std::string, std::string> files_below(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const fs::path& path : paths_below(folder))
        files[utf8_of_path(path.lexically_relative(folder))] = read_file(path);
    return files;
}

inline std::uint64_t bytes_below(const fs::path& folder) {
    std::uint64_t bytes = 0;
    for (const fs::path& path : paths_below(folder))
        bytes += fs::file_size(path);
    return bytes;
}

// Files whose writing broke off.
inline std::size_t temporary_files(const fs::path& folder) {
    const auto paths = paths_below(folder);
    return static_cast<std::size_t>(std::ranges::count(paths, ".tmp", &fs::path::extension));
}

// The only file of a folder that must have one.
inline fs::path only_file(const fs::path& folder) {
    const auto paths = paths_below(folder);
    REQUIRE(paths.size() == 1);
    return paths[0];
}

inline void make_executable(const std::filesystem::path& path) {
    std::filesystem::permissions(path, std::filesystem::perms::owner_exec, std::filesystem::perm_options::add);
}

// Waits until nothing that was written so far looks young, which takes 50 ms (base/path_stamp.cpp) and a tick of the
// clock: then a build remembers the files that exist, and later writes get another time. The times that count are the
// system's own, which no test can set.
inline void grow_old() { std::this_thread::sleep_for(std::chrono::milliseconds(65)); }

// A folder for one test case below the system's temporary folder; it is removed with its content at the end of the
// case.
class ScratchFolder {
public:
    ScratchFolder() {
        std::random_device random;
        do {
            root_ = std::filesystem::temp_directory_path() / ("fardel-test-" + std::to_string(random()));
        } while (!std::filesystem::create_directory(root_));
        std::filesystem::permissions(root_, std::filesystem::perms::owner_all);
    }
    ~ScratchFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(root_, ignored);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    const std::filesystem::path& root() const { return root_; }
    std::string path(std::string_view name) const { return utf8_of_path(root_ / path_from_utf8(name)); }

    // Creates or replaces the file, creates its folders, and returns its path.
    std::string write(std::string_view name, std::string_view content) const {
        const std::filesystem::path file = root_ / path_from_utf8(name);
        std::filesystem::create_directories(file.parent_path());
        write_file(file, content);
        return utf8_of_path(file);
    }
    std::string write(std::string_view name, std::span<const std::byte> content) const {
        return write(name, std::string_view(reinterpret_cast<const char*>(content.data()), content.size()));
    }
    std::string write_program(std::string_view name, std::string_view content) const {
        const std::string file = write(name, content);
        make_executable(file);
        return file;
    }
    std::string read(std::string_view name) const { return read_file(root_ / path_from_utf8(name)); }

private:
    std::filesystem::path root_;
};

// Returns the first block that is fenced as "```<fence>". Fails the test if there is none.
inline std::string document_block(const std::filesystem::path& document, const std::string& fence) {
    const std::string text = read_file(document);
    const std::string start = "```" + fence + "\n";
    const auto begin = text.find(start);
    REQUIRE(begin != std::string::npos);
    const auto end = text.find("```", begin + start.size());
    REQUIRE(end != std::string::npos);
    return text.substr(begin + start.size(), end - begin - start.size());
}

}  // namespace fardel::tests
