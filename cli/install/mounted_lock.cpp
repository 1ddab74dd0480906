#include "install/mounted_lock.h"

#include "bundles/store_option.h"
#include "channel/followed_channel.h"
#include "install/lock_option.h"

#include <fardel/delivery/install.h>

#include <utility>

namespace fardel {

void add_lock_options(CommandLine& line, LockChoice& choice) {
    line.text("--lock", "FILE", choice.path,
              "A lock file: mount what 'fardel install' has installed by it. A mod that has been recalled, has expired "
              "or lacks its licence is left out, and said");
    line.flag("--strict", choice.strict, "With --lock: mount nothing if anything of it would be left out");
    line.texts("--need", "NAME", choice.needed,
               "With --lock: this was installed by name and is never left out, such as the game; may be repeated");
}

Result<ChannelSubject> plan_lock(const LockChoice& choice, std::vector<std::string>& words, MountingOptions& mounting,
                                 Console& console) {
    FARDEL_TRY(open_lock(choice.path));
    FARDEL_TRY_ASSIGN(const BundleStore store, open_store(mounting.store, false));
    FARDEL_TRY_ASSIGN(auto own, find_policy(mounting.policy_path));
    FARDEL_TRY_ASSIGN(ChannelSubject subject, subject_of({}, std::move(own)));
    InstalledUse use{.time = {}, .leave_out = !choice.strict, .needed = choice.needed, .licenses = {}};
    FARDEL_TRY_ASSIGN(use.licenses, licenses_of(mounting));
    FARDEL_TRY_ASSIGN(const InstalledSet installed, read_installed(store, choice.path, subject, use));
    for (const LeftOutBundle& one : installed.left_out)
        console.say("fardel: " + one.text());
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
