#include "mounts.h"

#include "bundles/bundle_file.h"
#include "bundles/license_file.h"
#include "bundles/store_option.h"
#include "console/figures.h"

#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/format/dependencies.h>
#include <fardel/format/name.h>
#include <fardel/format/trust_policy.h>
#include <fardel/packer/build.h>
#include <fardel/sources/legacy_archives.h>
#include <fardel/vfs/inspect.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kMissingShown = 5;  // per mount
constexpr std::size_t kIdDigitsMin = 8;   // of a bundle in the store

bool may_name_stored_bundle(const std::string& word) {
    return word.size() >= kIdDigitsMin && word.find_first_not_of("0123456789abcdef") == std::string::npos &&
           !file_exists(word);
}

// Collects what is mounted, in order.
class MountPlan {
public:
    MountPlan(const BundleStore* store, std::shared_ptr<const BundleLibrary> library, RemoteMounting* remote,
              MountOptions options, const std::map<BundleId, std::vector<BundleId>>& resolved)
        : resolved_(resolved),
          store_(store),
          library_(std::move(library)),
          lookup_(store, library_.get()),
          remote_(remote),
          options_(std::move(options)) {}

    Status add(const std::vector<std::string>& words) {
        // All files are opened before the first is mounted: what one of them needs may be a later one, and is then not
        // taken from the store.
        const bool has_lookup = store_ != nullptr || library_ != nullptr;
        std::vector<std::shared_ptr<const Bundle>> files(words.size());  // nullptr: not a bundle file
        for (std::size_t i = 0; has_lookup && i < words.size(); ++i) {
            if (may_name_stored_bundle(words[i]))
                continue;
            // What cannot be opened is reported when it is mounted.
            if (auto opened = open_bundle(words[i])) {
                files[i] = *std::move(opened);
                added_.insert(files[i]->id());
            }
        }
        for (std::size_t i = 0; i < words.size(); ++i)
            FARDEL_TRY(add_word(words[i], files[i].get(), has_lookup));
        return ok();
    }

    MountChange take() { return std::move(change_); }

private:
    Status add_word(const std::string& word, const Bundle* file, bool has_lookup) {
        if (has_lookup && may_name_stored_bundle(word))
            return remote_ != nullptr ? add_remote(word) : add_stored(word);
        if (file != nullptr)
            FARDEL_TRY(add_needs(*file));
        change_.mount.push_back({.subject = word, .options = options_});
        return ok();
    }

    Status add_stored(const std::string& digits) {
        FARDEL_TRY_ASSIGN(const BundleId wanted, lookup_.find(digits));
        FARDEL_TRY_ASSIGN(const auto bundles, lookup_.closure(wanted));
        return add_bundles(bundles);
    }

    // What is not there may be among the files, or is reported as missing.
    Status add_needs(const Bundle& bundle) {
        FARDEL_TRY_ASSIGN(const auto needs, static_dependencies(bundle));
        for (const BundleId& id : needs) {
            if (added_.contains(id))
                continue;
            const auto closure = lookup_.closure(id);
            const bool is_absent = !closure && (closure.error().code() == ErrorCode::missing ||
                                                closure.error().code() == ErrorCode::unresolved);
            if (is_absent)
                continue;
            FARDEL_TRY_ASSIGN(const auto bundles, closure);
            FARDEL_TRY(add_bundles(bundles));
        }
        return ok();
    }

    // Adds bundles, except those that are there already.
    Status add_bundles(const std::vector<BundleId>& bundles) {
        for (const BundleId& id : bundles) {
            if (!added_.insert(id).second)
                continue;
            FARDEL_TRY_ASSIGN(auto source, lookup_.open_bundle(id));
            add_source(id, std::move(source));
        }
        return ok();
    }

    // Adds a bundle and what it needs from servers. A shortened id is one of the store's or the library's.
    Status add_remote(const std::string& digits) {
        auto wanted = BundleId::parse(digits);
        if (!wanted) {
            wanted = lookup_.find(digits);
            if (!wanted)
                return std::move(wanted).error().with_context(
                    "a bundle on a server is named by all 64 digits of its id");
        }
        FARDEL_TRY_ASSIGN(auto mounts, open_remote_bundles(*store_, remote_->servers, *wanted, options_.policy,
                                                           options_.time, library_));
        for (RemoteMount& mount : mounts) {
            if (!added_.insert(mount.bundle).second)
                continue;
            add_source(mount.bundle, std::move(mount.source));
            if (mount.remote)
                remote_->bundles.push_back(std::move(mount.remote));
        }
        return ok();
    }

    void add_source(const BundleId& id, std::shared_ptr<const ByteSource> source) {
        change_.mount.push_back({.subject = std::move(source), .options = options_});
        change_.mount.back().options.label = id.hex();
        if (const auto found = resolved_.find(id); found != resolved_.end())
            change_.mount.back().options.resolved = found->second;
    }

