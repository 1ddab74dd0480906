// RegistryFolder: the folder of a registry, as it is read and as its channel and pages are changed. One thread at a
// time; between programs, a lock on the file ".fardel-registry.lock".
#pragma once

#include "registry/judgement.h"

#include <fardel/base/descriptor.h>
#include <fardel/base/result.h>
#include <fardel/delivery/resolve.h>
#include <fardel/format/channel_update.h>
#include <fardel/format/signer.h>
#include <fardel/hosting/channel_change.h>
#include <fardel/hosting/tree_target.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

class RegistryFolder {
public:
    explicit RegistryFolder(std::string folder);

    // Waits for other programs, at most half a minute. The lock lasts as long as the result. Errors: busy, those of the
    // disk.
    Result<Descriptor> lock() const;

    // Reads rules, channel and catalogue, unless the first two are as they were. Errors: those of Registry::open.
    Status refresh(UnixTime now);
    // Also looks for bundles that were published since.
    Status reread(UnixTime now);
    // The same for a check, which reports bundles that cannot be read from the disk as problems. Before a change they
    // are errors: without them, nobody knows whose their names are.
    Status read_for_check(UnixTime now);
    const std::shared_ptr<const RegistryState>& state() const noexcept { return state_; }
    const std::vector<CatalogueProblem>& problems() const noexcept { return problems_; }
    TreeTarget& tree() const noexcept { return *tree_; }
    const std::string& path() const noexcept { return folder_; }
    // What an operator should mend about the dates of the texts; nothing if they are as they should be.
    std::optional<std::string> describe_dates(UnixTime now, std::uint64_t head_life_s) const;
    // When the head expires, if there is one.
    std::optional<UnixTime> head_expires() const;

    // All texts of a change, signed.
    struct PlannedRelease {
        ReleaseInTree release;
        std::string needs;
        std::string head;
    };
    // Makes the release with this change, its head, and the text of what its bundles need, and writes nothing: what one
    // of the texts has no room for is known before anything of it has a name. `known`: what bundles need that are not
    // in the tree yet. Bundles of recalled keys are released no more. Errors: those of next_release, of the texts and
    // of the signers.
    Result<PlannedRelease> plan(ChannelChange change, NeedsOfBundles known, Signer& release, Signer& head, UnixTime now,
                                std::uint64_t head_life_s) const;
    // Publishes them, the head last. Errors: those of publishing.
    Status publish(const PlannedRelease& planned, UnixTime now);
    // Makes and publishes a head that names the newest release. Errors: those of the signer and of publishing.
    Status renew_head(Signer& head, UnixTime now, std::uint64_t head_life_s);
    // Whether the release lists bundles of keys that it recalls.
    bool has_recalled_authors() const;
    // What bundles of the catalogue add to a release.
    ChannelChange change_that_adds(const std::vector<BundleId>& bundles) const;

    // Writes names that the release has, and the record has not, into the record. Called before anything can make a
    // bundle disappear: until then the bundle itself says whose its name is. Errors: those of the disk.
    Status record_names();
    // Whether there is nothing to record.
    bool has_recorded_names() const { return find_unrecorded().empty(); }
    // Gives a name that is in the record to another key. Errors: those of RegistryNames::transfer and of the disk.
    Status transfer_name(std::string_view name, const PublicKey& to, UnixTime now);

    // Writes the page of a bundle of the catalogue. Errors: those of reading it.
    Status write_bundle_page(const BundleId& bundle, const std::vector<RegistryRefusal>& remarks) const;
    // Writes those that are missing, after verifying the bundles.
    Status write_missing_bundle_pages() const;
    // Writes the pages that list bundles, and the pages of these names; if `names` is empty, those of all names.
    Status write_pages(const std::set<std::string>& names) const;

private:
    Status read(UnixTime now, bool only_if_changed, bool for_check);
    // A bundle of the catalogue.
    Result<std::shared_ptr<const Bundle>> open_bundle(const BundleId& id) const;
    Result<ChannelUpdate> read_update(UnixTime now) const;
    // The file of the head that names the release.
    Result<std::string> sign_head(const ReleaseInTree& release, Signer& head, UnixTime now,
                                  std::uint64_t head_life_s) const;
    Status publish_head(const std::string& file, UnixTime now);
    // The first bundles of names that are not recorded.
    std::vector<const CatalogueEntry*> find_unrecorded() const;
    Status replace_names(RegistryNames names);
    void remove_old_releases() const;
    void remove_unneeded_texts() const;

    const std::string folder_;
    const std::unique_ptr<TreeTarget> tree_;
    std::shared_ptr<const RegistryState> state_;
    std::optional<ChannelUpdate> update_;
    std::string names_;  // the text of the record; empty: there is none yet
    std::vector<CatalogueProblem> problems_;
};

// The release line of a bundle of the catalogue. All epochs are 0: versions of one name stand side by side, and each of
// them can be recalled.
ReleasedBundle released_bundle_of(const CatalogueEntry& entry);

// Writes a file below a folder in one step, unless it has these bytes already.
Status write_tree_page(const std::string& folder, const std::string& path, std::string_view text);

}  // namespace fardel
