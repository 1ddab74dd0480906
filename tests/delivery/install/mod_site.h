// A channel whose names have several versions, behind a real nginx, and a player who installs from it.
#pragma once

#include "bundle-format/channel/channel_samples.h"
#include "kit/bundles.h"
#include "kit/files.h"
#include "kit/nginx.h"

#include <fardel/delivery/install.h>
#include <fardel/format/envelope.h>
#include <fardel/format/requirement.h>
#include <fardel/hosting/channel_tree.h>
#include <fardel/hosting/publish.h>
#include <fardel/store/bundle_store.h>
#include <fardel/verifier/verify_bundle.h>
#include <fardel/vfs/vfs.h>

#include <tuple>

namespace fardel::tests {

class ModSite {
public:
    ModSite() { REQUIRE(publish_channel_root(*target_, root_file(sample_root()), kChannelNow)); }

    // A bundle with NAME.txt, "NAME VERSION", and some bytes of its own. The next release has it. `author` signs it.
    BundleId add_bundle(const std::string& name, const std::string& version,
                        const std::vector<std::string>& requirements = {}, Signer* author = nullptr,
                        const std::vector<PlannedMetadata>& more = {}) {
        BundlePlan plan;
        add(plan, name + ".txt", name + " " + version);
        add(plan, name + ".bin", std::string(20'000, 'x') + version);
        plan.metadata = {{.key = "name", .value = name}, {.key = "version", .value = version}};
        for (const std::string& text : requirements) {
            const Requirement one = value_of(Requirement::parse(text));
            plan.metadata.push_back({.key = one.metadata_key(), .value = one.metadata_value()});
        }
        plan.metadata.insert(plan.metadata.end(), more.begin(), more.end());
        Bytes bytes = written(plan);
        const BundleId id = bundle_id_of(bytes);
        if (author != nullptr) {
            const Bytes end = signed_statement(bytes, name, version, *author);
            bytes.insert(bytes.end(), end.begin(), end.end());
        }
        value_of(publish_bundle(make_memory_source(bytes), *target_));
        released_.push_back({id, bytes.size(), 0, value_of(BundleVersion::parse(version)), name});
        return id;
    }
    // Everything that was added so far, and these recalls.
    void release(const std::vector<Revocation<BundleId>>& recalls = {}) {
        ChannelRelease next;
        next.channel = kSampleChannel;
        next.version = ++version_;
        next.created = kChannelNow;
        next.bundles = released_;
        std::ranges::sort(next.bundles, [](const ReleasedBundle& a, const ReleasedBundle& b) {
            return std::tie(a.name, a.version.text()) < std::tie(b.name, b.version.text());
        });
        next.recalled_bundles = recalls;
        const std::string file = release_file(next);
        REQUIRE(publish_channel_release(*target_, file, kChannelNow));
        REQUIRE(publish_channel_head(*target_, head_file(head_for(version_, file, version_)), kChannelNow));
    }
    std::string url() const { return nginx_.url(); }
    const std::string& tree() const { return nginx_.tree(); }

    const ScratchFolder scratch;

private:
    static Bytes signed_statement(const Bytes& bytes, const std::string& name, const std::string& version,
                                  Signer& author) {
        const VerifyReport report = value_of(verify_bundle(make_memory_source(bytes), {}));
        const Statement statement{.bundle = bundle_id_of(bytes),
                                  .manifest_bytes = report.sizes.manifest_bytes,
                                  .raw_bytes = report.sizes.raw_bytes,
                                  .stored_bytes = report.sizes.stored_bytes,
                                  .name = name,
                                  .version = version,
                                  .created = kChannelNow};
        return value_of(encode_envelope(value_of(sign_statement(statement, author))));
    }

    const Nginx nginx_{scratch, "nginx", "delivery.md", "/srv/www/mygame"};
    const std::unique_ptr<TreeTarget> target_ = make_folder_target(nginx_.tree());
    std::vector<ReleasedBundle> released_;
    std::uint64_t version_ = 0;
};

// The folders of a player: a store, a state folder and a lock file below one folder.
struct ModPlayer {
    std::string folder;

    std::string store_path() const { return folder + "/store"; }
    std::string lock() const { return folder + "/mods.lock"; }
    BundleStore store() const { return value_of(BundleStore::open(store_path(), true)); }
    ChannelSubject subject() const {
        return {.name = "", .root = "", .state_folder = folder + "/state", .policy = nullptr};
    }
    // The first installation, which needs the root, or a later one.
    InstallWork work(const ModSite& site, InstallChange change, std::vector<std::string> names = {}) const {
        InstallWork work;
        work.lock = lock();
        work.change = change;
        work.names = std::move(names);
        work.channel = subject();
        work.channel.name = kSampleChannel;
        work.channel.root = root_file(sample_root());
        work.servers = {site.url()};
        work.time = TrustTime::at(kChannelNow);
        return work;
    }
};

// "base 1.0, castle 1.0", in the order of mounting.
inline std::string names_of(const std::vector<InstalledBundle>& bundles) {
    std::string text;
    for (const InstalledBundle& one : bundles)
        text += (text.empty() ? "" : ", ") + one.name + " " + one.version;
    return text;
}

// Mounts what the lock file names, without a server, as an engine does, and reads NAME.txt of all bundles. Returns
// names_of() them.
inline std::string mounted_names(const ModPlayer& player) {
    const BundleStore store = player.store();
    const auto installed =
        value_of(read_installed(store, player.lock(), player.subject(), {.time = TrustTime::at(kChannelNow)}));
    MountChange change;
    for (const InstalledBundle& one : installed.bundles) {
        MountRequest& request = change.mount.emplace_back();
        request.subject = value_of(store.open_whole_bundle(one.bundle));
        request.options.policy = installed.policy.get();
        request.options.resolved = one.resolved;
        request.options.require_dependencies = true;
    }
    Vfs vfs;
    REQUIRE(vfs.apply(std::move(change)));
    for (const InstalledBundle& one : installed.bundles)
        CHECK(value_of(vfs.open("/" + one.name + ".txt")).size_bytes() == one.name.size() + 1 + one.version.size());
    return names_of(installed.bundles);
}

}  // namespace fardel::tests
