// Mounts what a lock file of `fardel install` names, and follows a reference from each map: each mod sees its own base.
//
//     sample_read_mods LOCK STORE POLICY
//
// docs/installing.md defines the lock file: the bundles stand in the order of mounting, each with the bundles that its
// requirements mean.
#include <fardel/format/trust_policy.h>
#include <fardel/store/bundle_store.h>
#include <fardel/vfs/vfs.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct LockedBundle {
    fardel::BundleId bundle;
    std::vector<fardel::BundleId> resolved;
};

// Reads the lines "bundle ID" and "requires ID TEXT". `fardel mount --lock` verifies all of the file.
fardel::Result<std::vector<LockedBundle>> read_lock(const char* path) {
    std::ifstream file(path);
    std::vector<LockedBundle> bundles;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string word, digits;
        words >> word >> digits;
        if (word != "bundle" && word != "requires")
            continue;
        FARDEL_TRY_ASSIGN(const auto id, fardel::BundleId::parse(digits));
        if (word == "bundle")
            bundles.push_back({id, {}});
        else if (!bundles.empty())
            bundles.back().resolved.push_back(id);
    }
    return bundles;
}

fardel::Status print_walls(const char* lock, const char* store_path, const char* policy_file) {
    FARDEL_TRY_ASSIGN(const auto policy, fardel::read_trust_policy(policy_file));
    FARDEL_TRY_ASSIGN(const auto store, fardel::BundleStore::open(store_path, false));
    FARDEL_TRY_ASSIGN(const auto bundles, read_lock(lock));
    fardel::MountChange change;
    for (const LockedBundle& one : bundles) {
        FARDEL_TRY_ASSIGN(auto source, store.open_bundle(one.bundle));
        fardel::MountRequest& request = change.mount.emplace_back();
        request.subject = std::move(source);
        request.options.policy = &policy;
        request.options.resolved = one.resolved;
        request.options.require_dependencies = true;
        request.options.label = one.bundle.hex();
    }
    fardel::Vfs vfs;
    FARDEL_TRY(vfs.apply(std::move(change)));
    for (const char* map : {"/maps/castle.txt", "/maps/forest.txt"}) {
        FARDEL_TRY_ASSIGN(const auto file, vfs.open(map));
        FARDEL_TRY_ASSIGN(const auto wall, vfs.open_from(file, "walls/stone.txt"));
        FARDEL_TRY_ASSIGN(const auto bytes, wall.read_all());
        std::printf("%s: %.*s", map, static_cast<int>(bytes.size()), reinterpret_cast<const char*>(bytes.data()));
    }
    return fardel::ok();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4)
        return 2;
    const fardel::Status status = print_walls(argv[1], argv[2], argv[3]);
    if (!status)
        std::fprintf(stderr, "%s\n", status.error().text().c_str());
    return status ? 0 : 1;
}
