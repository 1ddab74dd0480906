#include "mounts.h"

#include "bundles/store_option.h"
#include "console/figures.h"

#include <fardel/format/name.h>
#include <fardel/format/trust_policy.h>
#include <fardel/sources/legacy_archives.h>
#include <fardel/vfs/inspect.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kMissingShown = 5;  // per mount
constexpr std::size_t kIdDigitsMin = 8;   // of a bundle in the store

bool may_name_stored_bundle(const std::string& word) {
    std::error_code unknown;
    return word.size() >= kIdDigitsMin && word.find_first_not_of("0123456789abcdef") == std::string::npos &&
           !std::filesystem::exists(word, unknown);
}

// Adds the bundle and its static dependencies, except those that are there already.
Status add_stored(MountChange& change, std::set<BundleId>& added, const BundleStore& store, const std::string& digits,
                  const MountOptions& options) {
    FARDEL_TRY_ASSIGN(const BundleId wanted, store.find(digits));
    FARDEL_TRY_ASSIGN(const auto bundles, store.closure(wanted));
    for (const BundleId& id : bundles) {
        if (!added.insert(id).second)
            continue;
        FARDEL_TRY_ASSIGN(auto source, store.open_bundle(id));
        change.mount.push_back({.subject = std::move(source), .options = options});
        change.mount.back().options.label = id.hex();
    }
    return ok();
}

// The same, from servers. A shortened id is one of the store's.
Status add_remote(MountChange& change, std::set<BundleId>& added, const BundleStore& store, RemoteMounting& remote,
                  const std::string& digits, const MountOptions& options) {
    auto wanted = BundleId::parse(digits);
    if (!wanted) {
        wanted = store.find(digits);
        if (!wanted)
            return std::move(wanted).error().with_context("a bundle on a server is named by all 64 digits of its id");
    }
    FARDEL_TRY_ASSIGN(auto mounts, open_remote_bundles(store, remote.servers, *wanted, options.policy, options.time));
    for (RemoteMount& mount : mounts) {
        if (!added.insert(mount.bundle).second)
            continue;
        change.mount.push_back({.subject = std::move(mount.source), .options = options});
        change.mount.back().options.label = mount.bundle.hex();
        if (mount.remote)
            remote.bundles.push_back(std::move(mount.remote));
    }
    return ok();
}

}  // namespace

void add_mounting_options(CommandLine& line, MountingOptions& options) {
    line.text("--trust", "POLICY", options.policy_path,
              "Mount only bundles that this policy trusts (default: any bundle)");
    line.flag("--require-dependencies", options.require_dependencies,
              "Refuse a bundle if a static dependency of it is not among the bundles");
    line.text("--store", "DIR", options.store,
              "A store, whose bundles can be named by their ids, or at least the first 8 digits (default: that of the "
              "variable FARDEL_STORE)");
}

Status mount_all(Vfs& vfs, const std::vector<std::string>& files, const MountingOptions& options,
                 RemoteMounting* remote) {
    std::optional<TrustPolicy> policy;
    if (!options.policy_path.empty()) {
        FARDEL_TRY_ASSIGN(policy, read_trust_policy(options.policy_path));
    }
    FARDEL_TRY_ASSIGN(const auto store, find_store(options.store));
    const MountOptions mount{.policy = policy ? &*policy : nullptr,
                             .allow_unsigned = !policy,
                             .require_dependencies = options.require_dependencies,
                             .archives = make_archive_reader()};
    MountChange change;
    std::set<BundleId> stored;
    for (const std::string& file : files) {
        if (store && remote != nullptr && may_name_stored_bundle(file))
            FARDEL_TRY(add_remote(change, stored, *store, *remote, file, mount));
        else if (store && may_name_stored_bundle(file))
            FARDEL_TRY(add_stored(change, stored, *store, file, mount));
        else
            change.mount.push_back({.subject = file, .options = mount});
    }
    FARDEL_TRY(vfs.apply(std::move(change)));
    return ok();
}

void say_missing_dependencies(const Vfs& vfs, Console& console) {
    for (const MountDescription& mount : vfs.mounts()) {
        const auto& missing = mount.missing_dependencies;
        if (missing.empty())
            continue;
        std::string list;
        for (std::size_t i = 0; i < std::min(missing.size(), kMissingShown); ++i)
            list += (i == 0 ? "" : ", ") + missing[i].hex();
        if (missing.size() > kMissingShown)
            list += fmt::format(" and {} more", missing.size() - kMissingShown);
        console.say(
            fmt::format("fardel: {}: static dependencies are not mounted, and references into them lead "
                        "nowhere: {}; 'fardel links' lists what is missing",
                        printable(mount.label), list));
    }
}

void say_incomplete_bundles(const Vfs& vfs, const MountingOptions& options, Console& console) {
    const auto store = find_store(options.store);
    if (!store || !*store)
        return;
    const auto stored = (*store)->list();
    if (!stored)
        return;
    for (const MountDescription& mount : vfs.mounts())
        for (const StoredBundle& bundle : *stored)
            if (bundle.bundle == mount.bundle && mount.label == bundle.bundle.hex() &&
                bundle.held_bytes < bundle.file_bytes)
                console.say(fmt::format(
                    "fardel: {}: incomplete: {} of {} are here; reading the rest is an error until "
                    "'fardel fetch' has brought it",
                    short_id(bundle.bundle), format_size(bundle.held_bytes), format_size(bundle.file_bytes)));
}

MountLabels labels_of(const Vfs& vfs) {
    MountLabels labels;
    for (const MountDescription& mount : vfs.mounts())
        labels[mount.id] = mount.label;
    return labels;
}

}  // namespace fardel
