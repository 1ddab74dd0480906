// Bundles mounted as a game would, for verbs that look at several together.
#pragma once

#include <fardel/format/result.h>
#include <fardel/vfs/vfs.h>

#include <map>
#include <string>
#include <vector>

namespace fardel {

// By which messages name them.
using MountLabels = std::map<MountId, std::string>;
MountLabels labels_of(const Vfs& vfs);

// In this order, at the root; later ones win. `policy_path`: only what this policy trusts; empty: anything, tainted.
Status mount_all(Vfs& vfs, const std::vector<std::string>& files, const std::string& policy_path);

}  // namespace fardel
