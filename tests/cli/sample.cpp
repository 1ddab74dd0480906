#include "sample.h"

#include <fardel/format/bundle_writer.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <span>

namespace fs = std::filesystem;

namespace fardel::tests {

std::string noise(std::uint64_t seed, std::size_t size_bytes) {
    std::mt19937_64 random(seed);
    std::string bytes(size_bytes, '\0');
    std::ranges::generate(bytes, [&] { return static_cast<char>(random()); });
    return bytes;
}

std::string make_game(const ScratchFolder& scratch, std::string_view folder) {
    const std::string root(folder);
    scratch.write(root + "/default.cfg", kConfig);
    scratch.write(root + "/docs/readme.txt", "Read me. " + std::string(2000, 'x') + "\n");
    scratch.write(root + "/maps/dm01.bsp", noise(1, 300'000));
    scratch.write(root + "/textures/base/water.jpg", noise(2, 5'000));
    scratch.write(root + "/textures/base/wasser.jpg", noise(2, 5'000));
    return scratch.path(root);
}

std::string make_bundle(const ScratchFolder& scratch, std::string_view folder) {
    const std::string source = make_game(scratch, folder);
    const std::string bundle = source + ".fardel";
    run_well({"pack", source, "-o", bundle, "--name", "game", "--version", "1.0"});
    return bundle;
}

std::string make_rich_bundle(const ScratchFolder& scratch) {
    BundlePlan plan;
    std::uint32_t count = 0;
    for (const std::string_view text : {"astc bytes", "png bytes", "private bytes"}) {
        const auto bytes = std::as_bytes(std::span(text));
        plan.assets.push_back({.source = make_memory_blob({bytes.begin(), bytes.end()}),
                               .key = "asset" + std::to_string(count++),
                               .content_type = "image/png"});
    }
    const auto name = [](std::string_view text) { return *AssetName::parse(text); };
    plan.names.push_back(
        {.name = name("textures/wall"),
         .variants = {{.asset = 0, .tags = {{"texture", "astc"}}}, {.asset = 1, .tags = {{"texture", "png"}}}}});
    plan.names.push_back({.name = name("old.cfg")});
    plan.names.push_back({.name = name("private.dat"), .variants = {{.asset = 2}}, .published = false});
    const std::string path = scratch.path("rich.fardel");
    auto staged = write_bundle(plan, *stage_file(path), {});
    REQUIRE(staged);
    REQUIRE(staged->commit());
    return path;
}

std::string make_key(const ScratchFolder& scratch, std::string_view name) {
    const std::string key = scratch.path(std::string(name) + ".key");
    run_well({"keygen", "-o", key, "--no-passphrase"});
    return key;
}

std::string make_policy(const ScratchFolder& scratch, const std::string& name, const Arguments& options) {
    const std::string path = scratch.path(name);
    Arguments arguments{"trust", "init", path};
    arguments.insert(arguments.end(), options.begin(), options.end());
    run_well(arguments);
    return path;
}

void sign(const std::string& bundle, const std::string& key, const std::string& role) {
    run_well({"sign", bundle, "--key", key, "--role", role});
}

std::string facts_of(const std::string& bundle) { return run_well({"id", "--json", bundle}); }

std::string word_after(std::string_view text, std::string_view label) {
    const auto at = text.find(label);
    if (at == std::string_view::npos)
        return {};
    const auto start = text.find_first_not_of(' ', at + label.size());
    if (start == std::string_view::npos)
        return {};
    return std::string(text.substr(start, text.find_first_of(" \n", start) - start));
}

std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void flip_bit(const std::string& path, std::uint64_t offset) {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(static_cast<std::streamoff>(offset));
    const char byte = static_cast<char>(file.get() ^ 1);
    file.seekp(static_cast<std::streamoff>(offset));
    file.put(byte);
    REQUIRE(file.flush());
}

std::string list_folder(const std::string& path) {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(path))
        names.push_back(entry.path().lexically_relative(path).string() +
                        (entry.is_directory() && !entry.is_symlink() ? "/" : ""));
    std::ranges::sort(names);
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : " ") + name;
    return text;
}

std::string b3sum(const std::string& path) {
    const Outcome outcome = run_program({"b3sum", "--no-names", path});
    REQUIRE(outcome.exit_code == 0);
    return outcome.out.substr(0, 64);
}

}  // namespace fardel::tests
