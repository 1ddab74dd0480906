// A game that uses the shared PhysicsFS and knows nothing of Fardel: it mounts each archive that it is given, prints
// nothing, and ends with the number of those that are mounted.
#include <physfs.h>

int main(int count, char** words) {
    if (PHYSFS_init(words[0]) == 0)
        return 100;
    int mounted = 0;
    for (int i = 1; i < count; ++i)
        mounted += PHYSFS_mount(words[i], nullptr, 1) != 0 ? 1 : 0;
    PHYSFS_deinit();
    return mounted;
}
