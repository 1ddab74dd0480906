// What an engine with a mod menu does: installs mods by name while it draws frames, mounts what is installed, and
// follows a reference from each map: each mod sees its own base.
//
//     sample_play_mods LOCK STORE STATE [CHANNEL ROOT URL NAME…]
//
// STATE: the folder for the second copy of what is accepted of the channel. Without names, it mounts what the lock file
// names, whoever has installed it, and needs no server.
#include <fardel/delivery/install.h>
#include <fardel/store/bundle_store.h>
#include <fardel/vfs/vfs.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>

namespace {

void draw_frame() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }

fardel::Status install(const fardel::BundleStore& store, fardel::InstallWork work) {
    bool asks = false;
    fardel::InstallCallbacks callbacks;
    callbacks.planned = [&](const fardel::InstallPlan& plan) {
        for (const fardel::InstalledBundle& one : plan.added)
            std::printf("+ %s %s\n", one.name.c_str(), one.version.c_str());
        std::printf("%llu bytes to fetch\n", static_cast<unsigned long long>(plan.fetch.fetch_bytes));
        asks = true;
    };
    FARDEL_TRY_ASSIGN(auto install, fardel::Install::start(store, std::move(work), std::move(callbacks)));
    while (!install.poll()) {  // once per frame; never blocks
        if (asks)
            install.accept();  // the player has pressed "yes"
        asks = false;
        draw_frame();
    }
    for (const std::string& conflict : install.conflicts())
        std::printf("%s\n", conflict.c_str());
    return *install.outcome() ? fardel::ok() : fardel::Status(install.outcome()->error());
}

fardel::Status mount(fardel::Vfs& vfs, const fardel::BundleStore& store, const fardel::InstalledSet& installed) {
    fardel::MountChange change;
    for (const fardel::InstalledBundle& one : installed.bundles) {
        FARDEL_TRY_ASSIGN(auto source, store.open_bundle(one.bundle));
        fardel::MountRequest& request = change.mount.emplace_back();
        request.subject = std::move(source);
        request.options.policy = installed.policy.get();
        request.options.resolved = one.resolved;
        request.options.require_dependencies = true;
        request.options.label = one.name;
    }
    FARDEL_TRY(vfs.apply(std::move(change)));
    return fardel::ok();
}

fardel::Status print_walls(const fardel::Vfs& vfs) {
    for (const char* map : {"/maps/castle.txt", "/maps/forest.txt"}) {
        FARDEL_TRY_ASSIGN(const auto file, vfs.open(map));
        FARDEL_TRY_ASSIGN(const auto wall, vfs.open({"walls/stone.txt", {}, &file}));
        FARDEL_TRY_ASSIGN(const auto bytes, wall.read_all());
        std::printf("%s: %.*s", map, static_cast<int>(bytes.size()), reinterpret_cast<const char*>(bytes.data()));
    }
    return fardel::ok();
}

fardel::Status play(int count, char** words) {
    const std::string lock = words[1];
    FARDEL_TRY_ASSIGN(const auto store, fardel::BundleStore::open(words[2], true));
    fardel::ChannelSubject channel;
    channel.state_folder = words[3];
    if (count > 7) {
        fardel::InstallWork work;
        work.lock = lock;
        work.names.assign(words + 7, words + count);
        work.channel = channel;
        work.channel.name = words[4];
        std::ifstream root(words[5], std::ios::binary);
        work.channel.root.assign(std::istreambuf_iterator<char>(root), {});
        work.servers = {words[6]};
        FARDEL_TRY(install(store, std::move(work)));
    }
    FARDEL_TRY_ASSIGN(const auto installed, fardel::read_installed(store, lock, channel));
    fardel::Vfs vfs;
    FARDEL_TRY(mount(vfs, store, installed));
    return print_walls(vfs);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4 && argc < 8)
        return 2;
    const fardel::Status status = play(argc, argv);
    if (!status)
        std::fprintf(stderr, "%s\n", status.error().text().c_str());
    return status ? 0 : 1;
}
