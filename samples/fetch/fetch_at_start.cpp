// What an engine does when it starts or joins a server: fetches a bundle while it draws frames, mounts it with the
// bundles that it needs, and opens a file.
//
//     sample_fetch_at_start URL ID STORE POLICY PATH
#include <fardel/delivery/fetch.h>
#include <fardel/format/trust_policy.h>
#include <fardel/store/bundle_store.h>
#include <fardel/vfs/vfs.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

namespace {

void draw_frame() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }

fardel::Status fetch(const fardel::BundleStore& store, fardel::FetchWork work) {
    fardel::FetchCallbacks callbacks;
    bool asks = false;
    callbacks.planned = [&](const fardel::FetchPlan& plan) {
        for (const fardel::PlannedFetch& bundle : plan.bundles)
            std::printf("%s %s, licence %s: %llu bytes\n", bundle.name.c_str(), bundle.version.c_str(),
                        bundle.licence.c_str(), static_cast<unsigned long long>(bundle.fetch_bytes));
        asks = true;
    };
    callbacks.progress = [](const fardel::FetchProgress& progress) {
        std::printf("%llu of %llu bytes\n", static_cast<unsigned long long>(progress.received_bytes),
                    static_cast<unsigned long long>(progress.total_bytes));
    };
    FARDEL_TRY_ASSIGN(auto fetch, fardel::Fetch::start(store, std::move(work), std::move(callbacks)));
    while (!fetch.poll()) {  // once per frame; never blocks
        if (asks)
            fetch.accept();  // the player has pressed "yes"
        asks = false;
        draw_frame();
    }
    return *fetch.outcome() ? fardel::ok() : fardel::Status(fetch.outcome()->error());
}

fardel::Status play(char** words) {
    FARDEL_TRY_ASSIGN(const auto store, fardel::BundleStore::open(words[3], true));
    FARDEL_TRY_ASSIGN(const auto id, fardel::BundleId::parse(words[2]));
    FARDEL_TRY_ASSIGN(auto policy, fardel::read_trust_policy(words[4]));
    const auto trusted = std::make_shared<const fardel::TrustPolicy>(std::move(policy));
    FARDEL_TRY(fetch(store, {.servers = {words[1]}, .bundles = {id}, .policy = trusted}));

    fardel::Vfs vfs;
    FARDEL_TRY_ASSIGN(const auto bundles, store.closure(id));  // each after those that it needs
    for (const fardel::BundleId& bundle : bundles) {
        FARDEL_TRY_ASSIGN(auto source, store.open_bundle(bundle));
        FARDEL_TRY(vfs.mount(std::move(source), {.policy = trusted.get()}));
    }
    FARDEL_TRY_ASSIGN(const auto file, vfs.open(words[5]));
    FARDEL_TRY_ASSIGN(const auto bytes, file.read_all());
    std::fwrite(bytes.data(), 1, bytes.size(), stdout);
    return fardel::ok();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 6)
        return 2;
    const fardel::Status status = play(argv);
    if (!status)
        std::fprintf(stderr, "%s\n", status.error().text().c_str());
    return status ? 0 : 1;
}
