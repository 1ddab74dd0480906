// fardel_bench compares Fardel with its peers in one run and prints ratios. Build it with the release preset.
#include "sections.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>

int main(int argc, char** argv) {
    using namespace fardel::bench;
    const std::vector<std::pair<std::string, void (*)(const Scene&, Table&)>> sections{
        {"mount", bench_mount}, {"lookup", bench_lookup}, {"read", bench_read},     {"store", bench_store},
        {"level", bench_level}, {"verify", bench_verify}, {"pack", bench_pack},     {"build", bench_build},
        {"pure", bench_pure},   {"peers", bench_peers},   {"growth", bench_growth}, {"bundles", bench_bundles}};

    std::string data = "/usr/share/games/openarena/baseoa";
    std::string scratch = "/tmp/fardel-bench";
    std::string program =
        (std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "cli/fardel").string();
    std::uint32_t small_files = 1'000'000;
    bool quick = false;
    std::vector<std::string> wanted;
    CLI::App app{"Measures Fardel beside its peers and prints tables of ratios."};
    app.add_option("--data", data, "folder of .pk3 archives")->capture_default_str();
    app.add_option("--scratch", scratch, "folder for bundles that are made once and kept")->capture_default_str();
    app.add_option(
        "--program", program,
        "the fardel program, for build, and for fardel mount in peers; the one of the same build when left out");
    app.add_option("--small-files", small_files, "how many small files peers makes up, and growth at most")
        ->capture_default_str()
        ->check(CLI::Range(1'000u, 10'000'000u));
    app.add_flag("--quick", quick,
                 "build and peers with at most 20,000 small files and short passes: for trying it, not for figures");
    app.add_option(
        "section", wanted,
        "mount, lookup, read, store, level, verify, pack, build, pure, peers, growth, bundles; all without any");
    CLI11_PARSE(app, argc, argv);

    Scene scene = make_scene(data, scratch);
    scene.program = program;
    scene.small_files = quick ? std::min(small_files, 20'000u) : small_files;
    scene.quick = quick;
    Table table;
    for (const auto& [name, run] : sections)
        if (wanted.empty() || std::ranges::find(wanted, name) != wanted.end())
            run(scene, table);
    return 0;
}
