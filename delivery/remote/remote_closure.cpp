#include "remote/remote_closure.h"

#include "fetch/other_bundles.h"
#include "remote/remote_file.h"

#include <fardel/format/bundle.h>
#include <fardel/format/dependencies.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace fardel {

HeldElsewhere elsewhere_of(const BundleStore& store, const std::shared_ptr<const BundleLibrary>& library) {
    return {
        .store = store.path(), .library = library, .library_blocks = std::make_shared<LibraryBlocks>(library.get())};
}

RemoteClosure::RemoteClosure(const BundleStore& store, const RemoteServers& servers,
                             const RemoteProjectOptions& options)
    : store_(store), servers_(servers), options_(options), elsewhere_(elsewhere_of(store, options.library)) {}

void RemoteClosure::add_open(const RemoteMount& mount) { open_[mount.bundle] = mount; }

Result<std::vector<RemoteMount>> RemoteClosure::open(const BundleId& first) {
    FARDEL_TRY_ASSIGN(whole_, list_whole_bundles(store_));
    const DependencyWalk::Steps steps{
        .enter = [&](const BundleId& id) -> Result<std::optional<std::vector<BundleId>>> {
            if (id != first && std::ranges::find(options_.mounted, id) != options_.mounted.end())
                return std::optional<std::vector<BundleId>>();
            auto needs = enter(id);
            if (!needs && id != first && needs.error().code() == ErrorCode::missing)
                return Error(ErrorCode::unresolved, "bundle " + first.hex() + " needs bundle " + id.hex() +
                                                        ", which neither the store nor a server has");
            if (!needs)
                return std::move(needs).error();
            return std::optional(*std::move(needs));
        },
        .leave =
            [&](const BundleId& id) {
                mounts_.push_back(std::move(entered_.at(id)));
                return ok();
            },
    };
    FARDEL_TRY(DependencyWalk().run(first, steps));
    return std::move(mounts_);
}

Result<std::vector<BundleId>> RemoteClosure::enter(const BundleId& id) {
    RemoteMount& mount = entered_[id];
    const auto known = open_.find(id);
    if (known != open_.end())
        mount = known->second;
    else
        FARDEL_TRY(open_bundle(id, mount));
    if (mount.remote)
        return mount.remote->dependencies();
    FARDEL_TRY_ASSIGN(const auto bundle, Bundle::open(mount.source, {.label = id.hex()}));
    return static_dependencies(*bundle);
}

Status RemoteClosure::open_bundle(const BundleId& id, RemoteMount& mount) const {
    mount.bundle = id;
    const BundleLibrary* const library = elsewhere_.library.get();
    if (whole_.contains(id)) {
        FARDEL_TRY_ASSIGN(mount.source, store_.open_bundle(id));
    } else if (library != nullptr && library->has(id)) {
        // A file that was replaced meanwhile is no reason to fail.
        auto source = library->open_bundle(id);
        mount.source = source ? *std::move(source) : nullptr;
    }
    if (mount.source)
        return ok();
    FARDEL_TRY_ASSIGN(mount.remote,
                      RemoteBundle::open_beside(elsewhere_, store_, servers_, id, options_.policy, options_.time));
    mount.source = mount.remote->source();
    return ok();
}

}  // namespace fardel
