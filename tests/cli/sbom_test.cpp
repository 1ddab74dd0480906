// fardel sbom: the SPDX document is complete by the rules of SPDX 2.3, whatever the bundles state.
#include "sample.h"

#include <fardel/format/bundle.h>
#include <fardel/format/bundle_writer.h>
#include <nlohmann/json.hpp>

#include <regex>
#include <set>

namespace fardel::tests::sbom_test {

using nlohmann::json;

struct OriginBundle {
    BundlePlan plan;

    void add(std::string_view name, std::vector<PlannedMetadata> metadata) {
        const auto asset = static_cast<std::uint32_t>(plan.assets.size());
        plan.assets.push_back(
            {.source = make_memory_blob(bytes_of("bytes of " + std::string(name))), .key = std::string(name)});
        plan.assets.back().metadata = std::move(metadata);
        plan.names.push_back({.name = AssetName::parse(name).value(), .variants = {{.asset = asset}}});
    }

    std::string write(const std::string& path) const {
        auto staged = write_bundle(plan, path, {});
        REQUIRE(staged);
        REQUIRE(staged->commit());
        return path;
    }
};

// Fails unless the value has these keys, each a text that is not empty.
void require_texts(const json& value, const std::vector<std::string>& keys) {
    for (const std::string& key : keys) {
        CAPTURE(key);
        REQUIRE(value.contains(key));
        REQUIRE(value[key].is_string());
        CHECK(value[key] != "");
    }
}

void check_package(const json& package, const std::set<std::string>& quoted) {
    require_texts(package, {"SPDXID", "name", "downloadLocation", "licenseConcluded", "licenseDeclared"});
    CHECK(package["filesAnalyzed"] == false);
    const std::string licence = package["licenseConcluded"];
    CHECK((!licence.starts_with("LicenseRef-") || quoted.contains(licence)));
    for (const json& sum : package.value("checksums", json::array())) {
        CHECK(sum["algorithm"] == "BLAKE3");
        CHECK(std::regex_match(std::string(sum["checksumValue"]), std::regex("[0-9a-f]{64}")));
    }
    for (const json& reference : package.value("externalRefs", json::array())) {
        require_texts(reference, {"referenceCategory", "referenceType", "referenceLocator"});
        CHECK(reference["referenceCategory"] == "OTHER");
    }
}

// The keys that the schema of SPDX 2.3 requires, and what it says about ids; every end of a relationship exists.
json parse_spdx(const std::string& text) {
    json document = json::parse(text);
    require_texts(document, {"spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace"});
    CHECK(document["spdxVersion"] == "SPDX-2.3");
    CHECK(document["dataLicense"] == "CC0-1.0");
    CHECK(document["SPDXID"] == "SPDXRef-DOCUMENT");
    CHECK(std::regex_match(std::string(document["documentNamespace"]), std::regex("https://[^# ]+")));
    CHECK(std::regex_match(std::string(document["creationInfo"]["created"]),
                           std::regex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")));
    CHECK(std::string(document["creationInfo"]["creators"].at(0)).starts_with("Tool: fardel-"));

    std::set<std::string> quoted;
    for (const json& licence : document["hasExtractedLicensingInfos"]) {
        require_texts(licence, {"licenseId", "extractedText"});
        CHECK(std::regex_match(std::string(licence["licenseId"]), std::regex("LicenseRef-[A-Za-z0-9.-]+")));
        CHECK(quoted.insert(licence["licenseId"]).second);
    }
    std::set<std::string> ids{"SPDXRef-DOCUMENT"};
    for (const json& package : document["packages"]) {
        check_package(package, quoted);
        CHECK(std::regex_match(std::string(package["SPDXID"]), std::regex("SPDXRef-[A-Za-z0-9.-]+")));
        CHECK(ids.insert(package["SPDXID"]).second);
    }
    for (const json& relationship : document["relationships"]) {
        CHECK(ids.contains(relationship["spdxElementId"]));
        CHECK(ids.contains(relationship["relatedSpdxElement"]));
        CHECK(relationship["relationshipType"] != "");
    }
    return document;
}

json package_named(const json& document, std::string_view name) {
    json found;
    for (const json& package : document["packages"])
        if (package["name"] == name)
            found = package;
    REQUIRE_FALSE(found.is_null());
    return found;
}

std::size_t count_relationships(const json& document, std::string_view type) {
    std::size_t count = 0;
    for (const json& relationship : document["relationships"])
        count += relationship["relationshipType"] == type ? 1 : 0;
    return count;
}

std::string quoted_text(const json& document, const json& package) {
    for (const json& licence : document["hasExtractedLicensingInfos"])
        if (licence["licenseId"] == package["licenseConcluded"])
            return licence["extractedText"];
    return {};
}

TEST_CASE("sbom: has each name with its licence, origin and hash, and the same bytes each time") {
    const ScratchFolder scratch;
    OriginBundle bundle;
    bundle.plan.metadata = {{"name", std::string("game")},
                            {"version", std::string("1.0")},
                            {"licence", std::string("CC-BY-4.0")},
                            {"origin", std::string("https://example.org/game")}};
    bundle.plan.dependencies = {{.bundle = BundleId{{1, 2, 3}}, .name = "base", .version = "2.0", .is_static = true}};
    bundle.add("a.txt", {});
    bundle.add("b.png", {{"licence", std::string("ask Ann first")}, {"origin", std::string("Ann's sketchbook")}});
    bundle.add("c.png", {{"licence", std::string("(MIT OR Apache-2.0 WITH LLVM-exception) AND CC0-1.0")}});
    bundle.add("d.png", {{"licence", std::string("ask Ann first")}});
    const std::string path = bundle.write(scratch.path("game.fardel"));

    const std::string text = run_well({"sbom", path});
    const json document = parse_spdx(text);
    CHECK(document["name"] == "game 1.0");
    CHECK(document["creationInfo"]["created"] == "1970-01-01T00:00:00Z");
    CHECK(document["packages"].size() == 6);
    CHECK(count_relationships(document, "DESCRIBES") == 1);
    CHECK(count_relationships(document, "CONTAINS") == 4);
    CHECK(count_relationships(document, "DEPENDS_ON") == 1);

    const json game = package_named(document, "game");
    const std::string id = json::parse(facts_of(path))["bundle"];
    CHECK(game["versionInfo"] == "1.0");
    CHECK(game["SPDXID"] == "SPDXRef-bundle-" + id);
    CHECK(game["externalRefs"][0]["referenceLocator"] == id);
    const json plain = package_named(document, "a.txt");  // what its bundle states
    CHECK(plain["licenseConcluded"] == "CC-BY-4.0");
    CHECK(plain["sourceInfo"] == "https://example.org/game");
    CHECK(plain["checksums"][0]["checksumValue"] == asset_id_of(bytes_of("bytes of a.txt")).hex());
    const json other = package_named(document, "b.png");  // what it states itself
    CHECK(quoted_text(document, other) == "ask Ann first");
    CHECK(other["sourceInfo"] == "Ann's sketchbook");
    CHECK(package_named(document, "c.png")["licenseConcluded"] ==
          "(MIT OR Apache-2.0 WITH LLVM-exception) AND CC0-1.0");
    CHECK(package_named(document, "d.png")["licenseConcluded"] == other["licenseConcluded"]);
    const json base = package_named(document, "base");  // not among the bundles: known by its id
    CHECK(base["licenseConcluded"] == "NOASSERTION");
    CHECK(base["externalRefs"][0]["referenceLocator"] == BundleId{{1, 2, 3}}.hex());

    CHECK(run_well({"sbom", path, "-o", scratch.path("sbom.json")}) == "");
    CHECK(read_file(scratch.path("sbom.json")) == text);
    CHECK(run_well({"sbom", path, path}).size() > 0);
    CHECK(parse_spdx(run_well({"sbom", path, path}))["packages"] == document["packages"]);  // one bundle, given twice
}

TEST_CASE("sbom: has the time of SOURCE_DATE_EPOCH, and then another namespace") {
    const ScratchFolder scratch;
    const std::string bundle = make_bundle(scratch);
    const Outcome dated = run({"sbom", bundle}, {.variables = {{"SOURCE_DATE_EPOCH", "1700000000"}}});
    REQUIRE(dated.exit_code == 0);
    const json document = parse_spdx(dated.out);
    CHECK(document["creationInfo"]["created"] == "2023-11-14T22:13:20Z");
    CHECK(document["documentNamespace"] != json::parse(run_well({"sbom", bundle}))["documentNamespace"]);
    CHECK(is_one_clear_line(run({"sbom", bundle}, {.variables = {{"SOURCE_DATE_EPOCH", "noon"}}}), "malformed"));
}

TEST_CASE("sbom: has variants and names that are not published, and no tombstones") {
    const ScratchFolder scratch;
    const json document = parse_spdx(run_well({"sbom", make_rich_bundle(scratch)}));
    CHECK(count_relationships(document, "CONTAINS") == 3);
    CHECK(package_named(document, "textures/wall")["comment"] == "variant texture=png");
    CHECK(package_named(document, "private.dat")["licenseConcluded"] == "NOASSERTION");
}

TEST_CASE("sbom: a bundle that depends on another one of the document leads to it") {
    const ScratchFolder scratch;
    const std::string base = make_bundle(scratch);
    OriginBundle mod;
    const BundleId id = BundleId::parse(std::string(json::parse(facts_of(base))["bundle"])).value();
    mod.plan.dependencies = {{.bundle = id, .name = "wrong name", .version = "", .is_static = true}};
    mod.add("mod.cfg", {});
    const std::string path = mod.write(scratch.path("mod.fardel"));
    const json document = parse_spdx(run_well({"sbom", path, base}));
    CHECK(count_relationships(document, "DESCRIBES") == 2);
    CHECK(document["relationships"][1]["relatedSpdxElement"] == package_named(document, "game")["SPDXID"]);
    CHECK(document.dump().find("wrong name") == std::string::npos);
}

TEST_CASE("sbom: hostile texts of a bundle stay texts") {
    const ScratchFolder scratch;
    OriginBundle bundle;
    const std::string hostile = "\x1b[31m\", \"SPDXID\": \"SPDXRef-DOCUMENT\n\xe2\x80\xae";
    bundle.plan.metadata = {{"name", hostile}, {"version", hostile}, {"licence", hostile}, {"origin", hostile}};
    bundle.plan.dependencies = {{.bundle = BundleId{{7}}, .name = hostile, .version = hostile, .is_static = true}};
    std::string name = "a";
    for (const std::string_view licence :
         {"LicenseRef-none", "NONE", "NOASSERTION", "MIT AND", "MIT)", "(MIT", "()", "MIT MIT", "WITH", "mit", "GPL",
          "MIT WITH MIT", "MIT WITH", "(MIT) WITH LLVM-exception", " ", "MIT\nAND MIT", "SPDXRef-DOCUMENT"})
        bundle.add(name += "a", {{"licence", std::string(licence)}});
    bundle.add("deep", {{"licence", std::string(60'000, '(') + "MIT"}});
    bundle.add("number", {{"licence", 7.0}, {"origin", true}});
    const std::string path = bundle.write(scratch.path("hostile.fardel"));

    const std::string text = run_well({"sbom", path});
    CHECK(text.find('\x1b') == std::string::npos);
    const json document = parse_spdx(text);
    CHECK(document["packages"].size() == 2 + bundle.plan.names.size());
    for (const json& package : document["packages"])
        if (std::string(package["SPDXID"]).starts_with("SPDXRef-asset-"))
            CHECK(std::string(package["licenseConcluded"]).starts_with("LicenseRef-"));
    CHECK(quoted_text(document, package_named(document, "number")) == hostile);  // that of the bundle
}

TEST_CASE("sbom: what is no bundle is refused, and nothing is written") {
    const ScratchFolder scratch;
    const std::string out = scratch.path("sbom.json");
    scratch.write("text.fardel", "no bundle\n");
    CHECK(is_one_clear_line(run({"sbom", scratch.path("text.fardel"), "-o", out}), "malformed"));
    CHECK(is_one_clear_line(run({"sbom", make_game(scratch), "-o", out}), "malformed"));
    CHECK(is_one_clear_line(run({"sbom", scratch.path("absent.fardel"), "-o", out}), "missing"));
    CHECK_FALSE(fs::exists(out));
}

}  // namespace fardel::tests::sbom_test
