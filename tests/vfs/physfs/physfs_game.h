// The calls of a game that uses PhysicsFS, for tests: start it with the archiver, query it, and stop it.
#pragma once

#include <fardel/vfs/physfs_archiver.h>

#include <string>
#include <vector>

namespace fardel::tests {

// Initialises PhysicsFS for a scope.
class PhysfsGame {
public:
    explicit PhysfsGame(PhysfsArchiverOptions options = {.allow_unsigned = true});
    ~PhysfsGame();
    PhysfsGame(const PhysfsGame&) = delete;
    PhysfsGame& operator=(const PhysfsGame&) = delete;
};

// "ok", or PhysicsFS's name for the last error, "corrupt", which is then cleared.
std::string physfs_outcome(bool good);
// Calls PHYSFS_mount(), appending to the search path.
std::string physfs_mount(const std::string& archive, const std::string& mount_point = "/");
// The file's bytes, or "<open: not found>", "<read: corrupt>".
std::string physfs_content(const std::string& name);
// "a b c", sorted, with repetitions; or "<corrupt>".
std::string physfs_listing(const std::string& folder);
// "regular 12 ro", "directory 0 ro", "<not found>".
std::string physfs_stat(const std::string& name);
// The search path's element that has the name, or "".
std::string physfs_real_dir(const std::string& name);

}  // namespace fardel::tests
