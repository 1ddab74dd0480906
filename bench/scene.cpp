#include "scene.h"

#include <fardel/format/bundle.h>
#include <fardel/format/bundle_writer.h>
#include <fardel/format/signer.h>
#include <fardel/packer/pack.h>
#include <fardel/vfs/vfs.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace fardel::bench {
namespace {

// A key that protects nothing: bundles of earlier runs must stay acceptable.
std::unique_ptr<Signer> bench_signer() {
    return make_key_signer(SecretKey::from_seed(std::array<std::byte, 32>{std::byte{0xbe}}));
}

}  // namespace

void fail(const Error& error) {
    std::fprintf(stderr, "bench: %s\n", error.text().c_str());
    std::exit(1);
}

void must(Status status) {
    if (!status)
        fail(status.error());
}

Scene make_scene(const std::string& folder, const std::string& scratch) {
    const PolicyKey author{.label = "bench", .key = bench_signer()->public_key()};
    Scene scene{.scratch = scratch, .bundle = {}, .policy = must(make_policy({&author, 1}, {}))};
    std::filesystem::create_directories(scratch);
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
        if (entry.path().extension() == ".pk3")
            scene.archives.push_back(entry.path().string());
    std::ranges::sort(scene.archives);
    if (scene.archives.empty())
        fail(Error(ErrorCode::missing, folder + ": no .pk3 archives there"));
    scene.bundle = game_bundle(scene, BundlePurpose::balanced);
    return scene;
}

std::string game_bundle(const Scene& scene, BundlePurpose purpose) {
    const std::string path = fmt::format("{}/game-{}.fardel", scene.scratch, purpose_name(purpose));
    if (!std::filesystem::exists(path)) {
        fmt::print(stderr, "packing {} archives for {} …\n", scene.archives.size(), purpose_name(purpose));
        const PackOptions options{.name = "game", .version = must(BundleVersion::parse("1"))};
        write_signed(must(pack_sources(scene.archives, options)).plan, path, {.purpose = purpose});
    }
    return path;
}

void write_signed(const BundlePlan& plan, const std::string& path, const BundleWriteOptions& options) {
    StagedBundle staged = must(write_bundle(plan, path, options));
    const BundleWriteSummary& summary = staged.summary();
    must(staged.append(must(sign_statement(statement_about(summary), *bench_signer()))));
    must(staged.commit());
}

std::string game_folder(const Scene& scene) {
    const std::string folder = scene.scratch + "/tree";
    if (std::filesystem::exists(folder))
        return folder;
    const std::string staging = folder + ".part";
    std::filesystem::remove_all(staging);
    Vfs vfs;
    (void)must(vfs.mount(scene.bundle, {.policy = &scene.policy}));
    const auto bundle = must(Bundle::open(must(open_file_source(scene.bundle)), {.label = scene.bundle}));
    for (std::uint32_t i = 0; i < bundle->name_count(); ++i) {
        const std::string name(must(bundle->name_text(NameIndex{i})));
        const auto bytes = must(must(vfs.open("/" + name)).read_all());
        const std::filesystem::path path = staging + "/" + name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }
    std::filesystem::rename(staging, folder);
    return folder;
}

void run_command(const std::string& command) {
    if (std::system(command.c_str()) != 0)
        fail(Error(ErrorCode::io, command + ": failed"));
}

std::string made_up_name(std::uint32_t index, std::uint32_t seed) {
    return fmt::format("textures/set{:04}_{}/name{:08}.tga", index / 1000, seed, index);
}

std::string made_up_bundle(const Scene& scene, std::uint32_t assets, std::uint32_t seed) {
    const std::string path = fmt::format("{}/made-up-{}-{}.fardel", scene.scratch, assets, seed);
    if (std::filesystem::exists(path))
        return path;
    BundlePlan plan;
    plan.metadata.push_back({.key = "name", .value = std::string("made-up")});
    plan.assets.reserve(assets);
    plan.names.reserve(assets);
    for (std::uint32_t i = 0; i < assets; ++i) {
        const std::string name = made_up_name(i, seed);
        std::string text = "bytes of " + name;
        const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
        plan.assets.push_back(
            {.source = make_memory_blob({bytes, bytes + text.size()}), .key = name, .content_type = "image/x-tga"});
        plan.names.push_back({.name = must(AssetName::parse(name)), .variants = {{.asset = i}}});
    }
    write_signed(plan, path, {.level = 1});
    return path;
}

double megabytes(const std::string& path) { return static_cast<double>(std::filesystem::file_size(path)) / 1e6; }

}  // namespace fardel::bench