    const std::map<BundleId, std::vector<BundleId>>& resolved_;

    const BundleStore* const store_;
    const std::shared_ptr<const BundleLibrary> library_;
    const BundleLookup lookup_;
    RemoteMounting* const remote_;
    const MountOptions options_;
    std::set<BundleId> added_;  // and files that are going to be
    MountChange change_;
};

// The same, with folders and projects, and with `bundles` bundle files, that are watched. They are read again later,
// when the program may be in another folder.
MountChange watching(MountChange change, bool bundles) {
    for (MountRequest& request : change.mount) {
        auto* const path = std::get_if<std::string>(&request.subject);
        if (path == nullptr || !(bundles || path->ends_with(".toml") || folder_exists(*path)))
            continue;
        request.options.watch = true;
        request.options.label = *path;
        if (auto whole = absolute_path(*path))
            *path = *std::move(whole);
    }
    return change;
}

}  // namespace

void add_mounting_options(CommandLine& line, MountingOptions& options) {
    line.text("--trust", "POLICY", options.policy_path,
              "Mount only bundles that this policy trusts (default: any bundle)");
    line.flag("--require-dependencies", options.require_dependencies,
              "Refuse a bundle if something that it depends on, by id or by name, is not among the bundles");
    line.flag("--fold", options.fold, "Find names in any case, as on Windows (default: only as they are spelled)");
    line.text("--target", "NAME", options.project_target, "Of a project with several targets, this one");
    line.texts("--license", "TOKEN", options.licenses,
               "A licence token, for bundles that require one; those of the store count, too. Repeat for more");
    line.text("--store", "DIR", options.store,
              fmt::format("A store, whose bundles can be named by their ids, or at least the first 8 digits {}",
                          kStoreDefault));
    add_library_option(line, options.libraries);
}

Result<std::shared_ptr<const TrustPolicy>> find_policy(const std::string& path) {
    if (path.empty())
        return std::shared_ptr<const TrustPolicy>();
    FARDEL_TRY_ASSIGN(TrustPolicy policy, read_trust_policy(path));
    return std::make_shared<const TrustPolicy>(std::move(policy));
}

VfsOptions vfs_options() { return {.digest_folder = index_folder_of("folders")}; }

Result<std::vector<Envelope>> licenses_of(const MountingOptions& options) {
    FARDEL_TRY_ASSIGN(auto licenses, read_license_tokens(options.licenses));
    FARDEL_TRY_ASSIGN(const auto store, find_store(options.store));
    if (store) {
        FARDEL_TRY_ASSIGN(const auto stored, store->licenses());
        licenses.insert(licenses.end(), stored.begin(), stored.end());
    }
    return licenses;
}

Result<MountOptions> mount_options_of(const MountingOptions& options, const TrustPolicy* policy) {
    MountOptions mount{.case_rule = options.fold ? CaseRule::fold : CaseRule::exact,
                       .policy = policy,
                       .allow_unsigned = policy == nullptr,
                       .require_dependencies = options.require_dependencies,
                       .archives = make_archive_reader(),
                       .projects = make_project_reader({.reads_configuration = true}),
                       .project_target = options.project_target};
    FARDEL_TRY_ASSIGN(mount.licenses, licenses_of(options));
    return mount;
}

Status mount_all(Vfs& vfs, const std::vector<std::string>& files, const MountingOptions& options,
                 RemoteMounting* remote) {
    std::shared_ptr<const TrustPolicy> policy = options.policy;
    if (!policy) {
        FARDEL_TRY_ASSIGN(policy, find_policy(options.policy_path));
    }
    FARDEL_TRY_ASSIGN(MountOptions mount, mount_options_of(options, policy.get()));
    FARDEL_TRY_ASSIGN(const auto store, find_store(options.store));
    FARDEL_TRY_ASSIGN(const auto library, find_library(options.libraries));
    MountPlan plan(store ? &*store : nullptr, library, remote, std::move(mount), options.resolved);
    FARDEL_TRY(plan.add(files));
    MountChange change = plan.take();
    if (options.watch) {
        const auto watched = vfs.apply(watching(change, options.watch_bundles));
        const bool is_refused = !watched && (watched.error().code() == ErrorCode::limit ||
                                             watched.error().code() == ErrorCode::unsupported);
        // The system may have no more watches, or none at all: the folders are mounted nevertheless.
        if (!is_refused)
            return watched ? ok() : Status(watched.error());
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
            list += (i == 0 ? "" : ", ") +
                    (missing[i].requirement.empty() ? missing[i].bundle.hex() : printable(missing[i].requirement));
        if (missing.size() > kMissingShown)
            list += fmt::format(" and {} more", missing.size() - kMissingShown);
        console.say(
            fmt::format("fardel: {}: dependencies are not mounted, and references into them lead nowhere: {}; "
                        "'fardel links' lists what is missing",
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
