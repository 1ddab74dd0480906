#include "pure_tree.h"

#include "bundles/store_option.h"
#include "channel/followed_channel.h"
#include "pure_files.h"

#include <fardel/vfs/inspect.h>
#include <fardel/vfs/pure_check.h>

#include <optional>
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

// What the channels that the server names and the player follows have recalled. A channel that the player does not
// follow means nothing: its root would have to come from somebody whom the player trusts.
Result<std::vector<PureRecalls>> followed_recalls(const PurePolicy& policy, const BundleStore& store,
                                                  const std::shared_ptr<const TrustPolicy>& own) {
    std::vector<PureRecalls> followed;
    for (const PureChannel& channel : policy.rules().channels) {
        FARDEL_TRY_ASSIGN(const ChannelSubject subject, subject_of({.name = channel.name, .root = {}}, own));
        auto state = accepted_channel(store, subject);
        if (!state && state.error().code() == ErrorCode::missing)
            continue;
        if (!state)
            return state.error();
        followed.push_back({.channel = {.name = channel.name, .id = state->id},
                            .bundles = std::move(state->recalled_bundles),
                            .keys = std::move(state->recalled_keys)});
    }
    return followed;
}

}  // namespace

Result<PureReport> mount_pure(Vfs& vfs, const PurePolicy& policy, const std::vector<std::string>& files,
                              const MountingOptions& options) {
    FARDEL_TRY_ASSIGN(const auto store, find_store(options.store));
    FARDEL_TRY_ASSIGN(const auto own, find_policy(options.policy_path));
    std::optional<TrustPolicy> trust = own ? std::optional(*own) : std::nullopt;
    if (trust && store) {
        FARDEL_TRY_ASSIGN(const auto followed, followed_recalls(policy, *store, own));
        FARDEL_TRY_ASSIGN(trust, TrustPolicy::make(without_recalled(own->rules(), policy, followed)));
    }
    FARDEL_TRY_ASSIGN(MountOptions mount, mount_options_of(options, trust ? &*trust : nullptr));
    FARDEL_TRY_ASSIGN(const auto library, find_library(options.libraries));
    const BundleLookup lookup(store ? &*store : nullptr, library.get());
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
