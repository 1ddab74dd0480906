// In place of a fuzzing engine: feeds every file of the given folders to the target, in order of name. Fails when a
// folder cannot be read or has no file: a missing corpus proves nothing.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> files_of(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        if (entry->is_regular_file(error))
            files.push_back(entry->path());
    }
    if (error) {
        std::fprintf(stderr, "%s: %s\n", folder.c_str(), error.message().c_str());
        return {};
    }
    std::ranges::sort(files);
    return files;
}

bool replay(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (!in)
        return false;
    // The heap block has exactly this size, so that a sanitizer detects the first byte past the end.
    const auto exact = std::make_unique<std::uint8_t[]>(content.size());
    std::memcpy(exact.get(), content.data(), content.size());
    LLVMFuzzerTestOneInput(exact.get(), content.size());
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    LLVMFuzzerInitialize(&argc, &argv);
    if (argc < 2) {
        std::fprintf(stderr, "usage: %s RECORD FOLDER…\n", argv[0]);
        return 2;
    }
    std::setvbuf(stdout, nullptr, _IONBF, 0);  // the last name printed is the file that crashed
    for (int i = 1; i < argc; ++i) {
        const auto files = files_of(argv[i]);
        if (files.empty()) {
            std::fprintf(stderr, "%s: no corpus\n", argv[i]);
            return 1;
        }
        for (const fs::path& file : files) {
            std::printf("%s\n", file.c_str());
            if (!replay(file)) {
                std::fprintf(stderr, "%s: cannot be read\n", file.c_str());
                return 1;
            }
        }
        std::printf("%zu files replayed\n", files.size());
    }
    return 0;
}
