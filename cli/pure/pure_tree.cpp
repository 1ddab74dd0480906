#include "pure_tree.h"

#include "bundles/store_option.h"
#include "pure_files.h"

#include <fardel/format/byte_source.h>
#include <fardel/sources/source_scan.h>
#include <fardel/vfs/inspect.h>
#include <fardel/vfs/pure_check.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

namespace fardel {
namespace {

class PureTree {
public:
    PureTree(Vfs& vfs, const PurePolicy& policy, const BundleLookup& lookup, MountOptions options)
        : vfs_(vfs), wanted_(policy.rules().bundles), lookup_(lookup), options_(std::move(options)) {}

    void add_file(const std::string& file) {
        MountOptions options = options_;
        options.label = std::filesystem::path(file).filename().string();
        const auto kind = find_source_kind(file);
        if (kind && (*kind == SourceKind::folder || *kind == SourceKind::archive)) {
            options.allow_unsigned = true;  // loose files are the policy's to tolerate
            return note(vfs_.mount(file, options), options.label);
        }
        const auto source = open_file_source(file);
        const auto bundle = source ? open_pure_bundle(*source, options.label) : source.error();
        if (!bundle)
            return note(bundle.error(), options.label);
        const auto at = std::ranges::find(wanted_, (*bundle)->id(), &PureBundle::bundle);
        if (at != wanted_.end())
            place(*at, options);
        note(vfs_.mount(*source, options), options.label);
    }

    // The content set that is in no file. What is nowhere, the report of the Vfs names.
    void add_stored() {
        std::set<BundleId> there;
        for (const MountDescription& mount : vfs_.mounts())
            there.insert(mount.bundle);
        for (const PureBundle& wanted : wanted_) {
            if (there.contains(wanted.bundle))
                continue;
            auto source = lookup_.open_bundle(wanted.bundle);
            if (!source)
                continue;
            MountOptions options = options_;
            options.label = wanted.bundle.hex();
            place(wanted, options);
            note(vfs_.mount(*std::move(source), options), wanted.name.empty() ? options.label : wanted.name);
        }
    }

    std::vector<PureProblem> take_problems() { return std::move(problems_); }

private:
    static void place(const PureBundle& wanted, MountOptions& options) {
        options.mount_point = wanted.mount_point;
        options.case_rule = wanted.case_rule;
    }

    void note(const Result<MountId>& mounted, const std::string& name) {
        if (!mounted)
            problems_.push_back(
                make_pure_problem(pure_fault_of(mounted.error().code()), {}, name, mounted.error().text()));
    }

    Vfs& vfs_;
    const std::vector<PureBundle>& wanted_;
    const BundleLookup& lookup_;
    const MountOptions options_;
    std::vector<PureProblem> problems_;
};

}  // namespace

Result<PureReport> mount_pure(Vfs& vfs, const PurePolicy& policy, const std::vector<std::string>& files,
                              const MountingOptions& options) {
    FARDEL_TRY_ASSIGN(const auto trust, find_policy(options.policy_path));
    FARDEL_TRY_ASSIGN(MountOptions mount, mount_options_of(options, trust.get()));
    FARDEL_TRY_ASSIGN(const auto store, find_store(options.store));
    FARDEL_TRY_ASSIGN(const auto library, find_library(options.libraries));
    const BundleLookup lookup(store ? &*store : nullptr, library ? &*library : nullptr);
    vfs.enter_pure(policy);  // first: nothing else is ever visible
    PureTree tree(vfs, policy, lookup, std::move(mount));
    for (const std::string& file : files)
        tree.add_file(file);
    tree.add_stored();
    std::vector<PureProblem> problems = tree.take_problems();
    const auto judged = vfs.pure_report();
    if (judged)
        problems.insert(problems.end(), judged->problems().begin(), judged->problems().end());
    return PureReport(std::move(problems));
}

}  // namespace fardel
