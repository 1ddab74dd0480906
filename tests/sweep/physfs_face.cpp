// The bundle in a game that uses PhysicsFS.
#include "faces.h"
#include "files.h"

#include <fardel/vfs/physfs_archiver.h>

#include <physfs.h>

#include <array>

namespace fardel::sweep {
namespace {

using Fault = std::function<void(const std::string&)>;

PHYSFS_EnumerateCallbackResult keep_name(void* names, const char*, const char* name) noexcept {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return PHYSFS_ENUM_OK;
}

struct Content {
    bool opened = false;
    bool whole = false;
    Bytes bytes;
};

Content read_content(const std::string& name) {
    Content content;
    PHYSFS_File* file = PHYSFS_openRead(name.c_str());
    if (file == nullptr)
        return content;
    content.opened = true;
    std::array<std::byte, 4099> part{};
    PHYSFS_sint64 count = 0;
    while (content.bytes.size() < kBytesMax && (count = PHYSFS_readBytes(file, part.data(), part.size())) > 0)
        content.bytes.insert(content.bytes.end(), part.begin(), part.begin() + count);
    content.whole = count == 0;
    PHYSFS_close(file);
    return content;
}

void walk_game(const std::string& folder, const Witness& witness, const Fault& fault, std::size_t& entries) {
    std::vector<std::string> names;
    if (PHYSFS_enumerate(folder.c_str(), keep_name, &names) == 0)
        return;
    for (const std::string& name : names) {
        if (++entries > kEntriesMax)
            return;
        const std::string path = folder.empty() ? name : folder + "/" + name;
        PHYSFS_Stat stat{};
        if (PHYSFS_stat(path.c_str(), &stat) == 0)
            continue;
        if (stat.filetype == PHYSFS_FILETYPE_DIRECTORY) {
            walk_game(path, witness, fault, entries);
            continue;
        }
        const Content content = read_content(path);
        if (content.whole && !witness.vouches(path, content.bytes))
            fault("PhysicsFS gives other bytes than the manifest says: " + path);
    }
}

}  // namespace

void read_through_physfs(const BundleCase& bundle, const Witness& witness, bool must_mount, const Fault& fault) {
    if (PHYSFS_init("./game") == 0)
        return fault("PhysicsFS does not start");
    if (const auto registered =
            register_physfs_archiver({.policy = {}, .time = TrustTime::ignored(), .allow_unsigned = true});
        !registered)
        fault("the archiver is not registered: " + registered.error().text());
    const bool mounted = PHYSFS_mount(bundle.bundle().c_str(), nullptr, 1) != 0;
    if (must_mount && !mounted)
        fault("PhysicsFS cannot mount a good bundle");
    std::size_t entries = 0;
    walk_game("", witness, fault, entries);
    if (must_mount)
        for (const auto& [text, name] : witness.names())
            if (name.published && !name.extends && !name.assets.empty() && text.size() < 1000)
                if (const Content content = read_content(text); !content.whole)
                    fault("PhysicsFS cannot read the good name " + text);
    PHYSFS_unmount(bundle.bundle().c_str());

    write_text(bundle.folder / "set", "fardel-set 1\nin.fardel\n");
    (void)PHYSFS_mount((bundle.folder / "set").c_str(), "game", 1);
    entries = 0;
    std::vector<std::string> names;
    (void)PHYSFS_enumerate("game", keep_name, &names);

    auto vfs = std::make_shared<Vfs>();
    (void)vfs->mount(bundle.bundle(), {.time = TrustTime::ignored(), .allow_unsigned = true});
    if (mount_into_physfs(vfs, {.name = "vfs", .mount_point = "vfs"}))
        (void)PHYSFS_enumerate("vfs", keep_name, &names);
    if (PHYSFS_deinit() == 0)
        fault("PhysicsFS does not end");
}

}  // namespace fardel::sweep
