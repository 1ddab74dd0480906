// Pure mode's lock: of everything that is mounted, what a policy leaves visible.
#pragma once

#include "mount_set.h"

#include <fardel/vfs/pure_judgement.h>
#include <fardel/vfs/pure_policy.h>

#include <memory>

namespace fardel {

PureJudgement judge(const MountSet& mounted, const PurePolicy& policy);
// The set that readers see.
std::shared_ptr<const MountSet> lock_mounts(const MountSet& mounted, const std::shared_ptr<const PurePolicy>& policy);

}  // namespace fardel
