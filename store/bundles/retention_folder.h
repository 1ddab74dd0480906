// RetentionFolder: the files below retention/ of a store on disk; docs/retention.md describes them.
//
// Any number of threads and processes at once, each with an object of its own.
#pragma once

#include "packs/store_folder.h"
#include "retention/retention_disk.h"

#include <fardel/base/result.h>
#include <fardel/format/lease_folder.h>
#include <fardel/format/statement.h>
#include <fardel/store/retention.h>

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fardel {

class RetentionFolder final : public RetentionDisk {
public:
    explicit RetentionFolder(StoreFolder folder) : folder_(std::move(folder)) {}

    Result<std::unique_ptr<DiskHold>> lock() override;
    Result<std::vector<BundleId>> list_records() override;
    Result<std::optional<std::vector<Hash>>> find_packs_of(const BundleId& bundle) override;
    Status remove_record(const BundleId& bundle) override { return folder_.remove_record(bundle); }
    Status sync_records() override { return folder_.sync_records(); }
    Result<std::vector<BundleId>> list_pinned(UnixTime now) override;
    Result<std::vector<PackOnDisk>> list_packs() override;
    Result<bool> has_pack(const Hash& pack) override;
    Status remove_pack(const Hash& pack) override;
    Result<CondemnedList> read_condemned() override;
    Status replace_condemned(const CondemnedList& list) override;
    Result<std::unique_ptr<LeaseFile>> create_lease() override;
    Result<std::vector<FoundLease>> list_leases() override;
    Status remove_lease(const std::string& name) override { return leases().remove(name); }
    Result<std::unique_ptr<DiskHold>> open_use(const BundleId& bundle) override;
    Result<std::unique_ptr<DiskHold>> claim_use(const BundleId& bundle) override;
    Status forget_use(const BundleId& bundle) override;

    // Keeps a file that is given up where the disk is full: the list of what is condemned is what makes room there, and
    // needs some. Best effort.
    void keep_spare() const;

    // Returns when the bundle was added or last opened.
    Result<UnixTime> last_use(const BundleId& bundle) const;

    // A pin that cannot be read has no end.
    Result<std::vector<BundlePin>> list_pins() const;
    Status write_pin(const BundlePin& pin) const;
    // Returns false if there was none, or, unless the store is held (StoreFolder::hold), if its folder is away.
    Result<bool> remove_pin(const BundleId& bundle, const std::string& name) const;

    // Pins of these no longer count.
    void ignore_pins_of(std::set<BundleId> bundles) { unpinned_ = std::move(bundles); }

    // What other computers added counts for list_licenses() from now on.
    Status refresh_licenses() const;
    // Licence tokens that their issuers have signed; those that cannot be read are left out.
    Result<std::vector<Envelope>> list_licenses() const;
    // Error: limit (too many).
    Status write_license(const Envelope& token) const;
    Status remove_license(const Envelope& token) const;

    // The source is a text of at most 2048 bytes; longer ones are cut.
    Status write_source(const BundleId& bundle, std::string_view source) const;
    // Empty if none is known.
    std::string source_of(const BundleId& bundle) const;

private:
    LeaseFolder leases() const { return LeaseFolder(folder_.retention_path("leases")); }
    Status create_part(const char* name) const;
    // Returns whether that has made room.
    bool give_up_spare() const;
    // Writes again with the spare room if the disk is full.
    template <class Write>
    auto write_somehow(Write write) const;
    FilePath use_path(const BundleId& bundle) const { return folder_.retention_path("used/" + bundle.hex()); }

    Result<FilePath> license_path(const Envelope& token) const;

    const StoreFolder folder_;
    std::set<BundleId> unpinned_;
};

}  // namespace fardel
