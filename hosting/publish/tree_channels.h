// What the heads of all channels in a static tree name, for a program that has no root of trust: whatever is
// well-formed counts, whoever signed it, and nothing that cannot be read is passed over.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/channel.h>
#include <fardel/format/ids.h>
#include <fardel/hosting/tree_target.h>

#include <cstdint>
#include <string>
#include <vector>

namespace fardel {

// The release that the head of a channel names.
struct NamedRelease {
    std::string channel;
    std::uint64_t version = 0;
    std::string path;  // below the tree
    std::vector<ReleasedBundle> bundles;
};

struct TreeChannels {
    std::vector<NamedRelease> newest;  // an entry per channel that has releases, in the order of the paths of heads
    std::vector<TreeFile> releases;    // all of them, and the texts about what their bundles need, by path
};

// Errors: malformed, corrupt, conflict, limit, unsupported (a head, or the release that it names, is not one of its
// channel), unresolved (there is no such release, or a channel with releases has no head), those of the target.
Result<TreeChannels> read_tree_channels(TreeTarget& tree);

}  // namespace fardel
