#include "physfs_game.h"

#include "kit/test.h"

#include <physfs.h>

#include <array>

namespace fardel::tests {
namespace {

std::string last_error() {
    const PHYSFS_ErrorCode code = PHYSFS_getLastErrorCode();
    const char* text = PHYSFS_getErrorByCode(code);
    return code == PHYSFS_ERR_OK || text == nullptr ? "no error" : text;
}

std::string failed(const char* step) { return "<" + std::string(step) + last_error() + ">"; }

PHYSFS_EnumerateCallbackResult keep(void* names, const char*, const char* name) noexcept {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return PHYSFS_ENUM_OK;
}

}  // namespace

PhysfsGame::PhysfsGame(PhysfsArchiverOptions options) {
    REQUIRE(PHYSFS_init("./game"));
    const auto done = register_physfs_archiver(std::move(options));
    REQUIRE(done);
}

PhysfsGame::~PhysfsGame() { CHECK(PHYSFS_deinit()); }

std::string physfs_outcome(bool good) {
    const std::string error = last_error();
    return good ? "ok" : error;
}

std::string physfs_mount(const std::string& archive, const std::string& mount_point) {
    return physfs_outcome(PHYSFS_mount(archive.c_str(), mount_point.c_str(), 1) != 0);
}

std::string physfs_content(const std::string& name) {
    PHYSFS_getLastErrorCode();
    PHYSFS_File* file = PHYSFS_openRead(name.c_str());
    if (file == nullptr)
        return failed("open: ");
    std::string content;
    std::array<char, 4096> part{};
    PHYSFS_sint64 count = 0;
    while ((count = PHYSFS_readBytes(file, part.data(), part.size())) > 0)
        content.append(part.data(), static_cast<std::size_t>(count));
    if (count < 0)
        content = failed("read: ");
    CHECK(PHYSFS_close(file));
    return content;
}

std::string physfs_listing(const std::string& folder) {
    PHYSFS_getLastErrorCode();
    std::vector<std::string> names;
    if (PHYSFS_enumerate(folder.c_str(), keep, &names) == 0)
        return failed("");
    std::ranges::sort(names);
    std::string out;
    for (const std::string& name : names)
        out += (out.empty() ? "" : " ") + name;
    return out;
}

std::string physfs_stat(const std::string& name) {
    PHYSFS_getLastErrorCode();
    PHYSFS_Stat stat{};
    if (PHYSFS_stat(name.c_str(), &stat) == 0)
        return failed("");
    constexpr const char* kTypes[] = {"regular ", "directory ", "symlink ", "other "};
    return kTypes[stat.filetype] + std::to_string(stat.filesize) + (stat.readonly != 0 ? " ro" : " rw");
}

std::string physfs_real_dir(const std::string& name) {
    const char* found = PHYSFS_getRealDir(name.c_str());
    return found != nullptr ? found : "";
}

}  // namespace fardel::tests
