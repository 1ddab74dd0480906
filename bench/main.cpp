// fardel_bench: Fardel beside its peers, in one run, as ratios. Build it with the release preset.
#include "sections.h"

#include <CLI/CLI.hpp>

#include <map>

int main(int argc, char** argv) {
    using namespace fardel::bench;
    const std::vector<std::pair<std::string, void (*)(const Scene&, Table&)>> sections{
        {"mount", bench_mount}, {"lookup", bench_lookup}, {"read", bench_read}, {"level", bench_level}, {"verify", bench_verify}, {"pack", bench_pack}};

    std::string data = "/usr/share/games/openarena/baseoa";
    std::string scratch = "/tmp/fardel-bench";
    std::vector<std::string> wanted;
    CLI::App app{"Measures Fardel beside its peers and prints tables of ratios."};
    app.add_option("--data", data, "folder of .pk3 archives")->capture_default_str();
    app.add_option("--scratch", scratch, "folder for bundles that are made once and kept")->capture_default_str();
    app.add_option("section", wanted, "mount, lookup, read, level, verify, pack; all without any");
    CLI11_PARSE(app, argc, argv);

    const Scene scene = make_scene(data, scratch);
    Table table;
    for (const auto& [name, run] : sections)
        if (wanted.empty() || std::ranges::find(wanted, name) != wanted.end()) run(scene, table);
    return 0;
}
