// What an engine on a device does in development: mounts the project that a PC serves, and shows each edit at once.
//
//     sample_follow_project URL STORE PATH EDITS
//
// Prints PATH now and after each edit of it, and ends after so many edits.
#include <fardel/delivery/remote_bundle.h>
#include <fardel/store/bundle_store.h>
#include <fardel/vfs/vfs.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

void draw_frame() { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

std::vector<fardel::MountRequest> requests_for(const std::vector<fardel::RemoteMount>& bundles) {
    std::vector<fardel::MountRequest> requests;
    for (const fardel::RemoteMount& bundle : bundles)
        requests.push_back(
            {.subject = bundle.source, .options = {.allow_unsigned = true, .label = bundle.bundle.hex()}});
    return requests;
}

fardel::Status print_file(const fardel::Vfs& vfs, const std::string& path) {
    FARDEL_TRY_ASSIGN(const auto file, vfs.open(path));
    FARDEL_TRY_ASSIGN(const auto bytes, file.read_all());
    std::fwrite(bytes.data(), 1, bytes.size(), stdout);
    std::fflush(stdout);
    return fardel::ok();
}

fardel::Status play(const std::string& url, const std::string& store_path, const std::string& path, int edits) {
    FARDEL_TRY_ASSIGN(const auto store, fardel::BundleStore::open(store_path, true));
    FARDEL_TRY_ASSIGN(auto servers, fardel::RemoteServers::open({.servers = {url}}));
    FARDEL_TRY_ASSIGN(auto project, fardel::RemoteProject::open(store, servers));
    FARDEL_TRY_ASSIGN(const auto first, project.poll());

    fardel::Vfs vfs;
    std::vector<fardel::MountId> mounts;  // of the project and of what it needs
    FARDEL_TRY(vfs.replace(mounts, requests_for(first)));
    FARDEL_TRY(print_file(vfs, path));
    while (edits > 0) {
        draw_frame();
        const auto bundles = project.poll();  // a game does this on a thread of its own, twice per second
        if (!bundles || bundles->empty())
            continue;  // the PC may be restarting its server
        FARDEL_TRY_ASSIGN(const auto changes, vfs.replace(mounts, requests_for(*bundles)));
        for (const fardel::AssetChange& change : changes) {
            if (change.path != path)
                continue;
            FARDEL_TRY(print_file(vfs, path));  // a game loads the asset again
            --edits;
        }
    }
    return fardel::ok();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5)
        return 2;
    const fardel::Status status = play(argv[1], argv[2], argv[3], std::atoi(argv[4]));
    if (!status)
        std::fprintf(stderr, "%s\n", status.error().text().c_str());
    return status ? 0 : 1;
}
