// A game that has a bundle open while other programs replace it:
//
//     held_bundle BUNDLE PATH GO
//
// Prints the asset before and after the file GO appears.
#include <fardel/vfs/vfs.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>

namespace {

constexpr std::chrono::milliseconds kBetweenLooks{50};
constexpr std::chrono::minutes kLongest{2};

fardel::Status print(const fardel::Vfs& vfs, const char* path) {
    FARDEL_TRY_ASSIGN(const auto file, vfs.open(path));
    FARDEL_TRY_ASSIGN(const auto bytes, file.read_all());
    std::printf("%.*s\n", static_cast<int>(bytes.size()), reinterpret_cast<const char*>(bytes.data()));
    std::fflush(stdout);
    return fardel::ok();
}

fardel::Status play(const char* bundle, const char* path, const char* go) {
    fardel::Vfs vfs;
    FARDEL_TRY(vfs.mount(bundle, {.allow_unsigned = true}));
    FARDEL_TRY(print(vfs, path));
    const auto end = std::chrono::steady_clock::now() + kLongest;
    while (!std::ifstream(go) && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(kBetweenLooks);
    return print(vfs, path);
}

}  // namespace

int main(int count, char** words) {
    if (count != 4)
        return 2;
    const fardel::Status status = play(words[1], words[2], words[3]);
    if (!status)
        std::fprintf(stderr, "%s\n", status.error().text().c_str());
    return status ? 0 : 1;
}
