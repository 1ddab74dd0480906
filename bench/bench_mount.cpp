// Measures the time until a game can open its first file.
#include "physfs_peer.h"
#include "sections.h"
#include "stopwatch.h"

#include <fardel/vfs/vfs.h>

namespace fardel::bench {
namespace {

double mount_ms(const Scene& scene, const std::string& bundle) {
    return 1e3 * best_seconds(30, [&] {
               Vfs vfs;
               (void)must(vfs.mount(bundle, {.policy = &scene.policy}));
               (void)must(vfs.find("/nothing/here"));
           });
}

}  // namespace

void bench_mount(const Scene& scene, Table& table) {
    table.heading("Open + mount + first look-up, warm");
    PhysfsPeer physfs;
    const double peer = 1e3 * best_seconds(3, [&] {
                            physfs.mount(scene.archives);
                            (void)physfs.exists("nothing/here");
                            physfs.unmount_all();
                        });
    table.add({"the game", mount_ms(scene, scene.bundle), peer, "ms", false, "PhysicsFS, pk3", "< 0.2 ms"});
    for (const std::uint32_t assets : {1'000u, 100'000u, 1'000'000u})
        table.add({std::to_string(assets) + " assets", mount_ms(scene, made_up_bundle(scene, assets)), 0, "ms", false,
                   "", "< 0.2 ms, flat"});
}

}  // namespace fardel::bench
