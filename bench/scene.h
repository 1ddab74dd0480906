// What the benchmarks run on: a game's archives, the same content as one bundle, and made-up bundles of any size.
#pragma once

#include <fardel/format/bundle_plan.h>
#include <fardel/format/result.h>
#include <fardel/format/trust_policy.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace fardel::bench {

struct Scene {
    std::string scratch;                    // a folder that may be filled
    std::vector<std::string> archives;      // in the game's order
    std::string bundle;                     // the archives packed and signed; made when it is not there
    TrustPolicy policy;                     // accepts what the benchmarks sign
    std::string program = {};               // fardel itself; may not be there
    std::uint32_t small_files = 1'000'000;  // of the section "peers"
    bool quick = false;                     // short passes there and in "build"
};

// Each ends the program with the error's text: a benchmark without its input has nothing to say.
[[noreturn]] void fail(const Error& error);
template <class T>
T must(Result<T> result) {
    if (!result)
        fail(result.error());
    return std::move(result).value();
}
void must(Status status);

// The archives of `folder`, sorted as the game sorts them, packed into scratch/game.fardel unless it is there.
Scene make_scene(const std::string& folder, const std::string& scratch);

// The game's files as a folder; made once.
std::string game_folder(const Scene& scene);

// Signed as `policy` wants it.
void write_signed(const BundlePlan& plan, const std::string& path, int level);
void run_command(const std::string& command);  // in a shell

// A bundle of `assets` small assets with names like "textures/set0042/name00001234.tga", each with its own bytes.
// `seed` makes different bundles. Made once.
std::string made_up_bundle(const Scene& scene, std::uint32_t assets, std::uint32_t seed = 0);
std::string made_up_name(std::uint32_t index, std::uint32_t seed = 0);

// Of a file.
double megabytes(const std::string& path);

}  // namespace fardel::bench
