// What hides what over all mounts of a Vfs: one record for each path that more than one mount publishes. Plain values.
#pragma once

#include <fardel/format/ids.h>
#include <fardel/vfs/mount.h>

#include <optional>
#include <string>
#include <vector>

namespace fardel {

// What one mount has at a path.
struct ConflictSide {
    MountId mount{};
    std::optional<AssetId> asset;  // the one open() would give; nothing: a tombstone, which hides the name
    friend bool operator==(const ConflictSide&, const ConflictSide&) = default;
};

struct Conflict {
    std::string path;                  // "/maps/dm01.bsp", spelled as the mount has it whose turn it was to tell
    ConflictSide winner;               // what find() follows
    std::vector<ConflictSide> hidden;  // highest precedence first; not empty
    // Whether all of them give the same asset, so that it does not matter who wins.
    bool harmless() const noexcept;
};

}  // namespace fardel
