#include "pure_tree.h"

#include "bundles/store_option.h"
#include "channel/followed_channel.h"
#include "pure_files.h"

#include <fardel/vfs/inspect.h>
#include <fardel/vfs/pure_check.h>

#include <set>
#include <utility>

namespace fardel {
namespace {

class PureTree {
public:
    PureTree(Vfs& vfs, const PurePolicy& policy, const BundleLookup& lookup, MountOptions options)
        : vfs_(vfs), policy_(policy), lookup_(lookup), options_(std::move(options)) {}

    void add_file(const std::string& file) {
        if (auto problem = mount_pure_file(vfs_, policy_, file, options_))
            problems_.push_back(*std::move(problem));
    }

    // The content set that is in no file. What is nowhere, the report of the Vfs names.
    void add_stored() {
        std::set<BundleId> there;
        for (const MountDescription& mount : vfs_.mounts())
            there.insert(mount.bundle);
        for (const PureBundle& wanted : policy_.rules().bundles) {
            if (there.contains(wanted.bundle))
                continue;
            auto source = lookup_.open_bundle(wanted.bundle);
            if (!source)
                continue;
            MountOptions options = options_;
            options.label = wanted.bundle.hex();
            place_for_pure(policy_, wanted.bundle, options);
            const auto mounted = vfs_.mount(*std::move(source), options);
            if (!mounted)
                problems_.push_back(make_pure_problem(pure_fault_of(mounted.error().code()), {},
                                                      wanted.name.empty() ? options.label : wanted.name,
                                                      mounted.error().text()));
        }
    }

    std::vector<PureProblem> take_problems() { return std::move(problems_); }

private:
    Vfs& vfs_;
    const PurePolicy& policy_;
    const BundleLookup& lookup_;
    const MountOptions options_;
    std::vector<PureProblem> problems_;
};

// What the player trusts, without what is recalled by the channels that the server names and the player follows. A
// channel that the player does not follow means nothing: its root would have to come from somebody whom the player
// trusts.
Result<std::shared_ptr<const TrustPolicy>> without_recalled(std::shared_ptr<const TrustPolicy> own,
                                                            const PurePolicy& policy, const BundleStore* store) {
    if (own == nullptr || store == nullptr)
        return own;
    TrustRules rules = own->rules();
    for (const PureChannel& channel : policy.rules().channels) {
        FARDEL_TRY_ASSIGN(const ChannelSubject subject, subject_of({.name = channel.name, .root = {}}, own));
        const auto state = accepted_channel(*store, subject);
        if (!state && state.error().code() == ErrorCode::missing)
            continue;
        if (!state)
            return state.error();
        if (state->id != channel.id)
            continue;  // another channel of that name
        const auto add = [](auto& all, const auto& more) { all.insert(all.end(), more.begin(), more.end()); };
        add(rules.revoked_bundles, state->recalled_bundles);
        add(rules.revoked_keys, state->recalled_keys);
    }
    FARDEL_TRY_ASSIGN(TrustPolicy whole, TrustPolicy::make(std::move(rules)));
    return std::make_shared<const TrustPolicy>(std::move(whole));
}

}  // namespace

Result<PureReport> mount_pure(Vfs& vfs, const PurePolicy& policy, const std::vector<std::string>& files,
                              const MountingOptions& options) {
    FARDEL_TRY_ASSIGN(const auto store, find_store(options.store));
    FARDEL_TRY_ASSIGN(auto own, find_policy(options.policy_path));
    FARDEL_TRY_ASSIGN(const auto trust, without_recalled(std::move(own), policy, store ? &*store : nullptr));
    FARDEL_TRY_ASSIGN(MountOptions mount, mount_options_of(options, trust.get()));
    FARDEL_TRY_ASSIGN(const auto library, find_library(options.libraries));
    const BundleLookup lookup(store ? &*store : nullptr, library ? &*library : nullptr);
    PureTree tree(vfs, policy, lookup, std::move(mount));
    for (const std::string& file : files)
        tree.add_file(file);
    tree.add_stored();
    const PureReport judged = vfs.enter_pure(policy);
    std::vector<PureProblem> problems = tree.take_problems();
    problems.insert(problems.end(), judged.problems().begin(), judged.problems().end());
    return PureReport(std::move(problems));
}

}  // namespace fardel
