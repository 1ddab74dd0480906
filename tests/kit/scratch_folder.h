// A folder for one test case below the system's temporary folder; it is removed with its content at the end of the
// case.
#pragma once

#include "files.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace fardel::tests {

class ScratchFolder {
public:
    ScratchFolder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "fardel-test-XXXXXX").string();
        REQUIRE(::mkdtemp(pattern.data()) != nullptr);
        root_ = pattern;
    }
    ~ScratchFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(root_, ignored);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    const std::filesystem::path& root() const { return root_; }
    std::string path(std::string_view name) const { return (root_ / name).string(); }

    // Creates or replaces the file, creates its folders, and returns its path.
    std::string write(std::string_view name, std::string_view content) const {
        const std::filesystem::path file = root_ / name;
        std::filesystem::create_directories(file.parent_path());
        write_file(file, content);
        return file.string();
    }
    std::string write(std::string_view name, std::span<const std::byte> content) const {
        return write(name, std::string_view(reinterpret_cast<const char*>(content.data()), content.size()));
    }
    std::string write_program(std::string_view name, std::string_view content) const {
        const std::string file = write(name, content);
        make_executable(file);
        return file;
    }
    std::string read(std::string_view name) const { return read_file(root_ / name); }

private:
    std::filesystem::path root_;
};

}  // namespace fardel::tests
