// The input of the benchmarks: a game's archives, the same content as one bundle, and generated bundles of any size.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/bundle_writer.h>
#include <fardel/format/trust_policy.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace fardel::bench {

struct Scene {
    std::string scratch;                    // a folder for generated files
    std::vector<std::string> archives;      // in the game's order
    std::string bundle;                     // the archives packed and signed; created if it does not exist
    TrustPolicy policy;                     // accepts the benchmarks' signatures
    std::string program = {};               // fardel itself; may be missing
    std::uint32_t small_files = 1'000'000;  // for the section "peers"
    bool quick = false;                     // short passes there and in "build"
};

// These end the program with the error's text, because a benchmark cannot run without its input.
[[noreturn]] void fail(const Error& error);
template <class T>
T must(Result<T> result) {
    if (!result)
        fail(result.error());
    return std::move(result).value();
}
void must(Status status);

// Sorts the archives of `folder` as the game does, and packs them into scratch/game.fardel unless it exists.
Scene make_scene(const std::string& folder, const std::string& scratch);

// Returns a folder with the game's files; it is created once.
std::string game_folder(const Scene& scene);

// Writes the bundle and signs it as Scene::policy requires.
void write_signed(const BundlePlan& plan, const std::string& path, const BundleWriteOptions& options);
// The game's archives as a bundle for a purpose, of the default level; it is created once.
std::string game_bundle(const Scene& scene, BundlePurpose purpose);
void run_command(const std::string& command);  // in a shell

// Returns a bundle of `assets` small assets with names like "textures/set0042/name00001234.tga", all different. Another
// `seed` gives another bundle. It is created once.
std::string made_up_bundle(const Scene& scene, std::uint32_t assets, std::uint32_t seed = 0);
std::string made_up_name(std::uint32_t index, std::uint32_t seed = 0);

// Returns the size of a file.
double megabytes(const std::string& path);

}  // namespace fardel::bench
