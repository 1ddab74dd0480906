// OpenArena's own archives against unzip, which knows nothing of PhysicsFS. The package openarena-data and its sisters
// must be installed: setup/ does that; without them these cases fail.
#include <fardel/packer/pack.h>
#include <fardel/sources/legacy_archives.h>

#include "kit/blobs.h"
#include "kit/openarena.h"
#include "kit/program.h"

#include <map>
#include <sstream>

namespace fardel::tests::openarena_test {

std::vector<std::string> unzip_names(const std::string& archive) {
    std::vector<std::string> names;
    std::istringstream lines(tests::run_program({"unzip", "-Z1", archive}).out);
    for (std::string line; std::getline(lines, line);)
        if (!line.ends_with('/'))
            names.push_back(line);
    return names;
}

std::string lowered(std::string name) {
    std::ranges::transform(name, name.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return name;
}

TEST_CASE("openarena: each archive has the entries that unzip lists, and none is refused") {
    std::size_t total = 0;
    for (const std::string& archive : tests::openarena_archives()) {
        CAPTURE(archive);
        const auto result = scan_sources(std::vector{archive}, {}, make_archive_reader().get());
        REQUIRE(result);
        std::vector<std::string> names;
        for (const SourceEntry& entry : result->entries)
            names.push_back(entry.name.text());
        std::vector<std::string> expected = unzip_names(archive);
        std::ranges::sort(expected);
        CHECK(names == expected);
        CHECK(result->report.refused.empty());
        CHECK(result->report.overridden.empty());
        total += names.size();
    }
    CHECK(total == 5357);
}

TEST_CASE("openarena: all archives together have the last entry of each name, and every override is reported") {
    const std::vector<std::string> paths = tests::openarena_archives();
    const auto packed = pack_sources(paths, {.name = "openarena"});
    REQUIRE(packed);
    std::map<std::string, std::pair<std::string, std::string>> winners;  // lower case: archive, name
    std::vector<std::string> hidden;
    for (const std::string& archive : paths)
        for (const std::string& name : unzip_names(archive)) {
            auto& [winner, spelling] = winners[lowered(name)];
            if (!winner.empty())
                hidden.push_back(winner + ": " + spelling + " by " + archive + ": " + name);
            winner = archive;
            spelling = name;
        }
    std::vector<std::string> overridden;
    for (const OverriddenName& name : packed->report.overridden)
        overridden.push_back(name.origin + " by " + name.by_origin);
    std::ranges::sort(hidden);
    std::ranges::sort(overridden);
    CHECK(overridden == hidden);
    CHECK(overridden.size() == 480);
    CHECK(packed->report.refused.empty());

    REQUIRE(packed->plan.names.size() == winners.size());
    for (const PlannedName& name : packed->plan.names) {
        const auto found = winners.find(lowered(name.name.text()));
        REQUIRE(found != winners.end());
        CHECK(found->second.second == name.name.text());
    }

    std::map<std::string, std::size_t> counts;
    for (const PlannedAsset& asset : packed->plan.assets) {
        ++counts[asset.content_type.text()];
        CHECK(asset.key.view().ends_with(".bsp") == (asset.content_type == "application/x-bsp"));
        CHECK((!asset.key.view().ends_with(".roq") || asset.streamed));
    }
    CHECK(counts["image/x-tga"] + counts["image/jpeg"] > 3000);
    CHECK(counts["application/octet-stream"] == 53);  // readmes without extension, demos, editors' files

    // Every 29th entry is compared, so that each kind occurs: the bytes equal those of `unzip -p`.
    for (std::size_t i = 0; i < packed->plan.assets.size(); i += 29) {
        const PlannedAsset& asset = packed->plan.assets[i];
        CAPTURE(asset.key.text());
        const std::string& archive = winners[lowered(asset.key.text())].first;
        const auto content = tests::read_blob_text(*asset.source, 65536);
        REQUIRE(content);
        CHECK((*content == tests::run_program({"unzip", "-p", archive, asset.key.text()}).out));
    }
}

}  // namespace fardel::tests::openarena_test
