// Bundles mounted as a game would mount them, for verbs that look at several together.
#pragma once

#include "console/command_line.h"

#include <fardel/base/result.h>
#include <fardel/vfs/vfs.h>

#include <map>
#include <string>
#include <vector>

namespace fardel {

// The names of mounts in messages.
using MountLabels = std::map<MountId, std::string>;
MountLabels labels_of(const Vfs& vfs);

// Adds --trust, the path of a policy for mount_all().
void add_trust_option(CommandLine& line, std::string& policy_path);

// Mounts the files at the root, in this order; later ones win. With a policy, only what it trusts is mounted; with an
// empty path anything is, and untrusted mounts are tainted. Errors: those of read_trust_policy and Vfs::mount.
Status mount_all(Vfs& vfs, const std::vector<std::string>& files, const std::string& policy_path);

}  // namespace fardel
