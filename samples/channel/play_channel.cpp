// What a game does with a channel while it draws frames: follows it, fetches and mounts its release, and asks again and
// again for recalls. What is recalled is not opened any more; what is open is read to its end.
//
//     sample_play_channel CHANNEL ROOT URL STORE STATE PATH
//
// STATE: the folder for the second copy of what is accepted of the channel; PATH: a file in the mounted tree. It ends
// when a bundle was recalled, or after a minute.
#include <fardel/delivery/channel_follow.h>
#include <fardel/delivery/fetch.h>
#include <fardel/store/bundle_store.h>
#include <fardel/vfs/inspect.h>
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

// One update. A server that fails, or a head that has expired, is no reason to stop playing.
fardel::Result<fardel::ChannelState> follow(const fardel::BundleStore& store, const fardel::ChannelWork& work) {
    FARDEL_TRY_ASSIGN(auto follow, fardel::ChannelFollow::start(store, work));
    while (!follow.poll())  // once per frame; never blocks
        draw_frame();
    FARDEL_TRY_ASSIGN(const fardel::ChannelOutcome outcome, *follow.outcome());
    if (outcome.failure)
        std::printf("nothing newer: %s\n", outcome.failure->text().c_str());
    return outcome.state;
}

fardel::Status fetch(const fardel::BundleStore& store, const fardel::ChannelWork& work,
                     const fardel::ChannelState& state) {
    fardel::FetchWork wanted;
    wanted.servers = work.servers;
    wanted.policy = state.policy;
    for (const fardel::ChannelBundle& one : state.bundles)
        if (!one.recall)
            wanted.bundles.push_back(one.bundle);
    FARDEL_TRY_ASSIGN(auto fetch, fardel::Fetch::start(store, std::move(wanted)));
    while (!fetch.poll())
        draw_frame();
    return *fetch.outcome() ? fardel::ok() : fardel::Status(fetch.outcome()->error());
}

fardel::Status mount(fardel::Vfs& vfs, const fardel::BundleStore& store, const fardel::ChannelState& state) {
    fardel::MountChange change;
    for (const fardel::ChannelBundle& one : state.bundles) {
        if (one.recall)
            continue;
        FARDEL_TRY_ASSIGN(auto source, store.open_bundle(one.bundle));
        fardel::MountRequest& request = change.mount.emplace_back();
        request.subject = std::move(source);
        request.options.policy = state.policy.get();
        request.options.label = one.name + " " + one.version;
    }
    FARDEL_TRY(vfs.apply(std::move(change)));
    return fardel::ok();
}

fardel::Status play(char** words) {
    fardel::ChannelWork work;
    work.subject.name = words[1];
    std::ifstream root(words[2], std::ios::binary);
    work.subject.root.assign(std::istreambuf_iterator<char>(root), {});
    work.servers = {words[3]};
    work.subject.state_folder = words[5];
    FARDEL_TRY_ASSIGN(const auto store, fardel::BundleStore::open(words[4], true));
    FARDEL_TRY_ASSIGN(fardel::ChannelState state, follow(store, work));
    FARDEL_TRY(fetch(store, work, state));

    bool is_recalled = false;
    fardel::VfsOptions options;
    options.on_recall = [&](const fardel::RecalledMount& one) {
        std::printf("recalled: %s\n", one.reason.text().c_str());
        is_recalled = true;
    };
    fardel::Vfs vfs(std::move(options));
    FARDEL_TRY(mount(vfs, store, state));
    FARDEL_TRY_ASSIGN(const auto file, vfs.open(words[6]));
    std::printf("playing\n");
    std::fflush(stdout);
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!is_recalled && std::chrono::steady_clock::now() < end) {
        FARDEL_TRY_ASSIGN(state, follow(store, work));  // a game asks every few minutes
        FARDEL_TRY(vfs.judge_again(*state.policy));     // also if this update brought nothing
        for (int frame = 0; frame < 100; ++frame)
            draw_frame();
    }
    FARDEL_TRY_ASSIGN(const auto bytes, file.read_all());
    std::printf("what is open goes on: %.*s", static_cast<int>(bytes.size()),
                reinterpret_cast<const char*>(bytes.data()));
    const auto again = vfs.open(words[6]);
    std::printf("opened again: %s\n", again ? "yes" : again.error().text().c_str());
    return fardel::ok();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 7)
        return 2;
    const fardel::Status status = play(argv);
    if (!status)
        std::fprintf(stderr, "%s\n", status.error().text().c_str());
    return status ? 0 : 1;
}
