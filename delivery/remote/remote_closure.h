// RemoteClosure: a bundle and all that it needs, from the store, a library or servers. One use per object.
#pragma once

#include "fetch/library_blocks.h"
#include "remote/rebuilt_blocks.h"

#include <fardel/base/result.h>
#include <fardel/delivery/remote_bundle.h>
#include <fardel/format/ids.h>
#include <fardel/store/bundle_store.h>

#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace fardel {

// What a bundle that is read from servers may use of others that are here.
HeldElsewhere elsewhere_of(const BundleStore& store, const std::shared_ptr<const BundleLibrary>& library);

class RemoteClosure {
public:
    // All of them outlive the object. `options.mounted` are left out.
    RemoteClosure(const BundleStore& store, const RemoteServers& servers, const RemoteProjectOptions& options);

    // A bundle that is open already.
    void add_open(const RemoteMount& mount);
    // The bundle last, each after those that it needs. Errors: as open_remote_bundles; unresolved (a dependency that
    // nobody has).
    Result<std::vector<RemoteMount>> open(const BundleId& first);

private:
    Result<std::vector<BundleId>> enter(const BundleId& id);
    Status open_bundle(const BundleId& id, RemoteMount& mount) const;

    const BundleStore& store_;
    const RemoteServers& servers_;
    const RemoteProjectOptions options_;
    const HeldElsewhere elsewhere_;
    std::unordered_set<BundleId> whole_;  // in the store
    std::unordered_map<BundleId, RemoteMount> open_;
    std::unordered_map<BundleId, RemoteMount> entered_;
    std::vector<RemoteMount> mounts_;
};

}  // namespace fardel
