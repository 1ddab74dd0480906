#include "sample.h"

#include "kit/blobs.h"
#include "kit/ids.h"

#include <fardel/format/bundle_writer.h>

namespace fardel::tests {

std::string make_game(const ScratchFolder& scratch, std::string_view folder) {
    const std::string root(folder);
    scratch.write(root + "/default.cfg", kConfig);
    scratch.write(root + "/docs/readme.txt", "Read me. " + std::string(2000, 'x') + "\n");
    scratch.write(root + "/maps/dm01.bsp", noise_text(300'000, 1));
    scratch.write(root + "/textures/base/water.jpg", noise_text(5'000, 2));
    scratch.write(root + "/textures/base/wasser.jpg", noise_text(5'000, 2));
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
        plan.assets.push_back(
            {.source = blob_of(text), .key = "asset" + std::to_string(count++), .content_type = "image/png"});
    }
    plan.names.push_back(
        {.name = name_of("textures/wall"),
         .variants = {{.tags = {{"texture", "astc"}}, .asset = 0}, {.tags = {{"texture", "png"}}, .asset = 1}}});
    plan.names.push_back({.name = name_of("old.cfg")});
    plan.names.push_back({.name = name_of("private.dat"), .variants = {{.asset = 2}}, .published = false});
    const std::string path = scratch.path("rich.fardel");
    auto staged = write_bundle(plan, path, {});
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

}  // namespace fardel::tests
