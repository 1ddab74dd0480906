// OpenArena's own archives through the reference scanners: nothing of them is refused, and most of what they name is
// there.
#include "scan/reference_scanners.h"

#include <fardel/format/content_type.h>
#include <fardel/format/name.h>
#include <fardel/sources/legacy_archives.h>
#include <fardel/sources/source_scan.h>

#include "kit/blobs.h"
#include "kit/openarena.h"

#include <map>
#include <set>

namespace fardel::tests::openarena_references_test {

struct Scanned {
    std::string name;
    std::string type;
    ScanFindings findings;
};

struct Game {
    std::set<std::string> names;    // folded
    std::set<std::string> shaders;  // folded
    std::vector<Scanned> assets;
};

bool is_scanned(std::string_view name) {
    for (const std::string_view end :
         {".shader", ".md3", ".skin", ".bsp", ".menu", ".arena", ".map", ".obj", "scripts/arenas.txt"})
        if (name.ends_with(end))
            return true;
    return false;
}

Game scan_game() {
    Game game;
    const auto sources = scan_sources(tests::openarena_archives(), {}, make_archive_reader().get());
    REQUIRE(sources);
    for (const SourceEntry& entry : sources->entries) {
        const std::string folded = fold_name(entry.name.view());
        game.names.insert(folded);
        if (!is_scanned(folded))
            continue;
        CAPTURE(entry.origin.text());
        const auto content = tests::read_blob_text(*entry.blob, 1 << 18);
        REQUIRE(content);
        const auto bytes = std::as_bytes(std::span(*content));
        const std::string type(content_type(entry.name.view(), bytes.first(std::min(bytes.size(), kContentHeadBytes))));
        auto findings = scan_references(entry.name.view(), type, bytes);
        REQUIRE_MESSAGE(findings, findings.error().text());
        for (const std::string& shader : findings->defines)
            game.shaders.insert(fold_name(shader));
        game.assets.push_back({entry.name.text(), type, *std::move(findings)});
    }
    return game;
}

const Game& game() {
    static const Game scanned = scan_game();
    return scanned;
}

bool exists(const FoundReference& reference, const std::string& from) {
    for (const NameCandidate& one : candidate_names(reference, from))
        if ((one.kind == CandidateKind::shader ? game().shaders : game().names).contains(fold_name(one.name)))
            return true;
    return false;
}

struct Count {
    std::size_t files = 0;
    std::size_t with_optional = 0;
    std::size_t references = 0;
    std::size_t found = 0;
};

TEST_CASE("openarena references: every file with references is scanned, and most of their targets exist") {
    std::map<std::string, Count> counts;
    for (const Scanned& asset : game().assets) {
        Count& count = counts[asset.type];
        ++count.files;
        for (const FoundReference& reference : asset.findings.references) {
            ++count.with_optional;
            if (reference.optional)
                continue;
            ++count.references;
            count.found += exists(reference, asset.name);
        }
    }
    // Somewhat below what is found in the archives of OpenArena 0.8.8.
    const auto check = [&](const std::string& type, std::size_t files, std::size_t references, std::size_t percent) {
        CAPTURE(type);
        const Count& count = counts[type];
        CHECK(count.files >= files);
        CHECK(count.references >= references);
        CHECK(100 * count.found >= percent * count.references);
    };
    check("application/x-bsp", 85, 3000, 98);
    CHECK(counts["application/x-bsp"].with_optional >= 3500);  // shaders that no surface is drawn with
    check("text/x-quake-map", 13, 480, 98);
    check("text/x-quake-shader", 121, 4100, 87);
    check("text/x-quake-skin", 276, 530, 88);
    check("model/x-md3", 293, 380, 72);
    check("text/x-quake-arena", 2, 13, 100);
    check("text/plain", 1, 58, 100);  // scripts/arenas.txt
    CHECK(game().shaders.size() > 1000);
}

TEST_CASE(
    "openarena references: a known map names its shaders, and its music, which the game lacks, is reported as "
    "missing") {
    const auto& assets = game().assets;
    const auto map =
        std::find_if(assets.begin(), assets.end(), [](const Scanned& one) { return one.name == "maps/oa_dm1.bsp"; });
    REQUIRE(map != assets.end());
    std::size_t shaders = 0;
    std::vector<std::string> missing;
    for (const FoundReference& reference : map->findings.references) {
        shaders += reference.use == ReferenceUse::shader;
        if (reference.use != ReferenceUse::shader && !exists(reference, map->name))
            missing.push_back(reference.spelling);
    }
    CHECK(shaders >= 10);
    CHECK(missing == std::vector<std::string>{"music/sonic6.ogg"});
}

}  // namespace fardel::tests::openarena_references_test
