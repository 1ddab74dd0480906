#include "install/mounted_lock.h"

#include "bundles/store_option.h"
#include "channel/followed_channel.h"

#include <fardel/delivery/install.h>

#include <utility>

namespace fardel {

Result<ChannelSubject> plan_lock(const std::string& path, std::vector<std::string>& words, MountingOptions& mounting) {
    FARDEL_TRY_ASSIGN(const BundleStore store, open_store(mounting.store, false));
    FARDEL_TRY_ASSIGN(auto own, find_policy(mounting.policy_path));
    FARDEL_TRY_ASSIGN(ChannelSubject subject, subject_of({}, std::move(own)));
    FARDEL_TRY_ASSIGN(const InstalledSet installed, read_installed(store, path, subject));
    for (const InstalledBundle& one : installed.bundles) {
        words.push_back(one.bundle.hex());
        if (!one.resolved.empty())
            mounting.resolved[one.bundle] = one.resolved;
    }
    mounting.policy = installed.policy;
    mounting.require_dependencies = true;
    subject.name = installed.channel;
    return subject;
}

}  // namespace fardel
