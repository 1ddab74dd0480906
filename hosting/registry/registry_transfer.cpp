#include <fardel/hosting/registry_transfer.h>

#include "registry/registry_folder.h"

#include <fardel/delivery/tree_paths.h>
#include <fardel/format/name.h>
#include <fardel/verifier/verify_bundle.h>

#include <algorithm>
#include <vector>

namespace fardel {
namespace {

Result<NameTransfer> plan_transfer(const RegistryState& state, const std::string& name, const PublicKey& to,
                                   UnixTime now) {
    // The rules would decide all the same, and clients would refuse the new author by the root.
    if (state.rules.find_owners(name) != nullptr)
        return Error(ErrorCode::conflict, printable(name) +
                                              " belongs to the keys of an owner line in registry.rules; "
                                              "change that line, and the root of the channel");
    const auto* const holders = state.catalogue.recorded().find(name);
    if (holders == nullptr)
        return Error(ErrorCode::missing, "no bundle named " + printable(name) + " was ever in this registry");
    if (holders->back().key == to)
        return Error(ErrorCode::conflict, printable(name) + " belongs to the key " + key_id(to) + "… already");
    if (state.release && std::ranges::count(state.release->recalled_keys, to, &Revocation<PublicKey>::id) != 0)
        return Error(ErrorCode::revoked, "the key " + key_id(to) + "… has been recalled");
    return NameTransfer{.name = name, .from = holders->back().key, .to = to, .date = now};
}

// Reads every byte of the bundles, so other programs may change the registry in between.
Status write_pages_of_versions(RegistryFolder& folder, const std::string& name, UnixTime now) {
    std::vector<BundleId> versions;
    for (const CatalogueEntry* const entry : folder.state()->catalogue.named(name))
        versions.push_back(entry->bundle);
    for (const BundleId& id : versions) {
        FARDEL_TRY_ASSIGN(const auto source, folder.tree().open(tree_path_of(id)));
        FARDEL_TRY_ASSIGN(const VerifyReport report, verify_bundle(source, {.time = TrustTime::ignored()}));
        FARDEL_TRY_ASSIGN(const Descriptor lock, folder.lock());
        FARDEL_TRY(folder.refresh(now));
        if (report.good() && folder.state()->catalogue.find(id) != nullptr)  // fsck says what is wrong with others
            FARDEL_TRY(folder.write_bundle_page(id, remarks_of(report)));
    }
    return ok();
}

}  // namespace

Result<NameTransfer> transfer_name(const std::string& folder, const std::string& name, const PublicKey& to,
                                   UnixTime now) {
    RegistryFolder registry(folder);
    NameTransfer transfer;
    {
        FARDEL_TRY_ASSIGN(const Descriptor lock, registry.lock());
        FARDEL_TRY(registry.refresh(now));
        FARDEL_TRY(registry.record_names());  // an older registry has no record yet
        FARDEL_TRY_ASSIGN(transfer, plan_transfer(*registry.state(), name, to, now));
        FARDEL_TRY(registry.transfer_name(name, to, now));
        FARDEL_TRY(registry.write_pages({name}));
    }
    FARDEL_TRY(write_pages_of_versions(registry, name, now));
    return transfer;
}

}  // namespace fardel
